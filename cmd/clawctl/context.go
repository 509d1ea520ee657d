package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"clawctl/pkg/compact"
	"clawctl/pkg/config"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/tokens"

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
	r := &contextReport{SchemaVersion: 1, Session: t.session.Name(), Model: context.Answering.ID, Roles: map[string]int64{}, Tools: map[string]int64{}, Encoding: ctx.String("encoding")}
	if err := r.measure(t, context, counter); err != nil {
		return nil, t.failed(err)
	}
	if next != "" {
		r.Next = int64(counter.Count(next)) + tokens.MessageOverhead
	}
	if r.Window, err = windowOf(ctx, t, context); err != nil {
		return nil, err
	}
	reserve, err := reserveOf(ctx, c, r.Window)
	if err != nil {
		return nil, err
	}
	r.judge(&c.Session, reserve)
	return r, nil
}

// reserveOf is what a compaction leaves free. Where nobody has said how much, a quarter of a small window is enough.
func reserveOf(ctx *cli.Context, c *config.Config, window int64) (int64, error) {
	switch n := int64(ctx.Int("reserve")); {
	case ctx.IsSet("reserve") && (n < 0 || n >= window):
		return 0, usageError("clawctl help "+ctx.Command.Name, "--reserve is less than the window of %d tokens and not negative, not %d", window, n)
	case ctx.IsSet("reserve"):
		return n, nil
	case c.IsSet("session.compaction.reserveTokens"):
		return int64(c.Session.Compaction.ReserveTokens), nil
	}
	return min(int64(c.Session.Compaction.ReserveTokens), window/4), nil
}

// measure adds up the context: the last recorded size, and what followed it.
func (r *contextReport) measure(t *transcript, context *rebuild.Context, counter tokens.Counter) error {
	checkpoint := t.index.LastCheckpoint()
	var fill rebuild.Fill
	err := context.Measure(t.again(), counter, func(m rebuild.Measured) {
		r.Messages++
		fill.Add(m)
		r.Roles[cmp.Or(m.Role, "unknown")] += int64(m.Tokens)
		if m.Tool != "" {
			r.Tools[m.Tool] += int64(m.Tokens)
		}
		if m.Role == jsonl.RoleUser {
			r.Turns++
			if m.Line > checkpoint {
				r.SinceCheck++
			}
		}
		if m.Recorded > 0 {
			r.History = append(r.History, m.Recorded)
		}
	})
	r.Recorded, r.Counted = fill.Recorded, fill.Counted
	return err
}

// isUnanswered reports whether no model has answered yet and nothing says whose window counts: then nothing can be due.
func (t *transcript) isUnanswered(ctx *cli.Context, context *rebuild.Context) bool {
	return context.Answering.ID == "" && !ctx.IsSet("window") && t.session.Entry.ContextTokens == 0
}

// windowOf returns the context window.
func windowOf(ctx *cli.Context, t *transcript, context *rebuild.Context) (int64, error) {
	if ctx.IsSet("window") {
		if ctx.Int("window") < 1 {
			return 0, usageError("clawctl help "+ctx.Command.Name, "--window is at least 1, not %d", ctx.Int("window"))
		}
		return int64(ctx.Int("window")), nil
	}
	if n := t.session.Entry.ContextTokens; n > 0 {
		return n, nil
	}
	if n, known := tokens.Window(context.Answering.ID); known {
		return int64(n), nil
	}
	return 0, usageError(t.commandLine("--window", "200000"), "the window of the model %q is not known", context.Answering.ID)
}

// judge decides what is passed.
func (r *contextReport) judge(s *config.Session, reserve int64) {
	r.Tokens = r.Recorded + r.Counted + r.Next
	r.Percent = float64(int64(1000*float64(r.Tokens)/float64(r.Window)+0.5)) / 10
	add := func(kind string, percent float64, at int64) {
		r.Thresholds = append(r.Thresholds, thresholdReport{kind, percent, at, r.Tokens >= at})
	}
	if s.Checkpoint.Enabled {
		for _, p := range s.Checkpoint.TokenThresholdPercents {
			add("checkpoint", p, compact.ShareOf(r.Window, p))
		}
	}
	if s.MemoryFlush.Enabled {
		for _, t := range s.MemoryFlush.Thresholds {
			add("flush", t.Percent, compact.ShareOf(r.Window, t.Percent))
		}
	}
	at := compact.DueAt(r.Window, reserve)
	add("compaction", float64(int64(1000*float64(at)/float64(r.Window)))/10, at)
}

func (a *app) printContext(r *contextReport) error {
	if a.format == "json" || a.format == "ndjson" {
		return a.print(jsonLine(r))
	}
	var b strings.Builder
	b.WriteString(compact.ContextLine(r.Tokens, r.Window) + "\n")
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
		fmt.Fprintf(&b, "\nover time  %s  %s at most\n", sparkline(r.History, 60, r.Window), compact.Thousands(slices.Max(r.History)))
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
