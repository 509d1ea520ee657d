package compact

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"clawctl/pkg/config"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/window"
)

// Memory flush:
//
//   - A threshold is passed where the context is at or over its share of the window. Of several the highest counts.
//   - A prompt for the system prompt is due as long as its threshold is passed. A message is due once a cycle: what was
//     delivered stands as a custom record behind the last compaction or reset, and silences the thresholds up to its own.
//   - A threshold may ask for the other behaviour (config.FlushThreshold.Once).

// FlushType is the customType of the record that says that a flush was delivered.
const FlushType = "clawctl.flush"

// A Delivered flush is one that a record of this cycle tells of.
type Delivered struct {
	Percent  float64         `json:"percent"`
	InjectAs config.Delivery `json:"injectAs"`
}

// A FlushDue is what a context of this size asks for; nil stands for nothing.
type FlushDue struct {
	System  *config.FlushThreshold // for the system prompt
	Message *config.FlushThreshold // for a message
	// Record is the higher of the two, unless a record of this cycle tells of it or, where it is repeated anyway, of a higher
	// one.
	Record *config.FlushThreshold
}

// Highest returns the due threshold that counts most.
func (d FlushDue) Highest() *config.FlushThreshold {
	if d.Message != nil && (d.System == nil || d.Message.Percent >= d.System.Percent) {
		return d.Message
	}
	return d.System
}

// DueFlush decides which prompts are due.
func DueFlush(flush config.MemoryFlush, fill window.Fill, delivered []Delivered) (due FlushDue) {
	if !flush.Enabled {
		return due
	}
	var silenced [2]float64 // up to which percentage messages, and system prompts, were delivered
	for _, d := range delivered {
		silenced[kindOf(d.InjectAs)] = max(silenced[kindOf(d.InjectAs)], d.Percent)
	}
	passed := highestPassed(flush.Thresholds, fill)
	for kind, t := range passed {
		switch {
		case t == nil || t.Once && t.Percent <= silenced[kind]:
			continue
		case kind == systemKind:
			due.System = t
		default:
			due.Message = t
		}
		recorded := max(silenced[messageKind], silenced[systemKind])
		if t.Once {
			recorded = silenced[kind] // only a record of its own kind keeps it from being repeated
		}
		if t.Percent > recorded && (due.Record == nil || t.Percent > due.Record.Percent) {
			due.Record = t
		}
	}
	return due
}

// The two kinds of delivery.
const (
	messageKind = iota
	systemKind
)

func kindOf(d config.Delivery) int {
	if d == config.System {
		return systemKind
	}
	return messageKind
}

// highestPassed returns the highest threshold of each kind that is passed.
func highestPassed(thresholds []config.FlushThreshold, fill window.Fill) (passed [2]*config.FlushThreshold) {
	for i, t := range thresholds {
		if kind := kindOf(t.InjectAs); fill.Reaches(t.Percent) && (passed[kind] == nil || t.Percent >= passed[kind].Percent) {
			passed[kind] = &thresholds[i]
		}
	}
	return passed
}

const flushMarker = "[SYSTEM: memory flush]\n"

// FlushText is the prompt of a threshold as the model gets it: with the date, and marked where it asks for that. A prompt
// that begins with a marker of its own gets no second one.
func FlushText(t *config.FlushThreshold, now time.Time) string {
	prompt := strings.ReplaceAll(t.Prompt, "YYYY-MM-DD", now.Format(time.DateOnly))
	if t.InjectAs == config.Marked && !strings.HasPrefix(strings.TrimSpace(prompt), "[SYSTEM:") {
		return flushMarker + prompt
	}
	return prompt
}

// DeliveredFlushes reads which flushes have been delivered since the last boundary of a context. records must read its
// transcript again.
func DeliveredFlushes(context *rebuild.Context, records iter.Seq2[*jsonl.Record, error]) (list []Delivered, err error) {
	inCycle := sync.OnceValue(context.Cycle) // most sessions have no such record
	for rec, err := range records {
		if err != nil {
			return nil, err
		}
		if d, ok := deliveredBy(rec); ok && inCycle()(rec.Line) {
			list = append(list, d)
		}
	}
	return list, nil
}

// deliveredBy reads the record of a delivered flush.
func deliveredBy(rec *jsonl.Record) (d Delivered, ok bool) {
	if rec.Type() != jsonl.TypeCustom {
		return d, false
	}
	custom, ok := rec.Custom()
	if !ok || custom.CustomType != FlushType {
		return d, false
	}
	return d, json.Unmarshal([]byte(custom.Data), &d) == nil
}

// flushRecord is the record of a delivered flush, its fields in the order in which OpenClaw writes them.
type flushRecord struct {
	Type       string    `json:"type"`
	CustomType string    `json:"customType"`
	Data       flushData `json:"data"`
	ID         string    `json:"id"`
	ParentID   *string   `json:"parentId"`
	Timestamp  string    `json:"timestamp"`
}

type flushData struct {
	Delivered
	Tokens int64 `json:"tokens"`
	Window int64 `json:"window"`
}

// FlushRecord returns the record that says that the flush of a threshold was delivered: one line of JSON without its end,
// to be appended behind the leaf of the session. The same moment and leaf give the same record.
func FlushRecord(t *config.FlushThreshold, fill window.Fill, leaf string, now time.Time) ([]byte, error) {
	r := flushRecord{
		Type: jsonl.TypeCustom, CustomType: FlushType, Data: flushData{Delivered{t.Percent, t.InjectAs}, fill.Tokens(), fill.Window},
		Timestamp: now.UTC().Format("2006-01-02T15:04:05.000Z"),
	}
	if leaf != "" {
		r.ParentID = &leaf
	}
	digest := sha256.Sum256(fmt.Append(nil, FlushType, leaf, t.Percent, now.UnixNano()))
	r.ID = fmt.Sprintf("%d_%s", now.UnixMilli(), hex.EncodeToString(digest[:4]))
	return json.Marshal(r)
}
