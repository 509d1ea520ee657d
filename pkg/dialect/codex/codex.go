// Package codex translates the lines of Codex's rollouts. What the model sees are response items, in the order of the
// lines. Other lines are for the screen, or say what was used.
package codex

import (
	"strconv"

	"clawctl/pkg/jsontext"
)

// The types of lines.
const (
	meta     = "session_meta"
	item     = "response_item"
	event    = "event_msg"
	turn     = "turn_context"
	compact  = "compacted"
	usage    = "token_usage_record"
	rollback = "thread_rolled_back" // an event
	count    = "token_count"        // an event
)

// Types lists the types of the lines that Translate knows.
func Types() []string { return types }

var types = []string{
	meta, item, event, turn, compact, usage, "world_state", "inter_agent_communication",
	"inter_agent_communication_metadata", "retained_context", "realtime_item", "dynamic_tools_updated",
	"security_risk_score",
}

// Detect reports whether a line of one of the types is Codex's.
func Detect(_ string, line jsontext.Value) bool {
	return line.Get("payload").IsObject() && line.Get("timestamp").IsString()
}

// Translate appends a line as a record of OpenClaw. It appends nothing if the line is not Codex's.
func Translate(dst []byte, kind string, line *jsontext.Outline) []byte {
	t := translation{dst: dst, line: line}
	for key, v := range line.Fields(line.Text) {
		switch string(key) {
		case "timestamp":
			t.time = v
		case "payload":
			t.payload = v
		}
	}
	if !t.payload.IsObject() || !t.time.IsString() {
		return dst
	}
	switch kind {
	case meta:
		t.header()
	case item:
		t.entry(t.read(t.payload))
	case turn:
		t.begin("model_change")
		t.raw(`,"provider":"openai"`)
		t.member("modelId", t.get("model"))
	case compact:
		t.compaction()
	case usage:
		t.begin("usage")
		t.raw(`,"kind":"reply","usage":{"series":`)
		t.dst = append(t.dst, quoted(t.get("response_id"))...)
		t.counts(readCounts(t.get("usage")))
		t.raw("}")
	case event:
		t.event(t.get("type").String())
	default:
		t.remark(kind)
	}
	return append(t.dst, '}')
}

// entry writes the record of a response item.
func (t *translation) entry(p fields) {
	kind, isNote := p.noteKind()
	switch field := p.misfit(); {
	case field != "":
		t.malformed(p, field)
		return
	case !isNote:
		t.begin("message")
		t.raw(`,"message":`)
		t.item(p)
		return
	case !p.isSent():
		t.remark(kind)
		t.member("data", p.content)
		return
	}
	t.begin("custom_message")
	t.raw(`,"display":false,"customType":`)
	t.raw(jsontext.Quote(kind))
	t.raw(`,"content":`)
	t.blocks(p.content)
}

// A translation is a record that is being written.
type translation struct {
	dst           []byte
	line          *jsontext.Outline
	time, payload jsontext.Value
}

// get returns the value of a key of the payload.
func (t *translation) get(key string) jsontext.Value { return t.line.Get(t.payload, key) }

func (t *translation) raw(text string) { t.dst = append(t.dst, text...) }

// begin writes the beginning of a record.
func (t *translation) begin(kind string) {
	t.dst = append(append(append(t.dst, `{"type":"`...), kind...), '"')
	t.member("timestamp", t.time)
}

func (t *translation) member(key string, v jsontext.Value) {
	if v.Exists() {
		t.dst = t.line.Append(append(append(append(t.dst, `,"`...), key...), `":`...), v)
	}
}

// header writes what a thread begins with. The lines of another thread may come before its own.
func (t *translation) header() {
	t.begin("session")
	t.raw(`,"version":3`)
	t.member("id", t.get("id"))
	t.member("cwd", t.get("cwd"))
	if text := t.get("base_instructions").Get("text"); text.IsString() {
		t.raw(`,"systemMessage":{"role":"system"`)
		t.member("content", text)
		t.raw("}")
	}
	if base := t.get("history_base"); base.IsObject() {
		t.raw(`,"history":{"session":`)
		t.raw(string(quoted(base.Get("thread_id"))))
		t.member("bytes", base.Get("end_byte_offset"))
		t.raw("}")
	}
	if parent := t.get("forked_from_id"); parent.IsString() {
		t.member("parentSession", parent)
	}
	if parent := t.get("parent_thread_id"); parent.IsString() {
		t.member("spawnedBy", parent)
		t.member("spawnedAs", t.get("agent_path"))
		if t.get("multi_agent_version").Is("v2") {
			t.raw(`,"refusal":"cannot resume an unloaded multi-agent v2 sub-agent through its parent"`) // Codex says so
		}
	}
}

