// Package validatetest makes transcripts with one planted fault of every kind, for tests.
package validatetest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
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

// entry adds a record as a child of the last one.
func (p *patient) entry(r row) {
	var parent any
	if len(p.rows) > 1 {
		parent = p.rows[len(p.rows)-1]["id"]
	}
	r["id"], r["parentId"], r["timestamp"] = fmt.Sprintf("%08x", len(p.rows)), parent, p.time()
	p.rows = append(p.rows, r)
}

func (p *patient) message(m row) { p.entry(row{"type": "message", "message": m}) }

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

// late picks a row with a role or type after the compaction, where it is part of the context.
func (p *patient) late(kind string) int {
	compaction, found := 0, []int{}
	for i, r := range p.rows {
		if r["type"] == "compaction" {
			compaction = i
		}
		m, _ := r["message"].(row)
		stop, _ := m["stopReason"].(string)
		if compaction > 0 && i > compaction+1 &&
			(r["type"] == kind || m["role"] == kind ||
				kind == "call" && stop == "toolUse" || kind == "reply" && stop == "stop") {
			found = append(found, i)
		}
	}
	return found[p.IntN(len(found))]
}

// compaction returns the row of the compaction.
func (p *patient) compaction() int {
	return slices.IndexFunc(p.rows, func(r row) bool { return r["type"] == "compaction" })
}

func (p *patient) messageOf(i int) row { return p.rows[i]["message"].(row) }

func (p *patient) block(i, at int) row { return p.messageOf(i)["content"].([]any)[at].(row) }

// drop removes a row and makes its parent the parent of its child.
func (p *patient) drop(i int) {
	for _, r := range p.rows {
		if r["parentId"] == p.rows[i]["id"] {
			r["parentId"] = p.rows[i]["parentId"]
		}
	}
	p.rows = append(p.rows[:i], p.rows[i+1:]...)
}

// project adds a record of what was sent to a prompt.
func (p *patient) project(projection any) int {
	i := p.late("user")
	p.messageOf(i)["__openclaw"] = row{"modelPromptProjection": projection}
	return i
}

// replay adds a provider's checkpoint with one other value to an answer.
func (p *patient) replay(key string, value any) int {
	i := p.late("reply")
	checkpoint := row{
		"v": 1, "type": "anthropic-compaction", "data": "so far", "replayIndex": 0, "provider": "anthropic",
		"api": "anthropic-messages", "model": "claude-opus-4-6", "baseUrlHash": "1a2b3c",
	}
	checkpoint[key] = value
	p.messageOf(i)["providerReplay"] = checkpoint
	return i
}

