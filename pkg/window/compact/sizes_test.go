package compact

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A sizer generates random transcripts of OpenClaw with everything that decides how large a context is, and where a
// compaction cuts. OpenClaw reads all of them.
type sizer struct {
	*rand.Rand
	lines      []string
	ids        []string
	calls      []string
	callNumber int
}

func (w *sizer) of(list ...string) string { return list[w.IntN(len(list))] }

func (w *sizer) maybe(percent int) bool { return w.IntN(100) < percent }

// onePixel is the smallest image that programs can decode, as a JSON string.
const onePixel = `"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNgAAAAAgAB5Sfe/AAAAABJRU5ErkJggg=="`

// scripts are texts of languages that OpenClaw counts in different ways, and of characters at the edges of its ranges.
var scripts = []string{
	"plain words of English, ", "naïve café, ", "请把这个文件翻译成英文，", "繁體中文與標點符號。",
	"日本語のテキストとカタカナ、", "ｶﾀｶﾅ ＡＢＣ！", "한국어 문장입니다. ",
	"mixed 中文 and 한글 with ASCII ", "emoji 😀👩‍👩‍👧 🇺🇳 ", "𠀀𪚥 rare 㐀䶵 ", "· ˇ ˉ ˙ ˪ ̅ ̣ ", "〱〇㆐㆟ㆠꀀ꓿꜀꜇ꥠꥼ",
	"힡ힰퟻ豈﫿︐﹏！｠｡ￜ￠￦", "𖿠𚿰𛀀𛅯𝍠𝍱𝍲🈀🋿🌀", "ᄀᇿሀ⺀⻿㌀一龥龦鿿",
	`half \ud83d and \ude00 `, `quoted \"text\" \\ \n\t\u0001 `, " \u00a0\u3000\u200b ",
}

// text returns a JSON string. Some are long enough to fill what a compaction keeps.
func (w *sizer) text() string {
	if w.maybe(6) {
		return `""`
	}
	var b strings.Builder
	for range 1 + w.IntN(3) {
		b.WriteString(strings.Repeat(scripts[w.IntN(len(scripts))], 1+w.repeats()))
	}
	return `"` + b.String() + `"`
}

func (w *sizer) repeats() int {
	switch w.IntN(12) {
	case 0:
		return w.IntN(600)
	case 1, 2, 3:
		return w.IntN(60)
	}
	return w.IntN(5)
}

// character returns a JSON string of one character, which may be any.
func (w *sizer) character() string {
	for {
		if r := rune(0xa0 + w.IntN(0x33500)); r < 0xd800 || r > 0xdfff {
			return strconv.Quote(string([]rune{'a', r}))
		}
	}
}

