// Package flush implements the memory flush: the prompt that asks a model to write down what it must not forget before
// its context is compacted. It selects the prompts for a context of some size ([Select]), writes them ([Text]) and the
// record of their delivery ([Record]), and reports the effect of past ones ([Watcher]).
//
//   - A threshold is passed if the context is at or over its share of the window. Of several, the highest counts.
//   - A prompt for the system prompt is needed as long as its threshold is passed. A message is needed once per cycle.
//     Its delivery is a custom record after the last compaction or reset, and silences the thresholds up to its own.
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

// recordType is the customType of the record of a delivered flush.
const recordType = "clawctl.flush"

// A Delivery is a flush that was delivered in this cycle, according to its record.
type Delivery struct {
	Percent  float64         `json:"percent"`
	InjectAs config.Delivery `json:"injectAs"`
}

// Prompts are the thresholds whose prompts a context needs, or nil for none.
type Prompts struct {
	System  *config.FlushThreshold // for the system prompt
	Message *config.FlushThreshold // for a message
	// Record is the higher of the two. It is nil if a record of this cycle already has it or, for a repeated prompt, a
	// higher one.
	Record *config.FlushThreshold
}

// Highest returns the highest threshold, or nil if there is none.
func (p Prompts) Highest() *config.FlushThreshold {
	if p.Message != nil && (p.System == nil || p.Message.Percent >= p.System.Percent) {
		return p.Message
	}
	return p.System
}

// Select chooses the prompts for a context of this size.
func Select(flush config.MemoryFlush, fill window.Fill, deliveries []Delivery) Prompts {
	var p Prompts
	if !flush.Enabled {
		return p
	}
	var silenced [2]float64 // the percentages up to which messages and system prompts were delivered
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
			recorded = silenced[kind] // only a record of the same kind prevents a repetition
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

// Text returns the prompt of a threshold as the model gets it: with the date, and with a marker if the threshold asks
// for it. A prompt that begins with its own marker gets no second one.
func Text(t *config.FlushThreshold, now time.Time) string {
	prompt := strings.ReplaceAll(t.Prompt, "YYYY-MM-DD", now.Format(time.DateOnly))
	if t.InjectAs == config.Marked && !strings.HasPrefix(strings.TrimSpace(prompt), "[SYSTEM:") {
		return marker + prompt
	}
	return prompt
}

// ReadDeliveries returns the flushes that were delivered since the last boundary of a context. records must read its
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
	if !ok || custom.CustomType != recordType {
		return d, false
	}
	return d, json.Unmarshal([]byte(custom.Data), &d) == nil
}

// A record is the record of a delivered flush, with its fields in the order in which OpenClaw writes them.
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

// Record returns the record of the delivered flush of a threshold: one line of JSON without a line end, to be appended
// after the leaf of the session. The same time and leaf give the same record.
func Record(t *config.FlushThreshold, fill window.Fill, leaf string, now time.Time) ([]byte, error) {
	r := record{
		Type: jsonl.TypeCustom, CustomType: recordType,
		Data:      recordData{Delivery{t.Percent, t.InjectAs}, fill.Tokens(), fill.Window},
		Timestamp: now.UTC().Format("2006-01-02T15:04:05.000Z"),
	}
	if leaf != "" {
		r.ParentID = &leaf
	}
	digest := sha256.Sum256(fmt.Append(nil, recordType, leaf, t.Percent, now.UnixNano()))
	r.ID = fmt.Sprintf("%d_%s", now.UnixMilli(), hex.EncodeToString(digest[:4]))
	return json.Marshal(r)
}
