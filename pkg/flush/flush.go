// Package flush decides about the memory flush: the prompt that asks a model to write down what it must not forget
// before its context is compacted. It selects the prompts that a context of some size calls for ([Select]), writes them
// ([Text]) and the record of their delivery ([Record]), and finds out what became of past ones ([Watcher]).
//
//   - A threshold is passed if the context is at or over its share of the window. Of several, the highest counts.
//   - A prompt for the system prompt is needed as long as its threshold is passed. A message is needed once a cycle:
//     its delivery is a custom record after the last compaction or reset, and silences the thresholds up to its own.
//   - A threshold may ask for the other behavior (config.FlushThreshold.Once).
package flush

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

// RecordType is the customType of the record that says that a flush was delivered.
const RecordType = "clawctl.flush"

// A Delivery is a flush of this cycle that was delivered, as its record says.
type Delivery struct {
	Percent  float64         `json:"percent"`
	InjectAs config.Delivery `json:"injectAs"`
}

// Prompts are the thresholds whose prompts a context calls for; nil stands for none.
type Prompts struct {
	System  *config.FlushThreshold // for the system prompt
	Message *config.FlushThreshold // for a message
	// Record is the higher of the two, unless a record of this cycle has it already or, if it is repeated anyway, a
	// higher one.
	Record *config.FlushThreshold
}

// Highest returns the threshold that counts most, nil if there is none.
func (p Prompts) Highest() *config.FlushThreshold {
	if p.Message != nil && (p.System == nil || p.Message.Percent >= p.System.Percent) {
		return p.Message
	}
	return p.System
}

// Select chooses the prompts that a context of this size calls for.
func Select(flush config.MemoryFlush, fill window.Fill, deliveries []Delivery) (p Prompts) {
	if !flush.Enabled {
		return p
	}
	var silenced [2]float64 // up to which percentage messages, and system prompts, were delivered
	for _, d := range deliveries {
		silenced[kindOf(d.InjectAs)] = max(silenced[kindOf(d.InjectAs)], d.Percent)
	}
	for kind, t := range highestPassed(flush.Thresholds, fill) {
		switch {
		case t == nil || t.Once && t.Percent <= silenced[kind]:
			continue
		case kind == systemKind:
			p.System = t
		default:
			p.Message = t
		}
		recorded := max(silenced[messageKind], silenced[systemKind])
		if t.Once {
			recorded = silenced[kind] // only a record of its own kind keeps it from being repeated
		}
		if t.Percent > recorded && (p.Record == nil || t.Percent > p.Record.Percent) {
			p.Record = t
		}
	}
	return p
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

const marker = "[SYSTEM: memory flush]\n"

// Text is the prompt of a threshold as the model gets it: with the date, and marked where it asks for that. A prompt
// that begins with a marker of its own gets no second one.
func Text(t *config.FlushThreshold, now time.Time) string {
	prompt := strings.ReplaceAll(t.Prompt, "YYYY-MM-DD", now.Format(time.DateOnly))
	if t.InjectAs == config.Marked && !strings.HasPrefix(strings.TrimSpace(prompt), "[SYSTEM:") {
		return marker + prompt
	}
	return prompt
}

// ReadDeliveries reads which flushes have been delivered since the last boundary of a context. records must read its
// transcript again.
func ReadDeliveries(context *rebuild.Context, records iter.Seq2[*jsonl.Record, error]) (list []Delivery, err error) {
	inCycle := sync.OnceValue(context.Cycle) // most sessions have no such record
	for rec, err := range records {
		if err != nil {
			return nil, err
		}
		if d, ok := deliveryOf(rec); ok && inCycle()(rec.Line) {
			list = append(list, d)
		}
	}
	return list, nil
}

// deliveryOf reads the record of a delivered flush.
func deliveryOf(rec *jsonl.Record) (d Delivery, ok bool) {
	if rec.Type() != jsonl.TypeCustom {
		return d, false
	}
	custom, ok := rec.Custom()
	if !ok || custom.CustomType != RecordType {
		return d, false
	}
	return d, json.Unmarshal([]byte(custom.Data), &d) == nil
}

// record is the record of a delivered flush, its fields in the order in which OpenClaw writes them.
type record struct {
	Type       string     `json:"type"`
	CustomType string     `json:"customType"`
	Data       recordData `json:"data"`
	ID         string     `json:"id"`
	ParentID   *string    `json:"parentId"`
	Timestamp  string     `json:"timestamp"`
}

type recordData struct {
	Delivery
	Tokens int64 `json:"tokens"`
	Window int64 `json:"window"`
}

// Record returns the record that says that the flush of a threshold was delivered: one line of JSON without its end,
// to be appended behind the leaf of the session. The same moment and leaf give the same record.
func Record(t *config.FlushThreshold, fill window.Fill, leaf string, now time.Time) ([]byte, error) {
	r := record{
		Type: jsonl.TypeCustom, CustomType: RecordType,
		Data:      recordData{Delivery{t.Percent, t.InjectAs}, fill.Tokens(), fill.Window},
		Timestamp: now.UTC().Format("2006-01-02T15:04:05.000Z"),
	}
	if leaf != "" {
		r.ParentID = &leaf
	}
	digest := sha256.Sum256(fmt.Append(nil, RecordType, leaf, t.Percent, now.UnixNano()))
	r.ID = fmt.Sprintf("%d_%s", now.UnixMilli(), hex.EncodeToString(digest[:4]))
	return json.Marshal(r)
}
