package main

import (
	"cmp"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/showing"
	"clawctl/internal/ui"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/follow"
	"clawctl/pkg/read/render"
	"clawctl/pkg/source"
)

func newTailCommand() *cli.Command {
	return &cli.Command{
		Options: &tailOptions{Tools: render.ToolsLine},
		Formats: []string{"text", "ndjson"},
		Streams: true,
	}
}

// defaultParts is how many parts are shown without -n.
const defaultParts = 10

// tailOptions are the flags of tail.
type tailOptions struct {
	Parts    int          `flag:"parts"`
	Follow   bool         `flag:"follow: show new parts as they are written, until Ctrl-C" short:"f"`
	Tools    render.Tools `flag:"tools"`
	Thinking bool         `flag:"thinking: show what the model thought"`
	Raw      bool         `flag:"raw: do not mask keys and passwords with privacy.mask"`
	Values   cli.ValuesOption
	Harness  cli.HarnessOption
	cli.SourceOptions

	counted bool // -n was given
}

// OwnFlags makes the flags.
func (o *tailOptions) OwnFlags() []cli.Flag {
	count := cli.CountFlag(&o.Parts, "parts", "N", 0, "show the last N parts of each session").WithShort("n").
		WithDefault("10, or 0 if a folder is followed")
	tools := []render.Tools{render.ToolsNone, render.ToolsLine, render.ToolsFull}
	return cli.FlagsOf(o,
		count.Checked(func() error {
			o.counted = true
			return nil
		}),
		cli.ChoiceFlag(&o.Tools, "tools", "HOW", tools, "how much of tool calls to show"))
}

// Run runs the command.
func (o *tailOptions) Run(a *cli.App, operands []string) error {
	isDefault := len(operands) == 0 && !o.Narrows()
	if isDefault {
		o.Session = "@last"
	}
	f := &reading.Follower{App: a, Search: cli.Search{
		SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly, Fast: true, Harness: &o.Harness}}
	a.AtEnd(func() { f.Group.Close() })
	if o.Follow {
		if err := f.Check(operands); err != nil {
			return err
		}
	}
	t := &tailer{App: a, following: f, tailOptions: o}
	if err := t.open(operands); err != nil {
		return err
	}
	if isDefault && len(f.Members) == 1 {
		a.Note("showing %s (%s)", f.Members[0].Session.Name(), f.Members[0].Session.Place())
	}
	if o.Follow && f.Places > 0 {
		a.Note("following %s, and those that begin in %s", ui.Count(len(f.Members), "session"),
			cmp.Or(strings.Join(operands, ", "), "the state folder"))
	}
	return t.run()
}

// A tailer shows the ends of sessions.
type tailer struct {
	*cli.App
	following *reading.Follower
	*tailOptions
	printer *showing.Parts
	damaged int // parts that were shown
}

// open resolves the arguments.
func (t *tailer) open(operands []string) error {
	arguments, err := cli.ArgumentsOf(t.App, operands, t.following.Search)
	if err != nil {
		return err
	}
	for _, argument := range arguments {
		if t.Follow {
			err = t.following.Add(argument)
		} else if m, notFound := cli.Find(t.App, argument, t.following.Search); notFound != nil {
			err = notFound
		} else { // their ends are read once
			source.SortByRecency(m.Sessions)
			t.following.JoinAll(m.Sessions)
			err = t.following.AddLinked(m.Sessions)
		}
		if err != nil {
			if t.Ctx.Err() != nil {
				return cli.Interrupted(t.App)
			}
			t.Blame(err)
		}
	}
	if len(t.following.Members) == 0 && t.following.Places == 0 {
		return t.Outcome.Err()
	}
	style := showing.NewStyle(t.App, t.Tools, t.Thinking)
	t.printer = showing.NewParts(t.App, style, len(t.following.Members) > 1 || t.following.Places > 0)
	rules, err := t.Values.Rules(t.App, t.Raw)
	if err != nil {
		return err
	}
	masks, err := cli.MasksReading(t.App)
	if (masks || len(rules) > 0) && !t.Raw {
		t.printer.Mask(&redact.Masker{Rules: rules})
	}
	return err
}

func (t *tailer) run() error {
	for _, m := range t.following.Members {
		if err := t.last(m); err != nil {
			return err
		}
	}
	if !t.Follow {
		if t.damaged > 0 {
			t.Outcome.Take(failure.ExitDamaged, true)
			t.Note("damaged lines are shown as damage")
			t.Hint(failure.Command("clawctl", "validate", t.following.Members[0].Session.Place()))
		}
		return t.Outcome.Err()
	}
	return t.following.Run(t.take, t.printer.Flush)
}

// take shows what has happened to a session.
func (t *tailer) take(m *follow.Member, e *follow.Event) error {
	if m.New && m.Instead != nil {
		t.Note("%s continues in %s", m.Session.Key, m.Session.Place())
		m.Instead = nil // this was said
		if err := t.printer.Change(m.Session, "continued"); err != nil {
			return err
		}
	}
	switch {
	case e.Record != nil:
		return t.show(m.Session, e.Record, 0)
	case e.Err != nil:
		return t.printer.Failure(m.Session, cli.InputError(m.Session.Place(), e.Err))
	}
	return t.printer.Change(m.Session, e.Change.String())
}

// last shows the end of a session.
func (t *tailer) last(m *follow.Member) error {
	wanted := defaultParts
	switch {
	case t.counted:
		wanted = t.Parts
	case t.following.Places > 0 && t.Follow:
		wanted = 0
	}
	e := &follow.Ending{
		Want: wanted, Growing: t.Follow, Numbered: t.printer.IsJSON(),
		Count: func(rec *jsonl.Record) int {
			if t.following.IsEcho(m.Session, rec) {
				return 0
			}
			return t.printer.Count(rec)
		},
	}
	err := t.readLast(m, e)
	if t.Ctx.Err() != nil {
		return cli.Interrupted(t.App)
	}
	skip := e.Surplus()
	for _, rec := range e.Records() {
		if err := t.show(m.Session, rec, skip); err != nil {
			return err
		}
		skip = 0
	}
	end := t.printer.End
	if t.Follow {
		end = func(*source.Session) error { return t.printer.Flush() }
	}
	if err := end(m.Session); err != nil {
		return err
	}
	if err != nil && !reading.IsAwaited(m.Session.Path) {
		failed := cli.InputError(m.Session.Place(), err)
		t.Blame(failed)
		return t.printer.Failure(m.Session, failed)
	}
	return nil
}

func (t *tailer) readLast(m *follow.Member, e *follow.Ending) error {
	s := m.Session
	if s.OpensAgain() || reading.IsAwaited(s.Path) {
		return m.Source.Last(t.Ctx, e)
	}
	in, err := s.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	return follow.LastOf(t.Ctx, in, e)
}

// show prints a record without the first of the parts that count.
func (t *tailer) show(s *source.Session, rec *jsonl.Record, skip int) error {
	if t.following.IsEcho(s, rec) {
		return nil
	}
	if rec.Damage != nil && !rec.Continued {
		t.damaged++
	}
	return t.printer.Print(s, rec, skip)
}
