package window

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"clawctl/internal/ui"
)

// A Report is the JSON form of how full a window is. Fields are added, never renamed.
type Report struct {
	SchemaVersion int              `json:"schema_version"`
	Session       string           `json:"session"`
	Harness       string           `json:"harness,omitempty"` // the program whose context it is, if that did the work
	Model         string           `json:"model"`
	Tokens        int64            `json:"tokens"`
	Window        int64            `json:"window"`
	Percent       float64          `json:"percent"`
	Recorded      int64            `json:"recorded"` // by the model, with the last answer that has usage
	Counted       int64            `json:"counted"`  // for what followed
	Next          int64            `json:"next"`
	Messages      int              `json:"messages"`
	Turns         int              `json:"turns"`
	SinceCheck    int              `json:"turns_since_checkpoint"`
	Thresholds    []Threshold      `json:"thresholds"`
	Roles         map[string]int64 `json:"roles"` // by clawctl's own count
	Tools         map[string]int64 `json:"tools"`
	History       []int64          `json:"history"` // what was recorded, answer by answer
	Encoding      string           `json:"encoding"`
	// RecordedBefore is set if recorded is from before the last compaction or reset. The percentage and the thresholds
	// are then those of estimated.
	RecordedBefore bool  `json:"recorded_before_compaction"`
	Estimated      int64 `json:"estimated"` // everything, as if nothing had been recorded
	// CountedBy is the program whose estimate counted is, or clawctl.
	CountedBy   string `json:"counted_by"`
	WindowFrom  string `json:"window_from"`            // flag, session or model
	WindowEntry string `json:"window_entry,omitempty"` // the entry of the catalogue, if it is from there
	// WindowAssumed says that the entry is about an older model of the same kind.
	WindowAssumed bool `json:"window_assumed,omitempty"`
	// The line of the provider's checkpoint that the context begins with, and how many messages it replaces.
	CheckpointLine     int64 `json:"provider_checkpoint_line,omitempty"`
	CheckpointReplaces int   `json:"provider_checkpoint_replaces,omitempty"`
}

// origins are the values of window_from, and the words for people.
var origins = map[Source]struct{ name, words string }{
	CommandLine:  {"flag", "set by --window"},
	Registration: {"session", "from the session's index entry"},
	ModelTable:   {"model", "known for"}, // the entry follows
}

// SourceWords say where the size of a window comes from.
func (w Window) SourceWords() string {
	if w.IsAssumed {
		return "assumed from " + w.Entry
	}
	return strings.TrimSpace(origins[w.Source].words + " " + w.Entry)
}

// Report describes the usage of a window. The names of the session and of the encoding are left to the caller.
func (u *Usage) Report(w Window, thresholds []Threshold) *Report {
	return &Report{
		SchemaVersion: 1, Model: w.Model, Tokens: u.Tokens(), Window: u.Window, Percent: u.Percent(), Recorded: u.Recorded,
		Counted: u.Counted, Next: u.Next, Messages: u.Messages, Turns: u.Turns, SinceCheck: u.TurnsSinceCheckpoint,
		Thresholds: thresholds, Roles: u.Roles, Tools: u.Tools, History: u.History, WindowFrom: origins[w.Source].name,
		WindowEntry: w.Entry, WindowAssumed: w.IsAssumed, CheckpointLine: u.Resumption.Line,
		CheckpointReplaces: u.Resumption.Replaced,
		RecordedBefore:     u.Stale, Estimated: u.Whole, CountedBy: u.CountedBy,
	}
}

// SizeWords say what the size of the context is made of.
func (f Fill) SizeWords() string {
	counted := map[bool]string{false: "counted", true: "estimated"}[f.Estimated]
	words := fmt.Sprintf("%s %s, none reported by the model", ui.Count(f.Counted, "token"), counted)
	switch {
	case f.Stale:
		words = fmt.Sprintf("%s %s, %s reported by the model before the last compaction", ui.Count(f.Whole, "token"),
			counted, ui.Thousands(f.Recorded))
	case f.Recorded > 0:
		words = fmt.Sprintf("%s reported by the model, %s %s since", ui.Count(f.Recorded, "token"),
			ui.Thousands(f.Counted), counted)
	}
	if f.Next > 0 {
		words += fmt.Sprintf(", %s to be sent", ui.Thousands(f.Next))
	}
	return words
}

// MarkWords list the thresholds of a kind, and say which of them are passed.
func (r *Report) MarkWords(kind Kind) string {
	var marks []string
	for _, t := range r.Thresholds {
		if t.Kind == kind {
			marks = append(marks, fmt.Sprintf("%g%%%s", t.Percent, map[bool]string{true: " passed"}[t.Passed]))
		}
	}
	return cmp.Or(strings.Join(marks, ", "), "off")
}

// A Part is what one role or tool fills.
type Part struct {
	Name   string
	Tokens int64
	Share  float64 // of all parts
}

// Parts returns sizes in order, the largest first.
func Parts(sizes map[string]int64) []Part {
	var total int64
	for _, n := range sizes {
		total += n
	}
	names := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), strings.Compare(a, b))
	})
	parts := make([]Part, len(names))
	for i, name := range names {
		parts[i] = Part{name, sizes[name], float64(sizes[name]) / float64(max(1, total))}
	}
	return parts
}
