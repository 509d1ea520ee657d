package main

import (
	"cmp"
	"fmt"
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/window"
)

func newContextCommand() *cli.Command {
	return &cli.Command{
		Paged:   true,
		Options: &contextOptions{WindowOptions: reading.NewWindowOptions()},
		Formats: []string{"table", "json", "ndjson"},
	}
}

// contextOptions are the flags of context.
type contextOptions struct {
	reading.WindowOptions `usage:"the context window in tokens, such as 200k or 1M"`
	Next                  reading.NextOption
	Reserve               reading.ReserveOption
	Harness               cli.HarnessOption
	cli.SourceOptions
}

// Run runs the command.
func (o *contextOptions) Run(a *cli.App, operands []string) error {
	defer reading.KeepSmall()()
	next, err := o.Next.Read(a, operands)
	if err != nil {
		return err
	}
	settings, err := a.Configuration()
	if err != nil {
		return err
	}
	s := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly, Harness: &o.Harness}
	session, err := reading.OpenContext(a, operands, s, &o.WindowOptions, (&writing.AppendOptions{}).Allows)
	if err != nil {
		return err
	}
	w, err := session.ChooseWindow()
	if err != nil {
		return err
	}
	reserve, err := o.Reserve.Of(w.Tokens, settings)
	if err != nil {
		return err
	}
	usage, err := session.Measure(w, next)
	if err != nil {
		return err
	}
	report := usage.Report(w, usage.Thresholds(&settings.Session, reserve))
	report.Session, report.Encoding, report.Harness = session.Asked.Name(), o.Encoding, session.Harness()
	if err := (&contextText{a, usage, w, report}).print(); err != nil {
		return err
	}
	if words := usage.Resumption.Words(); words != "" {
		a.Note("%s: %s, which do not count", session.Transcript.Name, words)
	}
	return session.Transcript.Damage
}

// A contextText is a report for people.
type contextText struct {
	*cli.App
	usage  *window.Usage
	window window.Window
	report *window.Report
}

func (t *contextText) print() error {
	if t.WantsJSON() {
		return t.PrintJSON(t.report)
	}
	tables, hidden := t.tables()
	if err := t.PrintStyled(t.text(t.Output.Term) + tables); err != nil {
		return err
	}
	t.NoteHidden(hidden)
	return nil
}

// text is the report without its tables.
func (t *contextText) text(term ui.Terminal) string {
	r := t.report
	const fillWidth, historyLabel, historyWidth = 40, "over time  ", 60
	frame := "▕%-*s▏"
	if term.ASCII {
		frame = "[%-*s]"
	}
	share := min(1, float64(t.usage.Current())/float64(r.Window))
	text := t.usage.Fill.String() + "\n" +
		t.windowLine(term) + "\n" +
		fmt.Sprintf(frame, fillWidth, term.Bar(share, fillWidth)) + "\n\n" +
		t.usage.SizeWords() + "\n" +
		fmt.Sprintf("%s, %s, %s since the last checkpoint\n", ui.Count(r.Messages, "message"), ui.Count(r.Turns, "turn"),
			ui.Thousands(int64(r.SinceCheck)))
	for _, kind := range window.Kinds {
		text += cli.Labelled(term, fmt.Sprintf("%-10s ", kind), r.MarkWords(kind)) + "\n"
	}
	if len(r.History) > 1 {
		most := "  peak " + window.Thousands(slices.Max(r.History))
		width := historyWidth
		if term.Is {
			width = max(1, min(width, term.Columns-len(historyLabel)-len(most)))
		}
		text += "\n" + historyLabel + term.Sparkline(r.History, width, r.Window) + most + "\n"
	}
	return text
}

// windowLine names the model, its window and where that is stated. What does not fit beside the model follows below.
func (t *contextText) windowLine(term ui.Terminal) string {
	model := ui.EscapeLine(cmp.Or(t.window.Model, "no model yet"))
	words := fmt.Sprintf(", window of %s tokens", ui.Thousands(t.report.Window))
	source := "(" + ui.EscapeLine(t.window.SourceWords()) + ")"
	if !term.Is || ui.Width(model+words+" "+source) <= term.Columns {
		return model + words + " " + source
	}
	model = ui.CutMiddle(model, max(12, term.Columns-ui.Width(words)))
	return model + words + "\n" + ui.CutMiddle(source, max(12, term.Columns))
}

// tables lay out what fills the context: roles, and tools if any was called.
func (t *contextText) tables() (text string, hidden []string) {
	for _, part := range []struct {
		name  string
		sizes map[string]int64
	}{{"role", t.report.Roles}, {"tool", t.report.Tools}} {
		if len(part.sizes) == 0 {
			continue
		}
		table, without := t.LayOut(sizeTable(t.Output.Term, part.name, part.sizes))
		text += "\n" + table
		hidden = append(hidden, without...)
	}
	return text, hidden
}

// sizeTable lists how much each name fills, the largest first. The bars repeat the shares.
func sizeTable(term ui.Terminal, name string, sizes map[string]int64) *cli.Report {
	table := cli.NewReport(
		ui.Middle(name, 20),
		ui.Numbers("counted"),
		ui.Numbers("share", 1),
		ui.Words("", 2),
	)
	for _, p := range window.Parts(sizes) {
		table.Add(nil, p.Name, ui.Thousands(p.Tokens), ui.Percent(p.Share), term.Bar(p.Share, 30))
	}
	return table
}
