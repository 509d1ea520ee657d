package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"clawctl/pkg/config"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window"

	"github.com/urfave/cli/v2"
)

func contextCommand() *command {
	return &command{
		name: "context", group: "look", args: "[SOURCE]", summary: "how full a session's window is, with what, and what that triggers",
		about: "The context is what the model last recorded for it, cached tokens included, and our own count of what followed; where nothing was recorded since the last compaction, all of it is counted. " +
			"--next adds the message that is about to be sent.\n\n" +
			"The window is --window, else what sessions.json says of the session, else that of the model. " +
			"Checkpoints and memory flushes are due at the thresholds of the configuration (clawctl env), and a compaction where less than --reserve is left, a quarter of the window at most.",
		examples: []string{
			"clawctl context ~/.openclaw#agent:main:main",
			"clawctl context SESSION.jsonl --window 200000 --next draft.txt",
			"clawctl context SESSION.jsonl --json | jq .percent",
		},
		exits: []int{exitOK, exitUsage, exitDamaged, exitNothing, exitDatabase, exitLocked, exitInterrupted},
		flags: append(append(contextFlags(),
			&cli.IntFlag{Name: "reserve", Usage: "what a compaction leaves free, `N` tokens; default that of the configuration"}),
			sourceFlags()...),
		formats: []string{"table", "json", "ndjson"},
		run:     runContext,
	}
}

// contextFlags are those of commands that measure a context.
func contextFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "window", Usage: "the context window, `N` tokens"},
		&cli.StringFlag{Name: "next", Usage: "the message about to be sent, from `FILE` or - for stdin"},
		&cli.StringFlag{Name: "leaf", Usage: "end at the entry with this `ID` instead of the session's leaf"},
		&cli.StringFlag{Name: "encoding", Value: "cl100k_base", Usage: "count with `NAME`: cl100k_base, o200k_base or heuristic"},
	}
}

// A contextReport is the JSON form of how full a window is. Fields are added, never renamed.
type contextReport struct {
	SchemaVersion int               `json:"schema_version"`
	Session       string            `json:"session"`
	Model         string            `json:"model"`
	Tokens        int64             `json:"tokens"`
	Window        int64             `json:"window"`
	Percent       float64           `json:"percent"`
	Recorded      int64             `json:"recorded"` // by the model, for the last answer that has usage
	Counted       int64             `json:"counted"`  // by us, for what followed
	Next          int64             `json:"next"`
	Messages      int               `json:"messages"`
	Turns         int               `json:"turns"`
	SinceCheck    int               `json:"turns_since_checkpoint"`
	Thresholds    []thresholdReport `json:"thresholds"`
	Roles         map[string]int64  `json:"roles"` // by our own count
	Tools         map[string]int64  `json:"tools"`
	History       []int64           `json:"history"` // what was recorded, answer by answer
	Encoding      string            `json:"encoding"`

	fill window.Fill
}

type thresholdReport struct {
	Kind    string  `json:"kind"` // checkpoint, flush or compaction
	Percent float64 `json:"percent"`
	Tokens  int64   `json:"tokens"`
	Passed  bool    `json:"passed"`
}

func runContext(a *app, ctx *cli.Context) error {
	defer keepSmall()()
	t, _, r, err := a.measureContext(ctx)
	if err != nil {
		return err
	}
	if err := a.printContext(r); err != nil {
		return err
	}
	return t.damage
}

