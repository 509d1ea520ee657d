package main

import (
	"errors"
	"syscall"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change"
	"clawctl/pkg/migrate"
	"clawctl/pkg/prune"
)

// pruneFiles moves old files that are safe to delete to the trash.
func (o *pruneOptions) pruneFiles(a *cli.App, operands []string, before time.Time) error {
	arguments, err := cli.VerifySources(a, operands)
	if err != nil {
		return err
	}
	p := &prunePlan{app: a, options: o, noun: "file", outcome: &failure.Tally{}}
	m, err := cli.FindTranscripts(a, arguments, cli.Search{Defaults: cli.EveryKind, Fast: true}, p.outcome)
	if err != nil {
		return err
	}
	cli.BlameProblems(a, p.outcome, m.Places)
	cli.BlameIndexes(a, p.outcome, m.Places)
	files := o.rules(before).Select(m.Sessions)
	if len(files) == 0 {
		return p.finish()
	}
	target, other, err := reading.OpenTarget(a, o.against, reading.TargetPath(m, arguments))
	if err != nil {
		return withImportHint(err, arguments[0])
	}
	proofs, err := reading.CompareWith(a, files, target, o.jobs, reading.HomesOf(a, m.Places))
	if err != nil {
		return err
	}
	if err := p.addProofs(proofs, target); err != nil {
		return err
	}
	if other.Path != "" {
		a.Note("compared with the %s; to compare with OpenClaw's databases: %s", target.Location,
			a.CommandLine("--against", other.Path))
	}
	return p.finish()
}

// withImportHint adds the command that helps if there is nothing to compare with.
func withImportHint(err error, source string) error {
	var f *failure.Error
	if errors.As(err, &f) && f.Code == failure.Nothing && f.Hint == "" {
		return f.WithHint(failure.Command("clawctl", "import", source))
	}
	return err
}

// addProofs adds files that were compared.
func (p *prunePlan) addProofs(proofs []migrate.Proof, target *migrate.Target) error {
	journal, err := writing.Journal(p.app)
	if err != nil {
		return err
	}
	p.summary.Against, p.where = target.Path, "; compared with the "+target.Location.String()
	p.after = func() { p.app.Hint(failure.Command("clawctl", "undo", p.summary.Receipt)) }
	for i := range proofs {
		proof := &proofs[i]
		s := proof.Session
		item := &pruneItem{name: cli.SourceName(p.app, s), time: prune.LastUse(s)}
		item.Path, item.Session, item.Kind, item.Bytes = s.Path, s.Name(), s.Kind, s.Bytes
		item.do = func() *failure.Error { return p.move(journal, item, prune.Moves(proof, target.Location)) }
		keep := reading.ProofMeaning(proof)
		if proof.Safe() {
			keep = ui.Cell{}
		}
		p.add(item, ui.Cell{Text: "safe to delete"}, keep)
	}
	return nil
}

// move moves one file in the first way that its file system allows.
func (p *prunePlan) move(journal *change.Journal, item *pruneItem, ways []change.Move) *failure.Error {
	var receipt *change.Receipt
	var err error
	for _, way := range ways {
		if receipt, err = journal.Move(way); !errors.Is(err, syscall.EXDEV) {
			break
		}
	}
	if receipt != nil {
		item.Receipt, item.Trash, p.summary.Receipt = receipt.ID, receipt.Moved.To, receipt.Run
	}
	if err != nil {
		return p.leftAlone(item.Path, err)
	}
	return nil
}

// leftAlone is the failure of a file that is in use or has changed. That is nobody's mistake.
func (p *prunePlan) leftAlone(path string, err error) *failure.Error {
	f := writing.ChangeError(p.app, path, err)
	var locked *change.LockedError
	if errors.As(err, &locked) || errors.Is(err, change.ErrChanged) {
		return f.WithExit(failure.ExitFindings)
	}
	return f
}
