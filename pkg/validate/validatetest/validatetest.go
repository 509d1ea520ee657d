// Package validatetest makes transcripts with one planted fault of every kind, for tests.
package validatetest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"clawctl/internal/failure"
)

// A row is a record of a test transcript.
type row = map[string]any

// A patient is a healthy transcript to plant a fault in.
type patient struct {
	*rand.Rand
	rows []row
	raw  map[int]string // lines that are no longer JSON
	tail string         // instead of the last newline

	utf16 bool // it is written in UTF-16
}

// signature has the shape of Anthropic's signatures.
const signature = "EhYKFGEgc2lnbmF0dXJlIG9mIHR3ZW50"

// healthy makes a conversation without problems.
func healthy(seed uint64) *patient {
	p := &patient{Rand: rand.New(rand.NewPCG(seed, 7)), raw: map[int]string{}, tail: "\n"}
	p.rows = append(p.rows, row{"type": "session", "version": 3, "id": "11111111-2222-4333-8444-555555555555",
		"timestamp": p.time(), "cwd": "/w"})
	p.entry(row{"type": "model_change", "provider": "anthropic", "modelId": "claude-opus-4-6"})
	for turn := range 6 + p.IntN(6) {
		p.message(row{"role": "user", "content": []any{text(fmt.Sprintf("question %d", turn))}})
		call := fmt.Sprintf("toolu_%02d", turn)
		p.answer("toolUse", row{"type": "thinking", "thinking": "hm", "thinkingSignature": signature}, text("I look."),
			row{"type": "toolCall", "id": call, "name": "read", "arguments": row{"path": "a"}})
		p.message(row{"role": "toolResult", "toolCallId": call, "toolName": "read", "content": []any{text("found")},
			"isError": false})
		p.answer("stop", text(fmt.Sprintf("answer %d", turn)))
		if turn == 3 {
			p.entry(row{"type": "compaction", "summary": "so far", "firstKeptEntryId": p.rows[len(p.rows)-4]["id"],
				"tokensBefore": 1000})
			p.entry(row{"type": "label", "targetId": p.rows[len(p.rows)-2]["id"], "label": "here"})
		}
	}
	return p
}

func text(s string) row { return row{"type": "text", "text": s} }

func (p *patient) time() string {
	return fmt.Sprintf("2026-05-01T10:%02d:%02d.000Z", len(p.rows)/60, len(p.rows)%60)
}

// entry adds a record as a child of the last one, and returns its index.
func (p *patient) entry(r row) int {
	var parent any
	if len(p.rows) > 1 {
		parent = p.rows[len(p.rows)-1]["id"]
	}
	r["id"], r["parentId"], r["timestamp"] = fmt.Sprintf("%08x", len(p.rows)), parent, p.time()
	p.rows = append(p.rows, r)
	return len(p.rows) - 1
}

func (p *patient) message(m row) int { return p.entry(row{"type": "message", "message": m}) }