// measureContext reads the one session of a command and finds out how full its window is.
func (a *app) measureContext(ctx *cli.Context) (*transcript, *rebuild.Context, *contextReport, error) {
	next, err := a.nextMessage(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	session, err := a.oneSession(ctx, false)
	if err != nil {
		return nil, nil, nil, err
	}
	t, err := a.openTranscript(session)
	if err != nil {
		return nil, nil, nil, err
	}
	context, err := t.index.Context(ctx.String("leaf"))
	if err != nil {
		return nil, nil, nil, &failure{exit: exitNothing, code: codeNothing, path: t.name, text: err.Error()}
	}
	if ctx.Bool("if-needed") && t.isUnanswered(ctx, context) {
		return nil, nil, nil, errNothingDue
	}
	r, err := a.fillOf(ctx, t, context, next)
	return t, context, r, err
}

// errNothingDue ends a command that was to do something only where it is needed.
var errNothingDue = errors.New("nothing is due")

// nextMessage is the message of --next.
func (a *app) nextMessage(ctx *cli.Context) (string, error) {
	if ctx.String("next") == "-" && ctx.Args().First() == "-" {
		return "", usageError("clawctl help "+ctx.Command.Name, "stdin cannot be both the transcript and the next message")
	}
	return a.readText(ctx, "next")
}

// fillOf measures a context against its window and the thresholds of the configuration.
func (a *app) fillOf(ctx *cli.Context, t *transcript, context *rebuild.Context, next string) (*contextReport, error) {
	counter, err := counterNamed(ctx)
	if err != nil {
		return nil, err
	}
	c, err := a.configuration()
	if err != nil {
		return nil, err
	}
	usage, err := window.Measure(context, t.index.LastCheckpoint(), t.again(), counter)
	if err != nil {
		return nil, t.failed(err)
	}
	if next != "" {
		usage.Next = int64(counter.Count(next)) + tokens.MessageOverhead
	}
	w, err := windowOf(ctx, t, context)
	if err != nil {
		return nil, err
	}
	usage.Window = w.Tokens
	reserve, err := reserveOf(ctx, c, usage.Window)
	if err != nil {
		return nil, err
	}
	r := newContextReport(usage, usage.Thresholds(&c.Session, reserve))
	r.Session, r.Model, r.Encoding = t.session.Name(), context.Answering.ID, ctx.String("encoding")
	return r, nil
}

// reserveOf is what a compaction leaves free.
func reserveOf(ctx *cli.Context, c *config.Config, size int64) (int64, error) {
	switch n := int64(ctx.Int("reserve")); {
	case ctx.IsSet("reserve") && (n < 0 || n >= size):
		return 0, usageError("clawctl help "+ctx.Command.Name, "--reserve is less than the window of %d tokens and not negative, not %d", size, n)
	case ctx.IsSet("reserve"):
		return n, nil
	}
	return window.Reserve(c, size), nil
}

// isUnanswered reports whether no model has answered yet and nothing says whose window counts: then nothing can be due.
func (t *transcript) isUnanswered(ctx *cli.Context, context *rebuild.Context) bool {
	return !ctx.IsSet("window") && t.windowCandidates(ctx, context).AreEmpty()
}

// windowCandidates are the sizes that flags, registration and model state.
func (t *transcript) windowCandidates(ctx *cli.Context, context *rebuild.Context) window.Candidates {
	return window.Candidates{
		CommandLine: int64(ctx.Int("window")), Registration: t.session.Entry.ContextTokens, Model: context.Answering.ID,
	}
}

// windowOf returns the context window.
func windowOf(ctx *cli.Context, t *transcript, context *rebuild.Context) (window.Window, error) {
	if ctx.IsSet("window") && ctx.Int("window") < 1 {
		return window.Window{}, usageError("clawctl help "+ctx.Command.Name, "--window is at least 1, not %d", ctx.Int("window"))
	}
	w, err := t.windowCandidates(ctx, context).Choose()
	if err != nil {
		return w, usageError(t.commandLine("--window", "200000"), "%v", err)
	}
	return w, nil
}

// newContextReport is the report of what fills a window.
func newContextReport(u *window.Usage, thresholds []window.Threshold) *contextReport {
	r := &contextReport{
		SchemaVersion: 1, Tokens: u.Tokens(), Window: u.Window, Percent: u.Percent(), Recorded: u.Recorded, Counted: u.Counted, Next: u.Next,
		Messages: u.Messages, Turns: u.Turns, SinceCheck: u.TurnsSinceCheckpoint, Roles: u.Roles, Tools: u.Tools, History: u.History,
		fill: u.Fill,
	}
	for _, t := range thresholds {
		r.Thresholds = append(r.Thresholds, thresholdReport{string(t.Kind), t.Percent, t.Tokens, t.Passed})
	}
	return r
}

func (a *app) printContext(r *contextReport) error {
	if a.format == "json" || a.format == "ndjson" {
		return a.print(jsonLine(r))
	}
	var b strings.Builder
	b.WriteString(r.fill.String() + "\n")
	share := min(1, float64(r.Tokens)/float64(r.Window))
	fmt.Fprintf(&b, "▕%-40s▏\n\n", bar(share, 40))
	fmt.Fprintf(&b, "%s recorded, %s counted since, %s to come; %s, %s, %s since the last checkpoint\n", group(r.Recorded), group(r.Counted), group(r.Next),
		counted(r.Messages, "message"), counted(r.Turns, "turn"), counted(r.SinceCheck, "turn"))
	for _, kind := range []string{"checkpoint", "flush", "compaction"} {
		var marks []string
		for _, t := range r.Thresholds {
			if t.Kind == kind {
				marks = append(marks, fmt.Sprintf("%g %%%s", t.Percent, map[bool]string{true: " passed"}[t.Passed]))
			}
		}
		fmt.Fprintf(&b, "%-10s %s\n", kind, cmp.Or(strings.Join(marks, ", "), "off"))
	}
	if len(r.History) > 1 {
		fmt.Fprintf(&b, "\nover time  %s  %s at most\n", sparkline(r.History, 60, r.Window), window.Thousands(slices.Max(r.History)))
	}
	for _, part := range []struct {
		name  string
		sizes map[string]int64
	}{{"role", r.Roles}, {"tool", r.Tools}} {
		if len(part.sizes) == 0 {
			continue
		}
		text, err := a.layOut(sizesReport(part.name, part.sizes))
		if err != nil {
			return err
		}
		b.WriteString("\n" + text)
	}
	return a.print(b.String())
}

// sizesReport lists what each name holds, the largest first.
func sizesReport(name string, sizes map[string]int64) *report {
	var total int64
	for _, n := range sizes {
		total += n
	}
	table := &report{columns: []column{{name: name}, {"counted", true}, {"share", true}, {name: ""}}}
	names := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int { return cmp.Or(cmp.Compare(sizes[b], sizes[a]), strings.Compare(a, b)) })
	for _, n := range names {
		share := float64(sizes[n]) / float64(max(1, total))
		table.add(nil, n, group(sizes[n]), fmt.Sprintf("%.1f %%", 100*share), bar(share, 30))
	}
	return table
}

// sparkline draws values in a width, the highest of those that fall on one place, against a full scale.
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
