package main

import (
	"errors"
	"fmt"
	"time"

	"clawctl/pkg/flush"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window"

	"github.com/urfave/cli/v2"
)

// A crossingReport is the JSON form of one threshold that was passed. Fields are added, never renamed.
type crossingReport struct {
	SchemaVersion  int     `json:"schema_version"`
	Session        string  `json:"session"`
	Path           string  `json:"path"`
	Line           int64   `json:"line"`
	EntryID        string  `json:"entry_id,omitempty"`
	Time           string  `json:"time,omitempty"`
	Cycle          int     `json:"cycle"` // how many compactions and resets came before
	Threshold      float64 `json:"threshold"`
	InjectAs       string  `json:"inject_as"`
	Tokens         int64   `json:"tokens"`
	Window         int64   `json:"window"`
	Delivered      bool    `json:"delivered"`
	Actioned       bool    `json:"actioned"`
	ActionedMemory bool    `json:"actioned_memory"`
}

// A flushSummary is the last object of the report: what the others come to, and what they do not cover.
type flushSummary struct {
	SchemaVersion  int  `json:"schema_version"`
	Summary        bool `json:"summary"`
	Sessions       int  `json:"sessions"`
	Unmeasured     int  `json:"unmeasured"` // sessions without a known window
	Thresholds     int  `json:"thresholds"`
	Actioned       int  `json:"actioned"`
	ActionedMemory int  `json:"actioned_memory"`
}

// A flushReportRun is one run of flush --report.
type flushReportRun struct {
	*app
	counter tokens.Counter
	window  int // of --window, 0 where the sessions say
	table   *report
	reader  jsonl.Reader

	sum flushSummary
}

func runFlushReport(a *app, ctx *cli.Context) error {
	for _, flag := range []string{"record", "if-needed", "next", "leaf", "date"} {
		if ctx.IsSet(flag) {
			return usageError("clawctl help flush", "--report looks back; --%s is about the next turn", flag)
		}
	}
	if ctx.IsSet("window") && ctx.Int("window") < 1 {
		return usageError("clawctl help flush", "--window is at least 1, not %d", ctx.Int("window"))
	}
	if _, err := a.configuration(); err != nil {
		return err
	}
	counter, err := counterNamed(ctx)
	if err != nil {
		return err
	}
	args := ctx.Args().Slice()
	if len(args) == 0 {
		if args, err = a.stateDir(); err != nil {
			return err
		}
	}
	r := &flushReportRun{app: a, sum: flushSummary{SchemaVersion: 1, Summary: true}, counter: counter, window: ctx.Int("window"), table: &report{columns: []column{
		{name: "session"}, {"line", true}, {"threshold", true}, {"tokens", true}, {name: "delivered"}, {name: "actioned"}, {name: "memory"}}}}
	err = a.eachSession(ctx, args, r.session)
	if err != nil && !keepsOutput(err) && r.sum.Sessions == 0 {
		return err
	}
	return errors.Join(r.print(), err)
}

// session finds the thresholds that one session passed.
func (r *flushReportRun) session(s *source.Session, in *source.Input) error {
	w := &flush.Watcher{Thresholds: r.config.Session.MemoryFlush.Thresholds, Counter: r.counter, Window: r.windowOf(s)}
	damage := &damageLog{app: r.app, name: in.Name}
	r.reader.Reset(in, jsonl.Options{BeforeRead: r.ctx.Err})
	for rec, err := range r.reader.All() {
		if err != nil {
			return r.readError(in.Name, err)
		}
		damage.count(rec)
		w.Take(rec)
	}
	if r.sum.Sessions++; !w.WindowKnown {
		r.sum.Unmeasured++
	}
	for _, c := range w.Crossings {
		r.add(s, c)
	}
	return damage.finish(r.reader.Dialect())
}

// windowOf returns what the window of a session is, whichever model answers.
func (r *flushReportRun) windowOf(s *source.Session) func(model string) int64 {
	return func(model string) int64 {
		w, _ := window.Candidates{CommandLine: int64(r.window), Registration: s.Entry.ContextTokens, Model: model}.Choose()
		return w.Tokens
	}
}

func (r *flushReportRun) add(s *source.Session, c *flush.Crossing) {
	row := crossingReport{
		SchemaVersion: 1, Session: s.Name(), Path: s.Place(), Line: c.Line, EntryID: c.Entry, Cycle: c.Cycle,
		Threshold: c.Threshold.Percent, InjectAs: string(c.Threshold.InjectAs), Tokens: c.Tokens, Window: c.Window,
		Delivered: c.Delivered, Actioned: c.Actioned, ActionedMemory: c.ActionedMemory,
	}
	if !c.Time.IsZero() {
		row.Time = c.Time.UTC().Format(time.RFC3339)
	}
	yes := map[bool]string{true: "yes", false: "no"}
	r.table.add(row, row.Session, fmt.Sprint(row.Line), fmt.Sprintf("%g %%", row.Threshold), group(row.Tokens), yes[row.Delivered], yes[row.Actioned], yes[row.ActionedMemory])
	r.sum.Thresholds++
	if c.Actioned {
		r.sum.Actioned++
	}
	if c.ActionedMemory {
		r.sum.ActionedMemory++
	}
}

// print prints the crossings, and what they come to: for people on stderr, for programs as the last object.
func (r *flushReportRun) print() error {
	if r.format == "json" || r.format == "ndjson" {
		r.table.objects = append(r.table.objects, r.sum)
	}
	if err := r.printReport(r.table); err != nil {
		return err
	}
	r.note("%s: %s passed, %d actioned, %d of them in memory/", counted(r.sum.Sessions, "session"), counted(r.sum.Thresholds, "threshold"), r.sum.Actioned, r.sum.ActionedMemory)
	if r.sum.Unmeasured > 0 {
		r.note("%s left out: no model with a known window; --window N says it", counted(r.sum.Unmeasured, "session"))
	}
	return nil
}
