package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

func newVerifyCommand() *cli.Command {
	return &cli.Command{
		Paged:   true,
		Options: &verifyOptions{},
		Formats: cli.ReportFormats,
	}
}

// verifyOptions are the flags of verify.
type verifyOptions struct {
	Against  string              `flag:"against PATH: clawctl store, OpenClaw database, or state folder to compare with"`
	Only     migrate.ProofFilter `flag:"only"`
	ListSafe bool                `flag:"list-safe: print only the paths of files that are safe to delete"`
	Null     bool                `flag:"null: end each path of --list-safe with a NUL, for xargs -0" short:"0"`
	Jobs     int                 `flag:"jobs N: how many transcripts to compare at a time" default:"one per core"`
	Excerpt  cli.ExcerptOptions
	cli.SourceOptions
}

// OwnFlags makes the flags.
func (o *verifyOptions) OwnFlags() []cli.Flag {
	return cli.FlagsOf(o,
		cli.ChoiceFlag(&o.Only, "only", "WHICH", migrate.ProofFilters, "list only these files"))
}

// check refuses flags that exclude each other.
func (o *verifyOptions) check(a *cli.App) error {
	switch {
	case o.ListSafe && o.Only != "":
		return cli.Conflict("--list-safe", "--only")
	case o.ListSafe && o.Excerpt != (cli.ExcerptOptions{}):
		return cli.Usage("--list-safe cannot be combined with --limit or --reverse")
	case o.ListSafe && a.Format != "":
		return cli.Usage("--list-safe prints paths and cannot be combined with --format or --json")
	case o.Null && !o.ListSafe:
		return cli.Usage("--null needs --list-safe")
	}
	return nil
}

// Run runs the command.
func (o *verifyOptions) Run(a *cli.App, operands []string) error {
	if err := o.check(a); err != nil {
		return err
	}
	arguments, err := cli.VerifySources(a, operands)
	if err != nil {
		return err
	}
	m, err := o.find(a, arguments)
	if err != nil {
		return err
	}
	if o.namesStores(m) {
		return o.checkStores(a, m)
	}
	target, other, err := reading.OpenTarget(a, o.Against, reading.TargetPath(m, arguments))
	if err != nil {
		return o.withHint(a, operands, unsaid(m.Places, arguments[0], err))
	}
	sessions := target.Without(m.Sessions)
	if len(sessions) == 0 {
		return cmp.Or(a.Outcome.Err(), error(failure.New(failure.Nothing,
			"nothing to compare: every transcript here is part of the database itself").At(arguments[0]).
			WithHint(failure.Command("clawctl", "sessions", arguments[0]))))
	}
	proofs, err := reading.CompareWith(a, sessions, target, o.Jobs, reading.HomesOf(a, m.Places))
	if err != nil {
		return err
	}
	sums := migrate.SumProofs(proofs, target.Path)
	if err := o.print(a, target, proofs, sums); err != nil {
		return err
	}
	a.Note("%s", sums.Words(target.Location))
	if other.Path != "" {
		a.Note("compared with the %s; to compare with OpenClaw's databases: %s",
			target.Location, a.CommandLine("--against", other.Path))
	}
	if err := checkTarget(a, target, proofs); err != nil {
		return err
	}
	if sums.Incomplete() > 0 {
		a.Blame(failure.Findings)
	}
	return a.Outcome.Err()
}

// find returns the transcripts of the arguments, ready to be read more than once.
func (o *verifyOptions) find(a *cli.App, arguments []string) (*source.Match, error) {
	s := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.EveryKind, Fast: true}
	m, err := cli.FindTranscripts(a, arguments, s)
	if err != nil {
		return nil, err
	}
	if len(m.Sessions) == 0 {
		return nil, a.Outcome.Err()
	}
	cli.BlameProblems(a, m.Places)
	cli.BlameIndexes(a, m.Places)
	return m, nil
}

// unsaid returns why there is nothing to compare with. A problem of the sources was said before: then what follows from
// it is left to say.
func unsaid(places []*source.Listing, path string, err error) error {
	var f *failure.Error
	if !errors.As(err, &f) {
		return err
	}
	for _, place := range places {
		for _, p := range place.Problems {
			if said := cli.ProblemFailure(p); said != nil && said.Code == f.Code && said.Path == f.Path {
				return (&migrate.NoSessionsError{}).FailureAt(path).WithExit(f.Status())
			}
		}
	}
	return err
}

// withHint adds the command that helps if there is nothing to compare with: an import of the same sources, or the help
// about what --against takes. No command can name what came through a pipe.
func (o *verifyOptions) withHint(a *cli.App, operands []string, err error) error {
	var f *failure.Error
	if !errors.As(err, &f) || f.Code != failure.Nothing || slices.Contains(operands, "-") {
		return err
	}
	if o.Against != "" {
		return f.WithHint("clawctl help verify")
	}
	if _, err := cli.ImportSources(a, operands); err != nil {
		operands = []string{f.Path} // import needs a name for what verify does without
	}
	return f.WithHint(failure.Command(append([]string{"clawctl", "import"}, operands...)...))
}