// compaction writes what replaces the history so far.
func (t *translation) compaction() {
	t.begin("compaction")
	t.member("summary", quoted(t.get("message")))
	t.member("tokensBefore", t.get("latest_token_usage_record").Get("usage").Get("input_tokens"))
	history := t.get("replacement_history")
	if !history.IsArray() {
		return
	}
	t.raw(`,"messages":[`)
	first := true
	for entry := range history.Elements() {
		p := t.read(entry)
		if p.misfit() != "" || !p.isSent() {
			continue
		}
		if !first {
			t.raw(",")
		}
		first = false
		t.item(p)
		t.dst = t.dst[:len(t.dst)-1]
		t.member("stated", entry)
		t.raw("}")
	}
	t.raw("]")
}

// event writes a line that is for the screen. Two kinds say more: what older versions used, and turns that were taken
// back.
func (t *translation) event(kind string) {
	switch {
	case kind == rollback:
		t.begin("rollback")
		t.member("turns", t.get("num_turns"))
	case kind == count && t.counter(t.get("info")):
	default:
		t.remark(kind)
	}
}

// counter writes what the counter of the thread shows, and the usage of the last answer, which older versions repeat
// until there is another one. It writes nothing if there is no usage: Codex estimates totals that no answer has.
func (t *translation) counter(info jsontext.Value) bool {
	total, last := readCounts(info.Get("total_token_usage")), readCounts(info.Get("last_token_usage"))
	if !info.Get("last_token_usage").IsObject() {
		last = total
	}
	if !info.Get("total_token_usage").IsObject() || last.isEstimate() {
		return false
	}
	t.begin("usage")
	t.raw(`,"kind":"reply","usage":{"series":"thread","fallback":true`)
	if info.Get("last_token_usage").IsObject() {
		t.raw(`,"counter":"`)
		for _, n := range [...]int64{total.input, total.cached, total.output, total.total} {
			t.dst = append(strconv.AppendInt(t.dst, n, 10), ' ')
		}
		t.raw(`"`)
	}
	t.counts(last)
	t.raw("}")
	return true
}

// remark writes a line that is not part of the conversation.
func (t *translation) remark(kind string) {
	t.begin("custom")
	t.raw(`,"customType":`)
	t.raw(jsontext.Quote(kind))
}

// counts are the tokens of a usage. Those that came from the cache are part of the input.
type counts struct{ input, cached, output, total int64 }

func readCounts(usage jsontext.Value) (c counts) {
	for key, v := range usage.Fields() {
		switch string(key) {
		case "input_tokens":
			c.input = v.Int()
		case "cached_input_tokens":
			c.cached = v.Int()
		case "output_tokens":
			c.output = v.Int()
		case "total_tokens":
			c.total = v.Int()
		}
	}
	return c
}

// isEstimate reports whether there is a total that no answer has.
func (c counts) isEstimate() bool { return c.total != 0 && c.input == 0 && c.output == 0 }

// counts writes the tokens of a usage.
func (t *translation) counts(c counts) {
	t.number("input", c.input-c.cached)
	t.number("output", c.output)
	t.number("cacheRead", c.cached)
	t.number("cacheWrite", 0)
	t.number("totalTokens", c.total)
}

func (t *translation) number(key string, n int64) {
	t.dst = append(append(append(t.dst, `,"`...), key...), `":`...)
	t.dst = strconv.AppendInt(t.dst, max(n, 0), 10)
}

// quoted returns a string, or "" for what is none.
func quoted(v jsontext.Value) jsontext.Value {
	if !v.IsString() {
		return jsontext.Value(`""`)
	}
	return v
}