func (p *patient) answer(stop string, blocks ...any) {
	p.message(row{
		"role": "assistant", "content": blocks, "api": "anthropic-messages", "provider": "anthropic",
		"model": "claude-opus-4-6", "stopReason": stop,
		"usage": row{"input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 15},
	})
}

// bytes returns the transcript as a file.
func (p *patient) bytes() []byte {
	lines := make([]string, len(p.rows))
	for i, r := range p.rows {
		if raw, broken := p.raw[i]; broken {
			lines[i] = raw
			continue
		}
		data, _ := json.Marshal(r)
		lines[i] = string(data)
	}
	text := strings.Join(lines, "\n") + p.tail
	if !p.utf16 {
		return []byte(text)
	}
	data := []byte("\xff\xfe")
	for _, unit := range utf16.Encode([]rune(text)) {
		data = binary.LittleEndian.AppendUint16(data, unit)
	}
	return data
}

// text returns a line as it is written.
func (p *patient) text(i int) string {
	data, _ := json.Marshal(p.rows[i])
	return string(data)
}

// pick returns the index of a row: the header, the compaction, the last one, or one with a role or type after the
// compaction, where it is part of the context.
func (p *patient) pick(kind string) int {
	compaction := slices.IndexFunc(p.rows, func(r row) bool { return r["type"] == "compaction" })
	switch kind {
	case "header":
		return 0
	case "compaction":
		return compaction
	case "last":
		return len(p.rows) - 1
	}
	var found []int
	for i := compaction + 2; i < len(p.rows); i++ {
		m, _ := p.rows[i]["message"].(row)
		if p.rows[i]["type"] == kind || m["role"] == kind ||
			kind == "call" && m["stopReason"] == "toolUse" || kind == "reply" && m["stopReason"] == "stop" {
			found = append(found, i)
		}
	}
	return found[p.IntN(len(found))]
}

func (p *patient) messageOf(i int) row { return p.rows[i]["message"].(row) }

// gone is the value of a field that is removed.
var gone = struct{}{}

// set sets fields of a row: names and indexes with dots between them, each followed by its value.
func (p *patient) set(i int, fields ...any) {
	for n := 0; n < len(fields); n += 2 {
		var inside any = p.rows[i]
		names := strings.Split(fields[n].(string), ".")
		last := len(names) - 1
		for _, name := range names[:last] {
			if list, isList := inside.([]any); isList {
				at, _ := strconv.Atoi(name)
				inside = list[at]
			} else {
				inside = inside.(row)[name]
			}
		}
		inside.(row)[names[last]] = fields[n+1]
		if fields[n+1] == gone {
			delete(inside.(row), names[last])
		}
	}
}

// drop removes a row and makes its parent the parent of its child.
func (p *patient) drop(i int) {
	for _, r := range p.rows {
		if r["parentId"] == p.rows[i]["id"] {
			r["parentId"] = p.rows[i]["parentId"]
		}
	}
	p.rows = slices.Delete(p.rows, i, i+1)
}

// A plant puts a fault into a transcript. It returns the index of the broken line, counted from 0, or -1.
type plant func(p *patient) int

// with sets fields of the row that pick returns.
func with(kind string, fields ...any) plant {
	return func(p *patient) int {
		i := p.pick(kind)
		p.set(i, fields...)
		return i
	}
}

// written writes the row that pick returns in another way.
func written(kind string, change func(p *patient, text string) string) plant {
	return func(p *patient) int {
		i := p.pick(kind)
		p.raw[i] = change(p, p.text(i))
		return i
	}
}

// replaced replaces a text in the row that pick returns.
func replaced(kind, old, new string) plant {
	return written(kind, func(_ *patient, text string) string { return strings.Replace(text, old, new, 1) })
}

// replay adds a provider's checkpoint with one other value to an answer.
func replay(key string, value any) plant {
	checkpoint := row{
		"v": 1, "type": "anthropic-compaction", "data": "so far", "replayIndex": 0, "provider": "anthropic",
		"api": "anthropic-messages", "model": "claude-opus-4-6", "baseUrlHash": "1a2b3c",
	}
	checkpoint[key] = value
	return with("reply", "message.providerReplay", checkpoint)
}

// A Fault is one thing that can be wrong with a transcript.
type Fault struct {
	Code  failure.Code // of the finding
	Name  string
	plant plant
}

// Plant returns a transcript with the fault, and the line of its finding, or 0 if that is not known.
func (f Fault) Plant(seed uint64) (text []byte, line int64) {
	p := healthy(seed)
	index := f.plant(p)
	return p.bytes(), int64(index) + 1
}

// Healthy returns a conversation without problems.
func Healthy(seed uint64) []byte { return healthy(seed).bytes() }

// Faults lists every kind of fault.
var Faults = []Fault{
	{"CL001", "a line cut in the middle (#69846)",
		written("user", func(p *patient, text string) string { return text[:20+p.IntN(30)] })},
	{"CL001", "two lines glued together (#98669)",
		written("user", func(_ *patient, text string) string { return text + text })},
	{"CL002", "a torn last line (#98669)", func(p *patient) int {
		p.tail = ""
		return written("last", func(p *patient, text string) string { return text[:len(text)-1-p.IntN(40)] })(p)
	}},
	{"CL003", "bytes that are not UTF-8 (#100644)", replaced("user", "question", "qu\xffstion")},
	{"CL004", "a value that is nested too deeply", replaced("user", `"role":`,
		`"deep":`+strings.Repeat("[", 10_001)+strings.Repeat("]", 10_001)+`,"role":`)},
	{"CL006", "a list instead of a record",
		written("user", func(_ *patient, text string) string { return "[" + text + "]" })},
	{"CL007", "NUL bytes (#69846)",
		written("user", func(*patient, string) string { return strings.Repeat("\x00", 50) })},
	{"CL008", "UTF-16 instead of UTF-8", func(p *patient) int { p.utf16 = true; return 0 }},
	{"CL009", "a repeated key", replaced("user", `"role":`, `"role":"system","role":`)},
	{"CL010", "an unknown type", with("user", "type", "novelty")},
	{"CL011", "a result without isError", with("toolResult", "message.isError", gone)},
	{"CL011", "an id that is a number", with("last", "id", 7)},
	{"CL012", "a null role (#77228)", with("user", "message.role", nil)},
	{"CL013", "null content (#77228)", with("reply", "message.content", nil)},
	{"CL014", "a lone surrogate (#7275)", replaced("user", "question", `qu\ud83dstion`)},
	{"CL015", "a byte order mark",
		written("header", func(_ *patient, text string) string { return "\ufeff" + text })},
	{"CL016", "a projection of a later version", with("user",
		"message.__openclaw", row{"modelPromptProjection": row{"version": 2, "parts": []any{"more"}}})},
	{"CL017", "a projection without a text", with("user",
		"message.__openclaw", row{"modelPromptProjection": row{"version": 1, "text": 7}})},
	{"CL017", "a projection without a version", with("user",
		"message.__openclaw", row{"modelPromptProjection": row{"text": "more"}})},
	{"CL018", "a checkpoint of an unknown type", replay("type", "novelty")},
	{"CL018", "a checkpoint of a later version", replay("v", 2)},
	{"CL018", "a checkpoint without data", replay("data", "")},
	{"CL101", "a missing header (#153695)", func(p *patient) int { p.rows = p.rows[1:]; return 0 }},
	{"CL102", "a header after the first line (#89037)",
		func(p *patient) int { p.rows[0], p.rows[1] = p.rows[1], p.rows[0]; return 1 }},
	{"CL103", "a second header (#89037)",
		func(p *patient) int { i := p.pick("user"); p.rows = slices.Insert(p.rows, i, p.rows[0]); return i }},
	{"CL104", "a version from the future", with("header", "version", 9)},
	{"CL105", "a clock that went back", with("user", "timestamp", "2026-04-01T00:00:00.000Z")},
	{"CL106", "a repeated line (#69486)",
		func(p *patient) int { p.rows = append(p.rows, p.rows[p.pick("user")]); return len(p.rows) - 1 }},
	{"CL107", "a repeated id (#73119)", func(p *patient) int {
		i := p.message(row{"role": "user", "content": "twin"})
		p.rows[i]["id"] = p.rows[p.pick("reply")]["id"]
		return i
	}},
	{"CL108", "a timestamp that is not a date", with("user", "timestamp", "soon")},
	{"CL109", "a summary without a date", with("compaction", "timestamp", "soon")},
	{"CL110", "an answer of pi without usage", func(p *patient) int {
		with("reply", "message.usage.totalFromProvider", true)(p) // only pi writes it
		return p.message(row{"role": "assistant", "content": "yes", "stopReason": "stop", "timestamp": 1777899690089})
	}},
	{"CL201", "a missing parent (#64287)", with("user", "parentId", "deadbeef")},
	{"CL202", "a cycle of parents (#64287)", func(p *patient) int { p.rows[1]["parentId"] = p.rows[5]["id"]; return -1 }},
	{"CL203", "a second root (#64287)", with("user", "parentId", nil)},
	{"CL204", "an abandoned branch", func(p *patient) int {
		i := p.pick("reply")
		p.set(p.message(row{"role": "user", "content": "other"}), "parentId", p.rows[i-1]["id"])
		return i
	}},
	{"CL205", "a leaf without its target",
		func(p *patient) int { return p.entry(row{"type": "leaf", "targetId": "deadbeef"}) }},
	{"CL206", "a label without its target",
		func(p *patient) int { return p.entry(row{"type": "label", "targetId": "deadbeef", "label": "x"}) }},
	{"CL207", "a kept entry that is gone (#14065)", with("compaction", "firstKeptEntryId", "deadbeef")},
	{"CL208", "a compaction that keeps nothing (#48810)", with("compaction", "firstKeptEntryId", gone)},
	{"CL209", "a parent that comes later (#64287)", func(p *patient) int {
		i, last := p.pick("user"), len(p.rows)-1
		p.rows[i]["parentId"], p.rows[last]["parentId"] = p.rows[last]["id"], p.rows[i-1]["id"]
		return i
	}},
	{"CL210", "no parentId (#64287)", with("user", "parentId", gone)},
	{"CL211", "a context edit without its target", func(p *patient) int {
		with("reply", "message.usage.totalFromProvider", true)(p) // only pi writes it
		return p.entry(row{"type": "context_edit", "targetId": "deadbeef", "replacement": nil})
	}},
	{"CL212", "a compaction without a summary (after a time-out)", with("compaction", "summary", "")},
	{"CL213", "a summary without content (#122617)",
		with("compaction", "summary", "## Decisions\nNo prior history.\n\n## Open TODOs\nNone.")},
	{"CL214", "a summary that was shortened", with("compaction",
		"summary", "## Goal\nMend the roof.\n\n[Compaction summary truncated to fit budget]")},
	{"CL215", "a compaction of a run that another one has followed (#127551)", func(p *patient) int {
		p.messageOf(3)["__openclaw"] = row{"runId": "run-1"}
		p.messageOf(p.pick("compaction") - 1)["__openclaw"] = row{"runId": "run-2"}
		return with("compaction", "__openclaw", row{"runId": "run-1"})(p)
	}},
	{"CL301", "a call without its result (#9769)",
		func(p *patient) int { i := p.pick("toolResult"); p.drop(i); return i - 1 }},
	{"CL302", "a result without its call (#14322)", with("toolResult", "message.toolCallId", "toolu_gone")},
	{"CL303", "a repeated result (#14322)", func(p *patient) int {
		i := p.pick("toolResult")
		last := p.message(row{"role": "toolResult", "toolCallId": p.messageOf(i)["toolCallId"], "toolName": "read",
			"content": []any{text("more")}, "isError": false})
		again := p.rows[last]
		again["parentId"], again["timestamp"] = p.rows[i]["id"], p.rows[i]["timestamp"]
		p.rows[i+1]["parentId"] = again["id"]
		p.rows = slices.Insert(p.rows[:last], i+1, again)
		return i + 1
	}},
	{"CL304", "a user between call and result (#16823)", func(p *patient) int {
		i := p.pick("toolResult")
		p.rows[i]["message"], p.rows[i+1]["message"] = row{"role": "user", "content": "wait"}, p.rows[i]["message"]
		return i + 1
	}},
	{"CL305", "an aborted call (#8264)", func(p *patient) int {
		i := p.pick("toolResult")
		p.messageOf(i - 1)["stopReason"] = "aborted"
		p.drop(i)
		return i - 1
	}},
	{"CL306", "a call whose arguments were still arriving (#8264)",
		with("call", "message.content.2.partialJson", `{"path":"`)},
	{"CL307", "a result before its call (#16823)", func(p *patient) int {
		i := p.pick("toolResult")
		p.rows[i]["message"], p.rows[i-1]["message"] = p.rows[i-1]["message"], p.rows[i]["message"]
		return i - 1
	}},
	{"CL401", "no user at the start", func(p *patient) int {
		compaction := p.pick("compaction")
		p.drop(compaction + 1)
		p.drop(compaction)
		p.drop(2)
		return 2
	}},
	{"CL402", "only white space", with("reply", "message.content.0.text", " \n")},
	{"CL403", "a truncated signature (#84430)", with("call", "message.content.0.thinkingSignature", signature[:12])},
	{"CL403", "an empty signature (#92201)", with("call", "message.content.0.thinkingSignature", "")},
	{"CL404", "an id with invalid characters", func(p *patient) int {
		i := with("call", "message.content.2.id", "call|1")(p)
		p.set(i+1, "message.toolCallId", "call|1")
		return i
	}},
	{"CL405", "a tool name with a dot", with("call", "message.content.2.name", "file.read")},
	{"CL406", "image data that is not an image", with("user",
		"message.content", []any{text("see"), row{"type": "image", "data": "!", "mimeType": "image/png"}})},
	{"CL407", "half of a character in a text", replaced("reply", "answer", `answ\ud83d`)},
	{"CL408", "a mirror (#99470)",
		with("reply", "message.provider", "openclaw", "message.model", "delivery-mirror")},
	{"CL409", "a block of an unknown kind",
		with("user", "message.content", []any{text("see"), row{"type": "hologram"}})},
	{"CL410", "white space at the end", with("last", "message.content.0.text", "done ")},
	{"CL412", "another provider's thinking", with("call", "message.provider", "openai", "message.model", "gpt-6",
		"message.content.0.thinkingSignature", "{}")},
	{"CL414", "a provider's checkpoint", replay("id", "cmp_1")},
	{"CL601", "no usage (#69347)", with("reply", "message.usage", gone)},
	{"CL602", "usage of the older shape (#20599)", with("reply", "message.usage", row{
		"input": 1, "output": 1, "total": 2, "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2,
	})},
	{"CL603", "a wrong total (#20599)", with("reply", "message.usage.totalTokens", 99)},
	{"CL604", "usage of a mirror (#99470)",
		with("reply", "message.provider", "openclaw", "message.model", "gateway-injected")},
	{"CL605", "a harness", with("reply", "message.api", "cli")},
	{"CL701", "nearly all base64 (#143973)", func(p *patient) int {
		data := "iVBORw0KGgoAAAAN" + strings.Repeat("AAAA", 50000)
		with("user", "message.content", []any{row{"type": "image", "data": data, "mimeType": "image/png"}})(p)
		return 0
	}},
	{"CL702", "an API key (#12182)",
		with("user", "message.content", "use "+"sk-"+"ant-api03-"+strings.Repeat("x1Y2", 10))},
	{"CL703", "a redacted argument (#104992)", with("call", "message.content.2.arguments", row{"path": "[REDACTED]"})},
	{"CL704", "a password that OpenClaw masked (#142821)",
		with("user", "message.content.0.text", "export PASSWORD=*** and go on")},
	{"CL704", "a long key that OpenClaw masked (#142821)",
		with("call", "message.content.1.text", "I use sk-ant…Qf2A for it.")},
}