// A Fault is one thing that can be wrong with a transcript.
type Fault struct {
	Code  failure.Code // of the finding
	Name  string
	plant func(p *patient) int // returns the index of the broken line, counted from 0, or -1
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
		func(p *patient) int { i := p.late("user"); p.raw[i] = p.text(i)[:20+p.IntN(30)]; return i }},
	{"CL001", "two lines glued together (#98669)",
		func(p *patient) int { i := p.late("user"); p.raw[i] = p.text(i) + p.text(i); return i }},
	{"CL002", "a torn last line (#98669)", func(p *patient) int {
		i := len(p.rows) - 1
		line := p.text(i)
		p.raw[i], p.tail = line[:len(line)-1-p.IntN(40)], ""
		return i
	}},
	{"CL003", "bytes that are not UTF-8 (#100644)", func(p *patient) int {
		i := p.late("user")
		p.raw[i] = strings.Replace(p.text(i), "question", "qu\xffstion", 1)
		return i
	}},
	{"CL004", "a value that is nested too deeply", func(p *patient) int {
		i := p.late("user")
		deep := strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)
		p.raw[i] = strings.Replace(p.text(i), `"role":`, `"deep":`+deep+`,"role":`, 1)
		return i
	}},
	{"CL006", "a list instead of a record",
		func(p *patient) int { i := p.late("user"); p.raw[i] = "[" + p.text(i) + "]"; return i }},
	{"CL007", "NUL bytes (#69846)",
		func(p *patient) int { i := p.late("user"); p.raw[i] = strings.Repeat("\x00", 50); return i }},
	{"CL008", "UTF-16 instead of UTF-8", func(p *patient) int { p.utf16 = true; return 0 }},
	{"CL009", "a repeated key", func(p *patient) int {
		i := p.late("user")
		p.raw[i] = strings.Replace(p.text(i), `"role":`, `"role":"system","role":`, 1)
		return i
	}},
	{"CL010", "an unknown type", func(p *patient) int { i := p.late("user"); p.rows[i]["type"] = "novelty"; return i }},
	{"CL011", "a result without isError",
		func(p *patient) int { i := p.late("toolResult"); delete(p.messageOf(i), "isError"); return i }},
	{"CL011", "an id that is a number", func(p *patient) int { i := len(p.rows) - 1; p.rows[i]["id"] = 7; return i }},
	{"CL012", "a null role (#77228)",
		func(p *patient) int { i := p.late("user"); p.messageOf(i)["role"] = nil; return i }},
	{"CL013", "null content (#77228)",
		func(p *patient) int { i := p.late("reply"); p.messageOf(i)["content"] = nil; return i }},
	{"CL014", "a lone surrogate (#7275)", func(p *patient) int {
		i := p.late("user")
		p.raw[i] = strings.Replace(p.text(i), "question", `qu\ud83dstion`, 1)
		return i
	}},
	{"CL015", "a byte order mark", func(p *patient) int { p.raw[0] = "\ufeff" + p.text(0); return 0 }},
	{"CL016", "a projection of a later version", func(p *patient) int {
		return p.project(row{"version": 2, "parts": []any{"more"}})
	}},
	{"CL017", "a projection without a text", func(p *patient) int { return p.project(row{"version": 1, "text": 7}) }},
	{"CL017", "a projection without a version", func(p *patient) int { return p.project(row{"text": "more"}) }},
	{"CL018", "a checkpoint of an unknown type", func(p *patient) int { return p.replay("type", "novelty") }},
	{"CL018", "a checkpoint of a later version", func(p *patient) int { return p.replay("v", 2) }},
	{"CL018", "a checkpoint without data", func(p *patient) int { return p.replay("data", "") }},
	{"CL101", "a missing header (#153695)", func(p *patient) int { p.rows = p.rows[1:]; return 0 }},
	{"CL102", "a header after the first line (#89037)",
		func(p *patient) int { p.rows[0], p.rows[1] = p.rows[1], p.rows[0]; return 1 }},
	{"CL103", "a second header (#89037)", func(p *patient) int {
		i := p.late("user")
		p.rows = append(p.rows[:i], append([]row{p.rows[0]}, p.rows[i:]...)...)
		return i
	}},
	{"CL104", "a version from the future", func(p *patient) int { p.rows[0]["version"] = 9; return 0 }},
	{"CL105", "a clock that went back", func(p *patient) int {
		i := p.late("user")
		p.rows[i]["timestamp"] = "2026-04-01T00:00:00.000Z"
		return i
	}},
	{"CL106", "a repeated line (#69486)",
		func(p *patient) int { p.rows = append(p.rows, p.rows[p.late("user")]); return len(p.rows) - 1 }},
	{"CL107", "a repeated id (#73119)", func(p *patient) int {
		p.message(row{"role": "user", "content": "twin"})
		p.rows[len(p.rows)-1]["id"] = p.rows[p.late("reply")]["id"]
		return len(p.rows) - 1
	}},
	{"CL108", "a timestamp that is not a date",
		func(p *patient) int { i := p.late("user"); p.rows[i]["timestamp"] = "soon"; return i }},
	{"CL109", "a summary without a date", func(p *patient) int {
		for i, r := range p.rows {
			if r["type"] == "compaction" {
				r["timestamp"] = "soon"
				return i
			}
		}
		return -1
	}},
	{"CL110", "an answer of pi without usage", func(p *patient) int {
		p.messageOf(p.late("reply"))["usage"].(row)["totalFromProvider"] = true // only pi writes it
		p.message(row{"role": "assistant", "content": "yes", "stopReason": "stop", "timestamp": 1777899690089})
		return len(p.rows) - 1
	}},
	{"CL201", "a missing parent (#64287)",
		func(p *patient) int { i := p.late("user"); p.rows[i]["parentId"] = "deadbeef"; return i }},
	{"CL202", "a cycle of parents (#64287)", func(p *patient) int { p.rows[1]["parentId"] = p.rows[5]["id"]; return -1 }},
	{"CL203", "a second root (#64287)",
		func(p *patient) int { i := p.late("user"); p.rows[i]["parentId"] = nil; return i }},
	{"CL204", "an abandoned branch", func(p *patient) int {
		i := p.late("reply")
		p.message(row{"role": "user", "content": "other"})
		p.rows[len(p.rows)-1]["parentId"] = p.rows[i-1]["id"]
		return i
	}},
	{"CL205", "a leaf without its target",
		func(p *patient) int { p.entry(row{"type": "leaf", "targetId": "deadbeef"}); return len(p.rows) - 1 }},
	{"CL206", "a label without its target", func(p *patient) int {
		p.entry(row{"type": "label", "targetId": "deadbeef", "label": "x"})
		return len(p.rows) - 1
	}},
	{"CL207", "a kept entry that is gone (#14065)", func(p *patient) int {
		for i, r := range p.rows {
			if r["type"] == "compaction" {
				r["firstKeptEntryId"] = "deadbeef"
				return i
			}
		}
		return -1
	}},
	{"CL208", "a compaction that keeps nothing (#48810)", func(p *patient) int {
		for i, r := range p.rows {
			if r["type"] == "compaction" {
				delete(r, "firstKeptEntryId")
				return i
			}
		}
		return -1
	}},
	{"CL209", "a parent that comes later (#64287)", func(p *patient) int {
		i := p.late("user")
		p.rows[i]["parentId"] = p.rows[len(p.rows)-1]["id"]
		p.rows[len(p.rows)-1]["parentId"] = p.rows[i-1]["id"]
		return i
	}},
	{"CL210", "no parentId (#64287)",
		func(p *patient) int { i := p.late("user"); delete(p.rows[i], "parentId"); return i }},
	{"CL211", "a context edit without its target", func(p *patient) int {
		p.messageOf(p.late("reply"))["usage"].(row)["totalFromProvider"] = true // only pi writes it
		p.entry(row{"type": "context_edit", "targetId": "deadbeef", "replacement": nil})
		return len(p.rows) - 1
	}},
	{"CL212", "a compaction without a summary (after a time-out)", func(p *patient) int {
		i := p.compaction()
		p.rows[i]["summary"] = ""
		return i
	}},
	{"CL213", "a summary without content (#122617)", func(p *patient) int {
		i := p.compaction()
		p.rows[i]["summary"] = "## Decisions\nNo prior history.\n\n## Open TODOs\nNone."
		return i
	}},
	{"CL214", "a summary that was shortened", func(p *patient) int {
		i := p.compaction()
		p.rows[i]["summary"] = "## Goal\nMend the roof.\n\n[Compaction summary truncated to fit budget]"
		return i
	}},
	{"CL215", "a compaction of a run that another one has followed (#127551)", func(p *patient) int {
		i := p.compaction()
		p.messageOf(3)["__openclaw"] = row{"runId": "run-1"}
		p.messageOf(i - 1)["__openclaw"] = row{"runId": "run-2"}
		p.rows[i]["__openclaw"] = row{"runId": "run-1"}
		return i
	}},
	{"CL301", "a call without its result (#9769)",
		func(p *patient) int { i := p.late("toolResult"); p.drop(i); return i - 1 }},
	{"CL302", "a result without its call (#14322)",
		func(p *patient) int { i := p.late("toolResult"); p.messageOf(i)["toolCallId"] = "toolu_gone"; return i }},
	{"CL303", "a repeated result (#14322)", func(p *patient) int {
		m := p.messageOf(p.late("toolResult"))
		p.message(row{"role": "toolResult", "toolCallId": m["toolCallId"], "toolName": "read", "content": []any{text("more")},
			"isError": false})
		last := p.rows[len(p.rows)-1]
		p.rows = p.rows[:len(p.rows)-1]
		for i, r := range p.rows {
			if o, _ := r["message"].(row); o["toolCallId"] == m["toolCallId"] {
				last["parentId"], last["timestamp"] = r["id"], r["timestamp"]
				p.rows[i+1]["parentId"] = last["id"]
				p.rows = append(p.rows[:i+1], append([]row{last}, p.rows[i+1:]...)...)
				return i + 1
			}
		}
		return -1
	}},
	{"CL304", "a user between call and result (#16823)", func(p *patient) int {
		i := p.late("toolResult")
		p.rows[i]["message"], p.rows[i+1]["message"] = row{"role": "user", "content": "wait"}, p.rows[i]["message"]
		return i + 1
	}},
	{"CL305", "an aborted call (#8264)", func(p *patient) int {
		i := p.late("toolResult")
		p.messageOf(i - 1)["stopReason"] = "aborted"
		p.drop(i)
		return i - 1
	}},
	{"CL306", "a call whose arguments were still arriving (#8264)", func(p *patient) int {
		i := p.late("call")
		call := p.block(i, 2)
		call["partialJson"] = `{"path":"`
		return i
	}},
	{"CL307", "a result before its call (#16823)", func(p *patient) int {
		i := p.late("toolResult")
		p.rows[i]["message"], p.rows[i-1]["message"] = p.rows[i-1]["message"], p.rows[i]["message"]
		return i - 1
	}},
	{"CL401", "no user at the start", func(p *patient) int {
		compaction := p.compaction()
		p.drop(compaction + 1)
		p.drop(compaction)
		p.drop(2)
		return 2
	}},
	{"CL402", "only white space",
		func(p *patient) int { i := p.late("reply"); p.block(i, 0)["text"] = " \n"; return i }},
	{"CL403", "a truncated signature (#84430)", func(p *patient) int {
		i := p.late("call")
		p.block(i, 0)["thinkingSignature"] = signature[:12]
		return i
	}},
	{"CL403", "an empty signature (#92201)",
		func(p *patient) int { i := p.late("call"); p.block(i, 0)["thinkingSignature"] = ""; return i }},
	{"CL404", "an id with invalid characters", func(p *patient) int {
		i := p.late("call")
		p.block(i, 2)["id"] = "call|1"
		p.messageOf(i + 1)["toolCallId"] = "call|1"
		return i
	}},
	{"CL405", "a tool name with a dot",
		func(p *patient) int { i := p.late("call"); p.block(i, 2)["name"] = "file.read"; return i }},
	{"CL406", "image data that is not an image", func(p *patient) int {
		i := p.late("user")
		p.messageOf(i)["content"] = []any{text("see"), row{"type": "image", "data": "!", "mimeType": "image/png"}}
		return i
	}},
	{"CL407", "half of a character in a text", func(p *patient) int {
		i := p.late("reply")
		p.raw[i] = strings.Replace(p.text(i), "answer", `answ\ud83d`, 1)
		return i
	}},
	{"CL408", "a mirror (#99470)", func(p *patient) int {
		i := p.late("reply")
		p.messageOf(i)["provider"], p.messageOf(i)["model"] = "openclaw", "delivery-mirror"
		return i
	}},
	{"CL409", "a block of an unknown kind", func(p *patient) int {
		i := p.late("user")
		p.messageOf(i)["content"] = []any{text("see"), row{"type": "hologram"}}
		return i
	}},
	{"CL410", "white space at the end", func(p *patient) int {
		i := len(p.rows) - 1
		p.block(i, 0)["text"] = "done "
		return i
	}},
	{"CL412", "another provider's thinking", func(p *patient) int {
		i := p.late("call")
		p.messageOf(i)["provider"], p.messageOf(i)["model"] = "openai", "gpt-6"
		p.block(i, 0)["thinkingSignature"] = "{}"
		return i
	}},
	{"CL414", "a provider's checkpoint", func(p *patient) int { return p.replay("id", "cmp_1") }},
	{"CL601", "no usage (#69347)",
		func(p *patient) int { i := p.late("reply"); delete(p.messageOf(i), "usage"); return i }},
	{"CL602", "usage of the older shape (#20599)", func(p *patient) int {
		i := p.late("reply")
		p.messageOf(i)["usage"] = row{
			"input": 1, "output": 1, "total": 2, "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2,
		}
		return i
	}},
	{"CL603", "a wrong total (#20599)", func(p *patient) int {
		i := p.late("reply")
		p.messageOf(i)["usage"].(row)["totalTokens"] = 99
		return i
	}},
	{"CL604", "usage of a mirror (#99470)", func(p *patient) int {
		i := p.late("reply")
		p.messageOf(i)["provider"], p.messageOf(i)["model"] = "openclaw", "gateway-injected"
		return i
	}},
	{"CL605", "a harness", func(p *patient) int {
		i := p.late("reply")
		p.messageOf(i)["api"] = "cli"
		return i
	}},
	{"CL701", "nearly all base64 (#143973)", func(p *patient) int {
		i := p.late("user")
		data := "iVBORw0KGgoAAAAN" + strings.Repeat("AAAA", 50000)
		p.messageOf(i)["content"] = []any{row{"type": "image", "data": data, "mimeType": "image/png"}}
		return 0
	}},
	{"CL702", "an API key (#12182)", func(p *patient) int {
		i := p.late("user")
		p.messageOf(i)["content"] = "use " + "sk-" + "ant-api03-" + strings.Repeat("x1Y2", 10)
		return i
	}},
	{"CL703", "a redacted argument (#104992)", func(p *patient) int {
		i := p.late("call")
		p.block(i, 2)["arguments"] = row{"path": "[REDACTED]"}
		return i
	}},
	{"CL704", "a password that OpenClaw masked (#142821)", func(p *patient) int {
		i := p.late("user")
		p.block(i, 0)["text"] = "export PASSWORD=*** and go on"
		return i
	}},
	{"CL704", "a long key that OpenClaw masked (#142821)", func(p *patient) int {
		i := p.late("call")
		p.block(i, 1)["text"] = "I use sk-ant…Qf2A for it."
		return i
	}},
}