// print prints the proofs, or the paths of --list-safe.
func (o *verifyOptions) print(
	a *cli.App, target *migrate.Target, proofs []migrate.Proof, sums migrate.ProofSums,
) error {
	if o.ListSafe {
		list, refused := migrate.ListSafe(proofs, o.Null)
		if err := a.Print(list); err != nil {
			return err
		}
		if refused > 0 {
			a.Note("%s not listed because a shell would misread the name; to list every file: %s",
				ui.Are(refused, "safe file"), a.CommandLine("--null"))
		}
		return nil
	}
	// A terminal keeps the answer whole: a file name without room becomes the name of its session.
	r := cli.NewReport(ui.End("verdict", 9), ui.Numbers("lines", 2), ui.Middle("source", 24), ui.Words("what it means"),
		ui.Middle("against", 0, 3))
	short := source.ShortNames(migrate.Sources(proofs))
	for i := range proofs {
		p, style := &proofs[i], ui.Error
		if !o.Only.Takes(p) {
			continue
		}
		if p.Complete() {
			style = ui.Good
		}
		meaning := reading.ProofMeaning(p)
		meaning.Style = style
		r.AddCells(p.Row(target.Path, reading.ProofError(p)),
			ui.Cell{Text: p.Verdict(), Short: string(p.Relation), Style: style}, ui.Cell{Text: fmt.Sprint(p.Lines)},
			ui.Cell{Text: cli.SourceName(a, p.Session), Short: short[p.Session]}, meaning,
			ui.Cell{Text: target.Path, Short: filepath.Base(target.Path)})
	}
	cli.Cut(r, o.Excerpt)
	if a.JSON {
		r.AddObject(sums)
	}
	return a.PrintReport(r)
}

// namesStores reports whether everything that is to be verified is in clawctl stores. Without --against, or against
// itself, a store is not compared with anything, but checked.
func (o *verifyOptions) namesStores(m *source.Match) bool {
	isElsewhere := func(s *source.Session) bool { return !s.InStore() }
	isOther := func(p *source.Listing) bool { return !openfile.IsSame(p.Path, o.Against) }
	return !slices.ContainsFunc(m.Sessions, isElsewhere) &&
		(o.Against == "" || !slices.ContainsFunc(m.Places, isOther))
}

// checkStores checks every table of the stores that were named.
func (o *verifyOptions) checkStores(a *cli.App, m *source.Match) error {
	r, summaries := cli.NewReport(ui.Words("fault"), ui.Words("table", 2), ui.Middle("session", 20),
		ui.End("what it means", 32)), []string{}
	for _, p := range m.Places {
		faults, err := auditStore(a, p.Path, p.Store(), nil)
		if err != nil {
			return err
		}
		for _, f := range faults {
			a.Outcome.Take(faultStatus[f.Kind], true)
			r.Add(f.Row(p.Path), string(f.Kind), f.Table, f.Session, f.Text)
		}
		summaries = append(summaries, fmt.Sprintf("Checked every table of the clawctl store %s: %s, %s.", p.Path,
			ui.Count(len(p.Sessions), "session"), store.CountFaults(faults)))
	}
	cli.Cut(r, o.Excerpt)
	if len(r.Table.Rows) > 0 {
		if err := a.PrintReport(r); err != nil {
			return err
		}
	}
	for _, summary := range summaries {
		a.Note("%s", summary)
	}
	return a.Outcome.Err()
}

// auditStore checks everything in a store, except the text of sessions that skip accepts.
func auditStore(a *cli.App, path string, r *store.Reader, skip func(key string) bool) ([]store.Problem, error) {
	auditor := store.NewAuditor(a.Ctx, r)
	auditor.Skip = skip
	faults, err := auditor.Audit()
	if err != nil {
		return nil, cli.InputError(path, err)
	}
	return faults, nil
}

// checkTarget checks the rest of the store that sources were compared with. A session that is identical to its source
// has been read already.
func checkTarget(a *cli.App, target *migrate.Target, proofs []migrate.Proof) error {
	r := target.Store()
	if r == nil {
		return nil
	}
	identical := migrate.IdenticalTargets(proofs)
	faults, err := auditStore(a, target.Path, r, func(key string) bool { return identical[key] })
	if err != nil {
		return err
	}
	writing.BlameDamage(a, target.Path, faults)
	if len(faults) > 0 {
		a.Note("the store itself: %s; to list them: %s", store.CountFaults(faults),
			failure.Command("clawctl", "verify", target.Path))
	}
	return nil
}

// faultStatus is the exit status of a fault in a store that is checked itself. What other programs added is none.
var faultStatus = map[store.ProblemKind]int{
	store.Damaged: failure.ExitDatabase, store.Incomplete: failure.ExitFindings, store.Undigested: failure.ExitFindings,
	store.Unreachable: failure.ExitFindings,
}
