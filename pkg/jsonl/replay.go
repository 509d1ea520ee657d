package jsonl

import (
	"encoding/json"
	"slices"
	"strings"
)

// A Replay is what a provider left in an answer of OpenClaw's so that the conversation can go on without what is before
// it. It is a view of the record.
type Replay struct {
	Family ReplayFamily
	State  ReplayState
	// FromAnswerer reports whether it names the provider, the API and the model of the answer that it is in. A provider
	// accepts only its own.
	FromAnswerer bool
	// Skipped is how many blocks of the answer it stands for too.
	Skipped int

	value  Value
	window []Value // the messages that the provider kept, and its checkpoint
}

// A ReplayFamily is a kind of providers.
type ReplayFamily uint8

// The families of replays.
const (
	UnknownReplay   ReplayFamily = iota
	AnthropicReplay              // a block of the Messages API, with a summary that people can read
	ResponsesReplay              // an item of OpenAI's Responses API that only the provider can read
)

// A ReplayState says what a replay is good for.
type ReplayState uint8

// The states of a replay.
const (
	NoReplay         ReplayState = iota
	ReplayCheckpoint             // it is sent instead of what is before it
	ReplayRejected               // the provider rejected the checkpoint before it
	OddReplay                    // of an unknown type, version or shape
)

// The types of replays.
const (
	anthropicCompaction = "anthropic-compaction"
	responsesCompaction = "openai-responses-compaction"
	retainedCompaction  = "openai-responses-retained-compaction"
	rejectionSuffix     = "-suppression"
	rejectionData       = "rejected"
	replayVersion       = 1
	readyWindow         = "ready"
	compactionItem      = "compaction"
	mostSkipped         = 1<<31 - 1 // more blocks than any answer has
)

var replayFamilies = map[string]ReplayFamily{
	anthropicCompaction: AnthropicReplay, responsesCompaction: ResponsesReplay, retainedCompaction: ResponsesReplay,
}

// IsReplayCheckpoint reports whether a type of replay is only valid as long as nothing before it changes.
func IsReplayCheckpoint(kind string) bool { return replayFamilies[kind] != UnknownReplay }

// Replay returns the replay of an answer. What has none, or is not an answer, has the state NoReplay.
func (m Message) Replay() Replay {
	var r Replay
	v := m.rec.value(FieldReplay)
	if len(v) == 0 || m.Role() != RoleAssistant {
		return r
	}
	r.State, r.value = OddReplay, v
	kind, isRejection := strings.CutSuffix(v.Get("type").String(), rejectionSuffix)
	r.Family = replayFamilies[kind]
	isReadable := r.Family != UnknownReplay && v.Get("v").Float() == replayVersion
	r.FromAnswerer = true
	for key, f := range map[string]field{"provider": FieldProvider, "model": FieldModel, "api": FieldAPI} {
		stated := v.Get(key)
		isReadable = isReadable && stated.IsString()
		r.FromAnswerer = r.FromAnswerer && isSame(stated, m.rec.value(f))
	}
	switch {
	case isRejection && isReadable && kind != retainedCompaction && v.Get("data").Is(rejectionData):
		r.State = ReplayRejected
	case isRejection:
		r.Family = UnknownReplay // it says nothing about the checkpoints before it
	case isReadable && r.readCheckpoint(kind):
		r.State = ReplayCheckpoint
	}
	return r
}

// isSame reports whether two values are the same string.
func isSame(a, b Value) bool { return a.IsString() && b.IsString() && a.String() == b.String() }

// readCheckpoint reads a checkpoint, and reports whether it has the shape that OpenClaw sends.
func (r *Replay) readCheckpoint(kind string) bool {
	data, encrypted, id := r.value.Get("data"), r.value.Get("encryptedContent"), r.value.Get("id")
	if !data.IsString() || len(data) == len(`""`) || !r.readSkipped(kind) {
		return false
	}
	isOptional := func(v Value) bool { return !v.Exists() || v.IsString() }
	switch {
	case r.Family == AnthropicReplay:
		return isOptional(encrypted) || encrypted.IsNull()
	case !isOptional(id):
		return false
	case kind == retainedCompaction || r.value.Get("compactedWindow").Exists():
		return r.readWindow()
	}
	return true
}

// readSkipped reads how many blocks of its answer a checkpoint stands for too, and reports whether that is a number.
func (r *Replay) readSkipped(kind string) bool {
	index := r.value.Get("replayIndex")
	switch n := index.Int(); {
	case kind == retainedCompaction: // it stands for the whole answer
		r.Skipped = mostSkipped
		return !index.Exists()
	case !index.Exists():
		return true
	case !index.IsNumber() || index.Float() != float64(n) || n < 0:
		return false
	default:
		r.Skipped = int(min(n, mostSkipped))
	}
	return true
}

// readWindow reads the messages that the provider kept. They end with the checkpoint itself. If they do not, OpenClaw
// asks for another compaction.
func (r *Replay) readWindow() bool {
	window := r.value.Get("compactedWindow")
	output := window.Get("output")
	if !window.Get("state").Is(readyWindow) || !output.IsString() {
		return false
	}
	text := Value(strings.TrimSpace(output.String()))
	if !json.Valid(text) || !text.IsArray() {
		return false
	}
	if r.window = slices.Collect(text.Elements()); len(r.window) == 0 {
		return false
	}
	last := r.window[len(r.window)-1]
	return last.Get("type").Is(compactionItem) && isSame(last.Get("encrypted_content"), r.value.Get("data")) &&
		last.Get("id").String() == r.value.Get("id").String()
}

// Summary returns the text of a checkpoint that people can read, a JSON string, or nil.
func (r *Replay) Summary() Value {
	if r.Family != AnthropicReplay || r.State != ReplayCheckpoint {
		return nil
	}
	return r.value.Get("data")
}

// Sealed returns the text of a checkpoint that only the provider can read, a JSON string, or nil.
func (r *Replay) Sealed() Value {
	if r.Family != ResponsesReplay || r.State != ReplayCheckpoint {
		return nil
	}
	return r.value.Get("data")
}

// Kept returns the messages before a checkpoint that the provider kept, as items of the Responses API.
func (r *Replay) Kept() []Value {
	if len(r.window) == 0 {
		return nil
	}
	return r.window[:len(r.window)-1]
}

// Block returns a checkpoint as it is sent to Anthropic: as a block of the Messages API. Others have none.
func (r *Replay) Block() string {
	if r.State != ReplayCheckpoint || r.Family != AnthropicReplay {
		return ""
	}
	block := `{"type":"compaction","content":` + string(r.value.Get("data").UTF8())
	if encrypted := r.value.Get("encryptedContent"); encrypted.Exists() {
		block += `,"encrypted_content":` + string(encrypted.UTF8())
	}
	return block + `}`
}
