package flush

import (
	"time"

	"clawctl/pkg/config"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window"
)

// A Report is the JSON form of the prompts that a session calls for. Fields are added, never renamed.
type Report struct {
	SchemaVersion int     `json:"schema_version"`
	Session       string  `json:"session"`
	Tokens        int64   `json:"tokens"`
	Window        int64   `json:"window"`
	Percent       float64 `json:"percent"`
	Due           bool    `json:"due"`
	Threshold     float64 `json:"threshold,omitempty"` // the highest that is due
	InjectAs      string  `json:"inject_as,omitempty"`
	System        *string `json:"system"`
	User          *string `json:"user"`
	Context       string  `json:"context,omitempty"`
}

// Report describes the prompts for a session, which the settings led to, with the date filled in.
func (p Prompts) Report(session string, settings config.MemoryFlush, fill window.Fill, now time.Time) *Report {
	text := func(t *config.FlushThreshold) *string {
		if t == nil {
			return nil
		}
		text := Text(t, now)
		return &text
	}
	report := &Report{
		SchemaVersion: 1, Session: session, Tokens: fill.Tokens(), Window: fill.Window, Percent: fill.Percent(),
		System: text(p.System), User: text(p.Message),
	}
	if highest := p.Highest(); highest != nil {
		report.Due, report.Threshold, report.InjectAs = true, highest.Percent, string(highest.InjectAs)
	}
	if settings.Enabled && settings.ShowInSystemPrompt {
		report.Context = fill.String()
	}
	return report
}

// Totals sum up the crossings of several sessions, and what they do not cover. Fields are added, never renamed.
type Totals struct {
	SchemaVersion  int  `json:"schema_version"`
	Summary        bool `json:"summary"`
	Sessions       int  `json:"sessions"`
	Unmeasured     int  `json:"unmeasured"` // sessions without a known window
	Thresholds     int  `json:"thresholds"`
	Actioned       int  `json:"actioned"`
	ActionedMemory int  `json:"actioned_memory"`
}

// A History finds out what became of past thresholds in several sessions.
type History struct {
	Totals Totals

	thresholds []config.FlushThreshold
	counter    tokens.Counter
	window     int64 // of all sessions; 0 if each has its own
	find       window.FindModel
}

// NewHistory returns a history without sessions. A size of 0 leaves the window to each session, whose model find knows.
func NewHistory(
	thresholds []config.FlushThreshold, counter tokens.Counter, size int64, find window.FindModel,
) *History {
	return &History{
		thresholds: thresholds, counter: counter, window: size, find: find,
		Totals: Totals{SchemaVersion: 1, Summary: true},
	}
}

// Watch returns what watches the next session, whose registration may have a window, by the rules of a program. nil
// leaves it to the records.
func (h *History) Watch(registration int64, program rebuild.Program) *Watcher {
	windowOf := func(provider, model string) int64 {
		c := window.Candidates{CommandLine: h.window, Registration: registration, Provider: provider, Model: model}
		w, _ := c.Choose(h.find)
		return w.Tokens
	}
	return &Watcher{Thresholds: h.thresholds, Counter: h.counter, Program: program, Window: windowOf}
}

// Add adds what was seen of a session to the totals, and returns its crossings.
func (h *History) Add(session, place string, w *Watcher) []*Crossing {
	if h.Totals.Sessions++; !w.WindowKnown {
		h.Totals.Unmeasured++
	}
	for _, c := range w.Crossings {
		c.Session, c.Path = session, place
		h.Totals.Thresholds++
		if c.Actioned {
			h.Totals.Actioned++
		}
		if c.ActionedMemory {
			h.Totals.ActionedMemory++
		}
	}
	return w.Crossings
}
