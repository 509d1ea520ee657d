package redact

import (
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
)

// CheckpointKey is the member of a message that holds the checkpoint of a provider.
const CheckpointKey = "providerReplay"

// dropsCheckpoint reports whether a record has a checkpoint that is not kept, and counts it in either case. A
// checkpoint stands for everything before it, and nobody but the provider can tell what is in it. So it goes if
// anything in the session up to here was replaced.
func (r *Redactor) dropsCheckpoint(rec *jsonl.Record) bool {
	if !HasCheckpoint(rec) {
		return false
	}
	if r.KeepCheckpoints {
		r.Counts.CheckpointsKept++
		return false
	}
	r.Counts.Checkpoints++
	return true
}

// HasCheckpoint reports whether a record has a provider's checkpoint, known or not. A note that a provider rejected one
// says nothing.
func HasCheckpoint(rec *jsonl.Record) bool {
	if !rec.Legible() || !rec.Noted(jsonl.FieldReplay).Exists() {
		return false
	}
	m, ok := rec.Message()
	return ok && m.Replay().State != jsonl.ReplayRejected
}

// withoutCheckpoint returns a record without the checkpoint of a provider in its message.
func withoutCheckpoint(record []byte) []byte {
	var edits []edit
	for key, message := range jsonl.Value(record).Spans() {
		if string(jsontext.PlainKey(record[key.Start:key.End])) != "message" {
			continue
		}
		var members [][2]int
		dropped := map[int]bool{}
		text, from := jsonl.Value(record[message.Start:message.End]), int(message.Start)
		for key, value := range text.Spans() {
			if string(jsontext.PlainKey(text[key.Start:key.End])) == CheckpointKey {
				dropped[len(members)] = true
			}
			members = append(members, [2]int{from + int(key.Start) - len(`"`), from + int(value.End)})
		}
		if len(dropped) < len(members) {
			edits = append(edits, without(members, dropped)...)
		}
	}
	return apply(record, edits)
}