func (w *sizer) anyText() string {
	if w.maybe(15) {
		if c := w.character(); !strings.Contains(c, `\`) {
			return c
		}
	}
	return w.text()
}

// part returns a block of any message except an answer.
func (w *sizer) part() string {
	switch w.IntN(12) {
	case 0, 1:
		return `{"type":"image","mimeType":"image/png","data":` + onePixel + `}`
	case 2:
		return `{"type":"` + w.of("toolResult", "tool_result") + `","id":"t1",` +
			w.of(`"text":`+w.text(), `"content":`+w.text(), `"content":[{"type":"text","text":"inside"}]`,
				`"text":"","content":"x"`) + `}`
	case 3:
		return w.of(`{"type":"novel","text":"unseen"}`, `{"type":"thinking","thinking":"unseen"}`, `{"text":"no type"}`)
	}
	return `{"type":"text","text":` + w.anyText() + `}`
}

func (w *sizer) parts() string {
	if w.maybe(30) {
		return w.anyText()
	}
	parts := make([]string, w.IntN(4))
	for i := range parts {
		parts[i] = w.part()
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// sender returns what OpenClaw keeps about the sender of a message.
func (w *sizer) sender() string {
	if w.maybe(60) {
		return w.of("", "", `,"__openclaw":{"id":"x"}`, `,"__openclaw":null`, `,"__openclaw":[]`)
	}
	name := func() string {
		return w.of(`"Ann"`, `" 王小明 "`, `"a \"b\" \\ c"`, `"\u0000김\u0000"`, `""`, `" \t "`, `7`, `null`)
	}
	return `,"__openclaw":{"senderId":` + w.of(`"42"`, `" u1 "`, `"\u0000"`, `""`, `9`, `"身份"`) +
		w.of("", `,"senderName":`+name()) + w.of("", `,"senderUsername":`+name()) + `}`
}

func (w *sizer) exclude() string {
	return w.of("", "", "", "", "", "", "", `,"excludeFromContext":true`, `,"excludeFromContext":false`)
}

// argument returns any JSON value, with white space and numbers that JavaScript writes in another way.
func (w *sizer) argument(depth int) string {
	switch w.IntN(9) {
	case 0:
		return w.of("1.0", "-0", "1e3", "1.5e-9", "-2.50", "12345678901234567890", "1e21", "1E+400", "0.000001", "-7")
	case 1:
		return w.of("true", "false", "null")
	case 2, 3:
		if depth > 0 {
			return `[ ` + w.argument(depth-1) + `, ` + w.argument(depth-1) + `]`
		}
	case 4, 5:
		if depth > 0 {
			return `{"a\n":` + w.argument(depth-1) + ` , "键":` + w.argument(depth-1) + w.of("", `,"键":1`) + `}`
		}
	}
	return w.text()
}

func (w *sizer) answerBlock() string {
	switch w.IntN(6) {
	case 0:
		return `{"type":"thinking","thinking":` + w.anyText() + `,"thinkingSignature":"x"}`
	case 1, 2:
		w.callNumber++
		id := fmt.Sprintf("call%d", w.callNumber)
		w.calls = append(w.calls, id)
		return fmt.Sprintf(`{"type":"toolCall","id":%q,"name":%s%s}`, id, w.of(`"read"`, `"执行"`),
			w.of(`,"arguments":{}`, `,"arguments":`+w.argument(2), `,"arguments":`+w.argument(2), ""))
	case 3:
		return w.of(`{"type":"image","mimeType":"image/png","data":`+onePixel+`}`, `{"type":"novel"}`,
			`{"type":"text","text":""}`)
	}
	return `{"type":"text","text":` + w.anyText() + `}`
}

// usage returns what an answer says about the size of the context.
func (w *sizer) usage() string {
	if w.maybe(12) {
		return w.of("", `,"usage":null`, `,"usage":{}`, `,"usage":{"input":5,"output":5}`)
	}
	total := w.IntN(400)
	if w.maybe(40) {
		total = w.IntN(250_000)
	}
	input := w.IntN(total + 1)
	output := (total - input) / 2
	counts := fmt.Sprintf(`"input":%d,"output":%d,"cacheRead":%d,"cacheWrite":0`, input, output, total-input-output)
	if w.maybe(15) {
		counts, total = `"input":0,"output":0,"cacheRead":0,"cacheWrite":0`, 0
	}
	sum := fmt.Sprintf(`,"totalTokens":%d`, total)
	stated := w.of(sum, sum, `,"totalTokens":0`, "")
	return `,"usage":{` + counts + stated + w.contextUsage() + `}`
}

func (w *sizer) contextUsage() string {
	if w.maybe(55) {
		return ""
	}
	return `,"contextUsage":` + w.of(
		fmt.Sprintf(`{"state":"available","totalTokens":%d}`, w.IntN(90_000)),
		fmt.Sprintf(`{"state":"available","totalTokens":%d}`, w.IntN(900)),
		`{"state":"available","totalTokens":0}`, `{"state":"unavailable"}`, `{"state":"unavailable"}`,
		`{"state":"available"}`, `{"state":"novel"}`, `null`)
}

func (w *sizer) answer() {
	content := w.anyText()
	if w.maybe(93) {
		blocks := make([]string, w.IntN(4))
		for i := range blocks {
			blocks[i] = w.answerBlock()
		}
		content = "[" + strings.Join(blocks, ",") + "]"
	}
	who := w.of(`"provider":"anthropic","model":"claude-opus-4-6"`, `"provider":"openai","model":"gpt-5"`,
		`"provider":"openclaw","model":"delivery-mirror"`)
	w.put("message", fmt.Sprintf(`"message":{"role":"assistant","content":%s,"api":%s,%s,"stopReason":%s%s%s}`, content,
		w.of(`"anthropic-messages"`, `"openai-responses"`, `"anthropic-messages"`, `"cli"`), who,
		w.of(`"stop"`, `"stop"`, `"toolUse"`, `"length"`, `"error"`, `"aborted"`), w.usage(), w.exclude()))
}

func (w *sizer) result() {
	id := "gone"
	if n := len(w.calls); n > 0 && w.maybe(90) {
		id = w.calls[n-1]
		if w.maybe(15) {
			id = w.calls[w.IntN(n)]
		}
	}
	w.put("message", fmt.Sprintf(
		`"message":{"role":"toolResult","toolCallId":%q,"toolName":"read","content":%s,"isError":false%s}`,
		id, w.parts(), w.exclude()))
}

// put adds an entry under the last one, or sometimes under another one, which begins a branch.
func (w *sizer) put(kind, body string) {
	id, parent := fmt.Sprintf("e%d", len(w.lines)), "null"
	if n := len(w.ids); n > 0 {
		parent = strconv.Quote(w.ids[n-1])
		if w.maybe(2) {
			parent = strconv.Quote(w.ids[w.IntN(n)])
		}
	}
	w.lines = append(w.lines, fmt.Sprintf(`{"type":%q,"id":%q,"parentId":%s,"timestamp":"2026-05-01T10:00:00.000Z",%s}`,
		kind, id, parent, body))
	w.ids = append(w.ids, id)
}

// earlier returns the id of an entry that a compaction or reset may keep, or of none.
func (w *sizer) earlier() string {
	if n := len(w.ids); n > 0 && w.maybe(85) {
		return w.ids[n-1-w.IntN(min(n, 12))]
	}
	return w.of("gone", fmt.Sprintf("e%d", len(w.lines)), fmt.Sprintf("e%d", len(w.lines)+2))
}

func (w *sizer) boundary() {
	kept := w.earlier()
	if w.maybe(40) {
		keeps := fmt.Sprintf(`,"firstKeptEntryId":%q`, kept)
		w.put("reset", `"reason":"new"`+w.of("", keeps, keeps))
		return
	}
	w.put("compaction", fmt.Sprintf(`"summary":%s,"tokensBefore":1,"firstKeptEntryId":%q%s`, w.anyText(), kept,
		w.of("", "", `,"fromHook":true`, `,"fromHook":false`)))
}

func (w *sizer) step() {
	carrier := w.of("", "", `,"details":{"runtimeContextCarrier":true}`, `,"details":{"runtimeContextCarrier":1}`)
	odd := w.of("", "", `,"excludeFromContext":true`, `,"excludeFromContext":"yes"`, `,"excludeFromContext":0`)
	switch n := w.IntN(40); {
	case n < 11:
		w.put("message", `"message":{"role":"user","content":`+w.parts()+w.sender()+w.exclude()+`}`)
	case n < 22:
		w.answer()
	case n < 29:
		w.result()
	case n < 31:
		w.put("message", `"message":{"role":"bashExecution","command":`+w.text()+`,"output":`+w.text()+odd+`}`)
	case n < 33:
		w.put("message", `"message":{"role":"custom","customType":"x","content":`+w.parts()+carrier+odd+`}`)
	case n < 35:
		w.put("custom_message", `"customType":"x","display":true,"content":`+w.parts()+carrier)
	case n < 36:
		w.put("branch_summary", `"fromId":"root","summary":`+w.text())
	case n < 38:
		w.boundary()
	default:
		rows := [][2]string{{"model_change", `"provider":"kimi","modelId":"k2"`}, {"custom", `"customType":"x","data":{}`},
			{"thinking_level_change", `"thinkingLevel":"low"`}}
		row := rows[w.IntN(len(rows))]
		w.put(row[0], row[1])
	}
}

// sizedTranscript returns the transcript for a seed that OpenClaw reads and measures.
func sizedTranscript(seed uint64) []byte {
	w := &sizer{Rand: rand.New(rand.NewPCG(seed, 35))}
	w.lines = append(w.lines, `{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}`)
	for range 1 + w.IntN(40) {
		w.step()
	}
	return []byte(strings.Join(w.lines, "\n") + "\n")
}
