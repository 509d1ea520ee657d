package main

import (
	"fmt"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/config"
	"clawctl/pkg/flush"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window"
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

// A flushSummary is the last object of the report: the totals, and what they do not cover.
type flushSummary struct {
	SchemaVersion  int  `json:"schema_version"`
	Summary        bool `json:"summary"`
	Sessions       int  `json:"sessions"`
	Unmeasured     int  `json:"unmeasured"` // sessions without a known window
	Thresholds     int  `json:"thresholds"`
	Actioned       int  `json:"actioned"`
	ActionedMemory int  `json:"actioned_memory"`
}

// A flushHistory is what became of past thresholds.
type flushHistory struct {
	app        *cli.App
	thresholds []config.FlushThreshold
	counter    tokens.Counter
	size       *int64 // --window
	table      *cli.Report
	totals     flushSummary
	reader     jsonl.Reader
}

// runReport prints what became of past thresholds.
func (o *flushOptions) runReport(a *cli.App, thresholds []config.FlushThreshold, operands []string) error {
	h := &flushHistory{
		app: a, thresholds: thresholds, counter: o.Counter(), size: o.Size,
		table: cli.NewReport(
			ui.Column{Name: "session", Cut: ui.InMiddle, Min: 18},
			ui.Column{Name: "line", Right: true},
			ui.Column{Name: "threshold", Right: true},
			ui.Column{Name: "tokens", Right: true, Rank: 1},
			ui.Column{Name: "delivered"},
			ui.Column{Name: "actioned"},
			ui.Column{Name: "memory"},
		),
		totals: flushSummary{SchemaVersion: 1, Summary: true},
	}
	err := cli.EachSession(a, operands, cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly}, h.take)
	a.Progress.End()
	if a.Ctx.Err() != nil || err != nil && !failure.KeepsOutput(err) && h.totals.Sessions == 0 {
		return err
	}
	if printErr := h.print(); printErr != nil {
		return printErr
	}
	return err
}

// take finds the thresholds that one session passed.
func (h *flushHistory) take(s *source.Session, in *source.Input) error {
	w := &flush.Watcher{Thresholds: h.thresholds, Counter: h.counter, Window: h.windowOf(s)}
	damage := &cli.DamageLog{Console: h.app.Console, Name: in.Name}
	h.reader.Reset(in, jsonl.Options{BeforeRead: h.app.Ctx.Err})
	for rec, err := range h.reader.All() {
		if err != nil {
			return cli.ReadError(h.app, in.Name, err)
		}
		damage.Count(rec)
		w.Take(rec)
	}
	if h.totals.Sessions++; !w.WindowKnown {
		h.totals.Unmeasured++
	}
	for _, c := range w.Crossings {
		h.add(s, c)
	}
	return damage.Finish(h.reader.Dialect())
}

// windowOf returns the window of a session for each model that answers in it, 0 if it is not known.
func (h *flushHistory) windowOf(s *source.Session) func(model string) int64 {
	return func(model string) int64 {
		candidates := window.Candidates{Registration: s.Entry.ContextTokens, Model: model}
		if h.size != nil {
			candidates.CommandLine = *h.size
		}
		w, _ := candidates.Choose()
		return w.Tokens
	}
}

// add adds a row.
func (h *flushHistory) add(s *source.Session, c *flush.Crossing) {
	row := crossingReport{
		SchemaVersion: 1, Session: s.Name(), Path: s.Place(), Line: c.Line, EntryID: c.Entry, Cycle: c.Cycle,
		Threshold: c.Threshold.Percent, InjectAs: string(c.Threshold.InjectAs), Tokens: c.Tokens, Window: c.Window,
		Delivered: c.Delivered, Actioned: c.Actioned, ActionedMemory: c.ActionedMemory,
	}
	if !c.Time.IsZero() {
		row.Time = c.Time.UTC().Format(time.RFC3339)
	}
	yes := map[bool]string{true: "yes", false: "no"}
	h.table.Add(row, row.Session, fmt.Sprint(row.Line), fmt.Sprintf("%g%%", row.Threshold), ui.Thousands(row.Tokens),
		yes[row.Delivered], yes[row.Actioned], yes[row.ActionedMemory])
	h.totals.Thresholds++
	if c.Actioned {
		h.totals.Actioned++
	}
	if c.ActionedMemory {
		h.totals.ActionedMemory++
	}
}

// print prints the rows and the totals: for people on stderr, for programs as the last object.
func (h *flushHistory) print() error {
	if h.app.WantsJSON() {
		h.table.AddObject(h.totals)
	}
	if err := h.app.PrintReport(h.table); err != nil {
		return err
	}
	h.app.Note("%s: %s passed, %d actioned, %d of them in memory/", ui.Count(h.totals.Sessions, "session"),
		ui.Count(h.totals.Thresholds, "threshold"), h.totals.Actioned, h.totals.ActionedMemory)
	if h.totals.Unmeasured > 0 {
		h.app.Note("left out %s whose model has no known window; --window sets one", ui.Count(h.totals.Unmeasured, "session"))
	}
	return nil
}
