package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/window"
)

func newContextCommand() *cli.Command {
	o := &contextOptions{WindowOptions: reading.NewWindowOptions()}
	c := &cli.Command{
		Name: "context", Group: "measure", Operands: "[SOURCE]", Summary: "Show how full a session's context window is",
		About: "Shows the size of the context, what fills it, and which thresholds it has passed. The size is what the " +
			"model recorded with its last answer, cached tokens included, plus clawctl's own count of what followed. If " +
			"nothing was recorded since the last compaction, everything is counted. --next adds the message that is about to " +
			"be sent.\n\n" +
			"The window is that of --window, otherwise what sessions.json states for the session, otherwise the known window " +
			"of the model.\n\n" +
			"The thresholds of checkpoints and memory flushes come from the configuration (see clawctl env). A compaction is " +
			"due if less than --reserve is left. Unless --reserve or your configuration says otherwise, that is at most a " +
			"quarter of the window.\n\n" +
			"Without SOURCE, clawctl looks for the session in your state folder.",
		Examples: []cli.Example{
			{"Show one session by its key", "clawctl context agent:main:main"},
			{"Try another window and a message to come", "clawctl context SESSION.jsonl --window 200k --next draft.txt"},
			{"Print the percentage for a script", "clawctl context SESSION.jsonl --json | jq .percent"},
		},
		Exits: []int{
			failure.ExitOK, failure.ExitUsage, failure.ExitDamaged, failure.ExitNothing, failure.ExitDatabase,
			failure.ExitLocked, failure.ExitInterrupted,
		},
		Paged:   true,
		Flags:   o.flags(),
		Formats: []string{"table", "json", "ndjson"},
	}
	c.Run = func(a *cli.App, operands []string) error { return o.run(a, c, operands) }
	return c
}

// contextOptions are the flags of context.
type contextOptions struct {
	cli.SourceOptions
	reading.WindowOptions
	next    reading.NextOption
	reserve reading.ReserveOption
}

func (o *contextOptions) flags() []cli.Flag {
	return slices.Concat(
		o.WindowOptions.Flags("the context window in tokens, such as 200k or 1M"),
		[]cli.Flag{o.next.Flag(), o.reserve.Flag()},
		o.SourceOptions.Flags(),
	)
}

func (o *contextOptions) run(a *cli.App, c *cli.Command, operands []string) error {
	defer reading.KeepSmall()()
	next, err := o.next.Read(a, c, operands)
	if err != nil {
		return err
	}
	settings, err := a.Configuration()
	if err != nil {
		return err
	}
	s := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly}
	session, err := reading.OpenContext(a, c, operands, s, &o.WindowOptions, (&writing.AppendOptions{}).Allows)
	if err != nil {
		return err
	}
	w, err := session.ChooseWindow()
	if err != nil {
		return err
	}
	reserve, err := o.reserve.Of(w.Tokens, settings, c)
	if err != nil {
		return err
	}
	usage, err := session.Measure(w, next)
	if err != nil {
		return err
	}
	report := newContextReport(usage, w, usage.Thresholds(&settings.Session, reserve))
	report.Session, report.Encoding = session.Transcript.Session.Name(), o.Encoding
	if err := printContext(a, report); err != nil {
		return err
	}
	return session.Transcript.Damage
}

// A contextReport is the JSON form of how full a window is. Fields are added, never renamed.
type contextReport struct {
	SchemaVersion int               `json:"schema_version"`
	Session       string            `json:"session"`
	Model         string            `json:"model"`
	Tokens        int64             `json:"tokens"`
	Window        int64             `json:"window"`
	Percent       float64           `json:"percent"`
	Recorded      int64             `json:"recorded"` // by the model, with the last answer that has usage
	Counted       int64             `json:"counted"`  // by clawctl, for what followed
	Next          int64             `json:"next"`
	Messages      int               `json:"messages"`
	Turns         int               `json:"turns"`
	SinceCheck    int               `json:"turns_since_checkpoint"`
	Thresholds    []thresholdReport `json:"thresholds"`
	Roles         map[string]int64  `json:"roles"` // by clawctl's own count
	Tools         map[string]int64  `json:"tools"`
	History       []int64           `json:"history"` // what was recorded, answer by answer
	Encoding      string            `json:"encoding"`
	WindowFrom    string            `json:"window_from"` // flag, session or model

	fill   window.Fill
	origin window.Source
}

type thresholdReport struct {
	Kind    string  `json:"kind"` // checkpoint, flush or compaction
	Percent float64 `json:"percent"`
	Tokens  int64   `json:"tokens"`
	Passed  bool    `json:"passed"`
}

// windowOrigins are the values of window_from, and the words for people.
var windowOrigins = map[window.Source]struct{ name, words string }{
	window.CommandLine:  {"flag", "set by --window"},
	window.Registration: {"session", "from the session's index entry"},
	window.ModelTable:   {"model", "known for this model"},
}

func newContextReport(u *window.Usage, w window.Window, thresholds []window.Threshold) *contextReport {
	r := &contextReport{
		SchemaVersion: 1, Model: w.Model, Tokens: u.Tokens(), Window: u.Window, Percent: u.Percent(), Recorded: u.Recorded,
		Counted: u.Counted, Next: u.Next, Messages: u.Messages, Turns: u.Turns, SinceCheck: u.TurnsSinceCheckpoint,
		Roles: u.Roles, Tools: u.Tools, History: u.History, WindowFrom: windowOrigins[w.Source].name,
		fill: u.Fill, origin: w.Source,
	}
	for _, t := range thresholds {
		r.Thresholds = append(r.Thresholds, thresholdReport{string(t.Kind), t.Percent, t.Tokens, t.Passed})
	}
	return r
}

