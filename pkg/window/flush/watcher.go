package flush

import (
	"slices"
	"strings"
	"time"

	"clawctl/pkg/config"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/fileuse"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window"
)

// A Crossing is a past event in which the context of a session passed a threshold, and what the model did about it: in
// the rest of the turn in which the context grew, or in the turn after the record of the delivery.
//
// Its fields are those of JSON: fields are added, never renamed.
type Crossing struct {
	SchemaVersion  int             `json:"schema_version"`
	Session        string          `json:"session"`
	Path           string          `json:"path"`
	Line           int64           `json:"line"`
	EntryID        string          `json:"entry_id,omitempty"`
	Time           string          `json:"time,omitempty"`
	Cycle          int             `json:"cycle"` // how many compactions and resets came before
	Threshold      float64         `json:"threshold"`
	InjectAs       config.Delivery `json:"inject_as"`
	Tokens         int64           `json:"tokens"` // of the context
	Window         int64           `json:"window"`
	Delivered      bool            `json:"delivered"`       // a record of the delivery exists
	Actioned       bool            `json:"actioned"`        // a file was written or edited
	ActionedMemory bool            `json:"actioned_memory"` // that file was in a memory folder

	answered bool // the model has answered since
}

// A Watcher finds the crossings of a session, record by record.
type Watcher struct {
	Thresholds []config.FlushThreshold
	Counter    tokens.Counter
	Program    rebuild.Program // whose rules measure the context; nil leaves it to the records
	// Window returns the context window of a model, or 0 if it is unknown. Without a window, no threshold is passed.
	Window func(provider, model string) int64

	Crossings   []*Crossing
	WindowKnown bool // the window was known at some point

	fill    window.Fill
	cycle   int
	crossed map[float64]*Crossing // in this cycle
	open    []*Crossing           // whose turn has not ended
}

// Take reads the next record.
func (w *Watcher) Take(rec *jsonl.Record) {
	if !rec.Legible() {
		return
	}
	switch rec.Type() {
	case jsonl.TypeCompaction, jsonl.TypeReset:
		w.newCycle(rec)
		return
	}
	if d, ok := deliveryOf(rec); ok {
		w.deliver(d, rec)
		return
	}
	if m, ok := rec.Message(); ok && !m.IsMirror() {
		w.message(m, rec)
	}
}

func (w *Watcher) newCycle(rec *jsonl.Record) {
	compaction, _ := rec.Compaction()
	w.fill.Recorded, w.fill.Counted, w.fill.Whole = 0, compaction.TokensAfter, compaction.TokensAfter
	w.open, w.crossed = nil, nil
	w.cycle++
}

// message measures the context with one more message, and notes what the model does.
func (w *Watcher) message(m jsonl.Message, rec *jsonl.Record) {
	role := m.Role()
	if role == jsonl.RoleUser {
		w.open = slices.DeleteFunc(w.open, func(c *Crossing) bool { return c.answered })
	}
	w.measure(m, rec)
	for _, t := range w.Thresholds {
		if w.fill.Window > 0 && w.crossed[t.Percent] == nil && w.fill.Reaches(t.Percent) {
			w.cross(t, rec)
		}
	}
	if role == jsonl.RoleAssistant {
		w.watchCalls(m)
	}
}

// measure adds a message to the context.
func (w *Watcher) measure(m jsonl.Message, rec *jsonl.Record) {
	if model := m.Model(); model != "" || w.fill.Window == 0 {
		if n := w.Window(m.Provider(), model); n > 0 {
			w.fill.Window, w.WindowKnown = n, true
		}
	}
	w.fill.Add(rebuild.MeasureAlone(w.Program, rec, w.Counter))
}

// cross notes that a threshold was passed.
func (w *Watcher) cross(t config.FlushThreshold, rec *jsonl.Record) *Crossing {
	c := &Crossing{
		SchemaVersion: 1, Line: rec.Line, EntryID: rec.ID(), Cycle: w.cycle, Threshold: t.Percent, InjectAs: t.InjectAs,
		Tokens: w.fill.Tokens(), Window: w.fill.Window,
	}
	if at, _ := rec.Time(); !at.IsZero() {
		c.Time = at.UTC().Format(time.RFC3339)
	}
	if w.crossed == nil {
		w.crossed = map[float64]*Crossing{}
	}
	w.crossed[t.Percent] = c
	w.Crossings, w.open = append(w.Crossings, c), append(w.open, c)
	return c
}

// deliver makes the turn after a delivery the one in which the model was asked. A delivery includes the message that
// was about to be sent, so it may come before the crossing.
func (w *Watcher) deliver(d Delivery, rec *jsonl.Record) {
	at := slices.IndexFunc(w.Thresholds, func(t config.FlushThreshold) bool { return t.Percent == d.Percent })
	if at < 0 {
		return
	}
	c := w.crossed[d.Percent]
	if c == nil {
		c = w.cross(w.Thresholds[at], rec)
	} else if !slices.Contains(w.open, c) {
		w.open = append(w.open, c)
	}
	c.Delivered, c.Actioned, c.ActionedMemory, c.answered = true, false, false, false
}

// watchCalls notes calls that write files.
func (w *Watcher) watchCalls(m jsonl.Message) {
	writes, memory := false, false
	for b := range m.Blocks() {
		call, ok := b.ToolCall()
		if !ok || !fileuse.Writes(call.Name) {
			continue
		}
		writes = true
		memory = memory || slices.ContainsFunc(fileuse.Paths(call.Arguments), inMemory)
	}
	for _, c := range w.open {
		c.answered = true
		c.Actioned, c.ActionedMemory = c.Actioned || writes, c.ActionedMemory || memory
	}
}

// inMemory reports whether a path contains a folder named memory.
func inMemory(path string) bool {
	folders := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	return len(folders) > 0 && slices.Contains(folders[:len(folders)-1], "memory")
}
