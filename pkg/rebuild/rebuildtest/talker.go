// Package rebuildtest generates transcripts for tests.
package rebuildtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A talker generates random transcripts that often contain everything a request can be refused for.
type talker struct {
	*rand.Rand
	lines []string
	ids   []string
	calls []string
}

func (w *talker) of(list ...string) string { return list[w.IntN(len(list))] }

func (w *talker) maybe(percent int) bool { return w.IntN(100) < percent }

// row adds an entry under the last one, or sometimes elsewhere.
func (w *talker) row(kind, body string) {
	id, parent := fmt.Sprintf("e%d", len(w.lines)), "null"
	if n := len(w.ids); n > 0 {
		parent = `"` + w.ids[n-1] + `"`
		if w.maybe(4) {
			parent = w.of(`"`+w.ids[w.IntN(n)]+`"`, `"gone"`, "null")
		}
	}
	if w.maybe(2) && len(w.ids) > 0 {
		id = w.ids[w.IntN(len(w.ids))]
	}
	w.lines = append(w.lines, fmt.Sprintf(`{"type":%q,"id":%q,"parentId":%s,"timestamp":"2026-05-01T10:00:00.000Z",%s}`,
		kind, id, parent, body))
	w.ids = append(w.ids, id)
}

func (w *talker) text() string {
	return w.of(`""`, `" \n"`, `"words"`, `"more words "`, `"half \ud83d"`, `"whole \ud83d\ude00"`,
		`"\\u not an escape"`, `"ends\n"`, `null`, "\"bad \xff\"")
}

// onePixel is the smallest image that programs can decode, as a JSON string.
const onePixel = `"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNgAAAAAgAB5Sfe/AAAAABJRU5ErkJggg=="`

func (w *talker) block() string {
	id := w.of("t1", "t2", "call|fc_1", "", fmt.Sprintf("t%d", len(w.lines)))
	switch w.IntN(9) {
	case 0:
		return `{"type":"thinking","thinking":` + w.text() + `,"thinkingSignature":` +
			w.of(`""`, `"EpIC"`, `"CgkIARIFaGVsbG8aBmtlZXBlcg=="`) + `}`
	case 1:
		return `{"type":"image","mimeType":` + w.of(`"image/png"`, `"image/bmp"`) + `,"data":` +
			w.of(`""`, `"!"`, `"iVBORw0KGgoAAAANSUhEUgAA"`, onePixel, `"AAAA"`) + `}`
	case 2:
		return w.of(`{"type":"novel"}`, `{"type":5}`, `null`, `"bare"`,
			`{"type":"tool_result","tool_use_id":"t1","content":"inside"}`)
	case 3, 4, 5:
		w.calls = append(w.calls, id)
		return fmt.Sprintf(`{"type":%q,"id":%q,"name":%q,%s}`, w.of("toolCall", "toolUse", "tool_use"), id,
			w.of("read", "file.read", "", "exec"),
			w.of(`"arguments":{"a":1}`, `"input":{}`, `"arguments":"{\"a\":1}"`, `"arguments":"no"`, `"x":1`,
				`"arguments":{},"partialJson":"{\"a"`))
	}
	return `{"type":"text","text":` + w.text() + `}`
}

func (w *talker) content() string {
	if w.maybe(15) {
		return w.of(`"plain"`, `""`, `null`, `[]`, `{"type":"text","text":"one"}`, `7`)
	}
	blocks := make([]string, 1+w.IntN(3))
	for i := range blocks {
		blocks[i] = w.block()
	}
	return "[" + strings.Join(blocks, ",") + "]"
}

func (w *talker) step() {
	switch w.IntN(12) {
	case 0, 1, 2:
		w.row("message", `"message":{"role":"user","content":`+w.content()+`}`)
	case 3, 4, 5:
		w.row("message", `"message":{"role":"assistant","content":`+w.content()+`,"stopReason":`+w.of(`"stop"`, `"toolUse"`,
			`"error"`, `"aborted"`)+
			w.of(``, ``, ``, `,"provider":"openclaw","model":"delivery-mirror"`)+`}`)
	case 6, 7, 8:
		id := w.of("t1", "t2", "gone")
		if len(w.calls) > 0 && w.maybe(70) {
			id = w.calls[w.IntN(len(w.calls))]
		}
		w.row("message", fmt.Sprintf(`"message":{"role":"toolResult","toolCallId":%q,"toolName":"read","content":%s,`+
			`"isError":%s}`, id, w.content(), w.of("true", "false")))
	case 9:
		w.row("message", `"message":{"role":"bashExecution","command":"ls","output":"half \udc00"}`)
	case 10:
		w.row("custom_message", `"customType":"x","display":true,"content":`+w.content())
	case 11:
		kept := w.of("gone", "e1")
		if n := len(w.ids); n > 0 {
			kept = w.ids[w.IntN(n)]
		}
		w.row(w.of("compaction", "reset", "branch_summary"),
			fmt.Sprintf(`"summary":"so far","tokensBefore":1,"firstKeptEntryId":%q,"reason":"new","fromId":"root"`, kept))
	}
}

// Transcript returns the transcript for a seed.
func Transcript(seed uint64) []byte {
	w := &talker{Rand: rand.New(rand.NewPCG(seed, 1))}
	w.lines = append(w.lines, `{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}`)
	for range 2 + w.IntN(30) {
		w.step()
	}
	return []byte(strings.Join(w.lines, "\n") + "\n")
}