func printContext(a *cli.App, r *contextReport) error {
	if a.WantsJSON() {
		return a.Print(cli.JSONLine(r))
	}
	tables, hidden, err := sizeTables(a, r)
	if err != nil {
		return err
	}
	if err := a.PrintStyled(r.text(a.Output.Term) + tables); err != nil {
		return err
	}
	a.NoteHidden(hidden)
	return nil
}

// fillWidth is how wide a full window is drawn.
const fillWidth = 40

// text is the report without its tables.
func (r *contextReport) text(term ui.Terminal) string {
	share := min(1, float64(r.Tokens)/float64(r.Window))
	text := r.fill.String() + "\n" +
		r.windowLine(term) + "\n" +
		fmt.Sprintf("▕%-*s▏\n\n", fillWidth, ui.Bar(share, fillWidth)) +
		r.sizeLine() + "\n" +
		fmt.Sprintf("%s, %s, %s since the last checkpoint\n", ui.Count(r.Messages, "message"), ui.Count(r.Turns, "turn"),
			ui.Thousands(int64(r.SinceCheck)))
	for _, kind := range []string{"checkpoint", "flush", "compaction"} {
		text += cli.Labelled(term, fmt.Sprintf("%-10s ", kind), r.marks(kind)) + "\n"
	}
	if len(r.History) > 1 {
		text += "\n" + r.historyLine(term) + "\n"
	}
	return text
}

// windowLine names the model, its window and where that is stated.
func (r *contextReport) windowLine(term ui.Terminal) string {
	model := ui.EscapeLine(cmp.Or(r.Model, "no model yet"))
	window := fmt.Sprintf(", window of %s tokens (%s)", ui.Thousands(r.Window), windowOrigins[r.origin].words)
	if term.Is {
		model = ui.CutMiddle(model, max(12, term.Columns-ui.Width(window)))
	}
	return model + window
}

// sizeLine says what the size of the context is made of.
func (r *contextReport) sizeLine() string {
	if r.Recorded == 0 {
		return ui.Count(r.Counted, "token") + " counted, none reported by the model" + r.nextWords()
	}
	return fmt.Sprintf("%s reported by the model, %s counted since", ui.Count(r.Recorded, "token"),
		ui.Thousands(r.Counted)) + r.nextWords()
}

func (r *contextReport) nextWords() string {
	if r.Next == 0 {
		return ""
	}
	return fmt.Sprintf(", %s to be sent", ui.Thousands(r.Next))
}

// marks are the thresholds of a kind.
func (r *contextReport) marks(kind string) string {
	var marks []string
	for _, t := range r.Thresholds {
		if t.Kind == kind {
			marks = append(marks, fmt.Sprintf("%g%%%s", t.Percent, map[bool]string{true: " passed"}[t.Passed]))
		}
	}
	return cmp.Or(strings.Join(marks, ", "), "off")
}

// historyLine draws how the context grew.
func (r *contextReport) historyLine(term ui.Terminal) string {
	const label, widest = "over time  ", 60
	most := "  peak " + window.Thousands(slices.Max(r.History))
	width := widest
	if term.Is {
		width = max(1, min(widest, term.Columns-len(label)-len(most)))
	}
	return label + sparkline(r.History, width, r.Window) + most
}

// sizeTables lays out what fills the context: roles, and tools if any was called.
func sizeTables(a *cli.App, r *contextReport) (text string, hidden []string, err error) {
	for _, part := range []struct {
		name  string
		sizes map[string]int64
	}{{"role", r.Roles}, {"tool", r.Tools}} {
		if len(part.sizes) == 0 {
			continue
		}
		table, without, err := a.LayOut(sizeTable(part.name, part.sizes))
		if err != nil {
			return "", nil, err
		}
		text += "\n" + table
		hidden = append(hidden, without...)
	}
	return text, hidden, nil
}

// sizeTable lists how much each name fills, the largest first. The bars repeat the shares.
func sizeTable(name string, sizes map[string]int64) *cli.Report {
	var total int64
	for _, n := range sizes {
		total += n
	}
	table := cli.NewReport(
		ui.Column{Name: name, Cut: ui.InMiddle, Min: 20},
		ui.Column{Name: "counted", Right: true},
		ui.Column{Name: "share", Right: true, Rank: 1},
		ui.Column{Rank: 2},
	)
	names := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), strings.Compare(a, b))
	})
	for _, n := range names {
		share := float64(sizes[n]) / float64(max(1, total))
		table.Add(nil, n, ui.Thousands(sizes[n]), ui.Percent(share), ui.Bar(share, 30))
	}
	return table
}

// sparkline draws values in a width against a full scale; of several values in one place, the highest.
func sparkline(values []int64, width int, full int64) string {
	width = min(width, len(values))
	var b strings.Builder
	for i := range width {
		from, to := i*len(values)/width, (i+1)*len(values)/width
		level := int(float64(slices.Max(values[from:to]))/float64(max(1, full))*8 + 0.5)
		b.WriteRune([]rune("▁▁▂▃▄▅▆▇█")[max(0, min(8, level))])
	}
	return b.String()
}
