package page

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"time"

	"clawctl/pkg/jsonl"
)

// A writer of transcripts for tests.
type scribe struct {
	bytes.Buffer
	at     time.Time
	parent string
	n      int
}

func newScribe() *scribe {
	s := &scribe{at: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), parent: "null"}
	s.WriteString(`{"type":"session","version":3,"id":"s1","timestamp":"2026-03-02T09:00:00.000Z",` +
		`"cwd":"/home/ada/work"}` + "\n")
	return s
}

// add adds a record that continues the last one, and returns its id.
func (s *scribe) add(kind, rest string, args ...any) string {
	s.n++
	s.at = s.at.Add(17 * time.Second)
	id := fmt.Sprintf("%08x", s.n*2654435761%(1<<32))
	fmt.Fprintf(s, `{"type":"%s","id":"%s","parentId":%s,"timestamp":"%s",`+rest+"}\n",
		append([]any{kind, id, s.parent, s.at.Format("2006-01-02T15:04:05.000Z")}, args...)...)
	s.parent = `"` + id + `"`
	return id
}

func (s *scribe) user(text string) string {
	return s.add("message", `"message":{"role":"user","content":[{"type":"text","text":%s}]}`, jsonl.Quote(text))
}

func (s *scribe) answer(text, blocks string) string {
	return s.add("message", `"message":{"role":"assistant","provider":"anthropic","model":"claude-sonnet-4-5",`+
		`"usage":{"input":1200,"output":88,"cacheRead":400,"cacheWrite":0,"totalTokens":1688,"cost":{"total":0.0123}},`+
		`"stopReason":"stop","content":[{"type":"text","text":%s}%s]}`, jsonl.Quote(text), blocks)
}

func (s *scribe) result(call, tool, text string, more string) string {
	return s.add("message", `"message":{"role":"toolResult","toolCallId":"%s","toolName":"%s",`+
		`"content":[{"type":"text","text":%s}],%s}`,
		call, tool, jsonl.Quote(text), cmp.Or(more, `"isError":false`))
}

// picture is a small PNG in base64.
func picture() string {
	img := image.NewRGBA(image.Rect(0, 0, 160, 90))
	for x := range 160 {
		for y := range 90 {
			img.Set(x, y, color.RGBA{uint8(x), uint8(2 * y), 140, 255})
		}
	}
	var b bytes.Buffer
	_ = png.Encode(&b, img)
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// richTranscript has one of everything: Markdown, an edit, an image, a failure, a compaction and a fork.
func richTranscript() []byte {
	s := newScribe()
	s.add("model_change", `"provider":"anthropic","modelId":"claude-sonnet-4-5"`)
	s.user("Please fix the parser.\nIt fails on **empty** input.")
	s.answer("I will look at it.", `,{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"parser.go"}}`)
	s.result("c1", "read",
		"package parser\n\n// Parse parses.\nfunc Parse(text string) int {\n\treturn int(text[0])\n}\n", "")
	s.answer("Found it:\n\n```go\nreturn int(text[0])\n```\n\n"+
		"| case | result |\n|---|---:|\n| empty | panic |\n| `a` | 97 |\n\n"+
		"1. check the length\n2. return *zero*\n\nSee [the docs](https://example.com/docs) for ~~nothing~~ more.",
		`,{"type":"toolCall","id":"c2","name":"edit","arguments":{"path":"parser.go","oldText":"\treturn int(text[0])",`+
			`"newText":"\tif text == \"\" {\n\t\treturn 0\n\t}\n\treturn int(text[0])"}}`)
	s.result("c2", "edit", "Edited parser.go", "")
	fork := s.answer("Done. The needle is here.", "")
	s.user("Run the tests on the first branch")
	s.answer("", `,{"type":"toolCall","id":"c3","name":"bash","arguments":{"command":"go test ./..."}}`)
	s.result("c3", "bash", "FAIL parser_test.go:12", `"isError":true,"details":{"exitCode":1}`)
	s.answer("They fail on the abandoned branch.", "")
	s.parent = `"` + fork + `"`
	s.user("Show me a picture on the second branch")
	s.add("message", `"message":{"role":"assistant","content":[{"type":"thinking",`+
		`"thinking":"Which picture? A needle."},`+
		`{"type":"text","text":"Here it is."}]}`)
	s.add("message", `"message":{"role":"user","content":[{"type":"text","text":"This one?"},{"type":"image",`+
		`"mimeType":"image/png","data":"%s"}]}`, picture())
	kept := s.answer("Yes, exactly this one.", "")
	s.add("compaction", `"summary":"## Summary\n\nThe parser was fixed.","firstKeptEntryId":"%s",`+
		`"tokensBefore":154000`, kept)
	s.user("And the last question?")
	s.answer("The last answer has a needle too.", "")
	s.WriteString("{\"type\":\"message\",\"id\":\"broken\n")
	return s.Bytes()
}

var vocabulary = strings.Fields("the parser reads a record and writes it to the store while the index grows " +
	"with every session so that a summary of the context fits into the window of the model before the next turn begins")

func sentence(r *rand.Rand, words int) string {
	out := make([]string, words)
	for i := range out {
		out[i] = vocabulary[r.IntN(len(vocabulary))]
	}
	return strings.Join(out, " ")
}

// longTranscript has about n entries: turns with two tool calls each.
func longTranscript(n int, scale int) []byte {
	s := newScribe()
	r := rand.New(rand.NewPCG(1, 2))
	for s.n < n {
		s.user(fmt.Sprintf("Question %d: %s?", s.n, sentence(r, 12)))
		for i := range 2 {
			call := fmt.Sprintf("call%d_%d", s.n, i)
			s.answer("Step: "+sentence(r, 30), fmt.Sprintf(`,{"type":"toolCall","id":"%s","name":"bash",`+
				`"arguments":{"command":"grep -n %s *.go"}}`, call, sentence(r, 2)))
			s.result(call, "bash", sentence(r, 120*scale)+"\n"+sentence(r, 60), "")
		}
		s.answer("## Result\n\n"+sentence(r, 80)+"\n\n```go\nfunc f() { return "+sentence(r, 4)+
			" }\n```\n\n- "+sentence(r, 9)+"\n- "+sentence(r, 9), "")
	}
	s.user("The very last needle of the haystack")
	return s.Bytes()
}
