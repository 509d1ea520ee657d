package main

import (
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/diff"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/window/boundary"
)

// showLost prints what left the context at a compaction, and the summary that replaced it.
func (o *diffOptions) showLost(a *cli.App, operands []string) error {
	if len(operands) > 1 {
		return cli.Usage("diff --compaction takes one session, got %d arguments", len(operands))
	}
	if err := a.Alone("compaction", "stat", "only"); err != nil {
		return err
	}
	defer reading.KeepSmall()()
	search := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly, Stdin: true, ByDefault: true}
	session, err := reading.OneSession(a, operands, search)
	if err != nil {
		return err
	}
	b, err := reading.OpenBoundaries(a, session, reading.ProgramOption{}, "", nil)
	if err != nil {
		return err
	}
	if o.Compaction > len(b.List) {
		return failure.New(failure.Nothing, "no compaction %d: the session has %d compactions and resets", o.Compaction,
			len(b.List)).At(b.Transcript.Name).
			WithHint(failure.Command("clawctl", "show", session.Place(), "--compactions"))
	}
	lost := &lostText{App: a, text: diff.Text{Term: a.Output.Term, Full: o.Full}}
	if err := lost.print(b, &b.List[o.Compaction-1]); err != nil {
		return err
	}
	if b.Transcript.Damage != nil {
		return b.Transcript.Damage
	}
	if lost.lost > 0 { // the model sees something else than before
		return failure.Findings
	}
	return nil
}

// A lostText prints the records that left a context.
type lostText struct {
	*cli.App
	text  diff.Text
	maker parts.Maker
	lost  int
}

// print prints what a boundary is, what left there, and what replaced it.
func (l *lostText) print(b *reading.BoundaryList, at *boundary.Boundary) error {
	if !l.WantsJSON() {
		if err := l.PrintStyled(wrapped(l.App, at.Sentence(l.Now().Location()))); err != nil {
			return err
		}
	} else if err := l.PrintJSON(boundary.Row{SchemaVersion: 1, Session: b.Transcript.Session.Name(),
		Path: b.Transcript.Session.Place(), Boundary: at}); err != nil {
		return err
	}
	err := at.Lost(b.Context, b.Transcript.Again(), l.record)
	if err != nil && !cli.IsClosedPipe(err) {
		return b.Transcript.Failed(err)
	}
	return err
}

// record prints a record: one that left the context, or one of the boundary.
func (l *lostText) record(rec *jsonl.Record, isBoundary bool) error {
	change := &diff.Change{Kind: diff.Removed, A: rec, LineA: rec.Line}
	if isBoundary {
		change = &diff.Change{Kind: diff.Added, B: rec, LineB: rec.Line}
	} else {
		l.lost++
	}
	entry := l.maker.Entry(rec)
	if entry == nil {
		return nil
	}
	if l.WantsJSON() {
		return l.PrintJSON(diff.NewChangeRow(change, entry, ""))
	}
	return l.PrintStyled(l.text.Change(change, entry))
}

// wrapped returns a paragraph as wide as a terminal.
func wrapped(a *cli.App, text string) string {
	if a.Output.Term.Is {
		text = ui.Wrap(text, a.Output.Term.Columns, "")
	}
	return text + "\n"
}
