package render

import (
	"runtime"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
)

// renderLines renders a transcript in which the model sees everything.
func renderLines(t *testing.T, style Style, lines ...string) string {
	t.Helper()
	var out strings.Builder
	text := NewText(&out, style)
	var m parts.Maker
	for rec, err := range jsonl.Records(strings.NewReader(strings.Join(lines, "\n")+"\n"), jsonl.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if err := text.Entry(m.Entry(rec), parts.Position{OnPath: true, InContext: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := text.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

const (
	askLine = `{"type":"message","id":"a","timestamp":"2026-05-04T14:53:00Z","message":{"role":"user","content":"Go on"}}`
	runLine = `{"type":"message","id":"b","timestamp":"2026-05-04T14:53:10Z",` +
		`"message":{"role":"assistant","model":"m",` +
		`"content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls\n-l"}},` +
		`{"type":"text","text":"Wait."},{"type":"toolCall","id":"c2","name":"read","arguments":{"path":"x"}}]}}`
	firstResult = `{"type":"message","id":"c","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash",` +
		`"content":"\n\nfile one\nfile two"}}`
	secondResult = `{"type":"message","id":"d","message":{"role":"toolResult","toolCallId":"c2","toolName":"read",` +
		`"content":"no such file","isError":true}}`
)

func TestTextPairsCallsWithResults(t *testing.T) {
	const want = `── Monday, 4 May 2026 ──────────────────────────────────────────────────────────

❯ You · 14:53
  Go on

● m · 14:53
  ▸ bash ls -l → file one (19 B)

  Wait.

  ✗ read x → no such file (12 B)
`
	for _, order := range [][]string{{firstResult, secondResult}, {secondResult, firstResult}} {
		if got := renderLines(t, Style{}, append([]string{askLine, runLine}, order...)...); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestTextFlushesCallsWithoutResults(t *testing.T) {
	got := renderLines(t, Style{}, runLine, askLine, firstResult)
	for _, want := range []string{"▸ bash ls -l (no result)\n", "▸ result of bash ls -l → file one (19 B)\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing from\n%s", want, got)
		}
	}
}

// The memory of a conversation without results is bounded.
func TestTextHoldsLittle(t *testing.T) {
	var out strings.Builder
	text := NewText(&out, Style{})
	var m parts.Maker
	for range 3 * maxCalls {
		for rec := range jsonl.Records(strings.NewReader(runLine), jsonl.Options{}) {
			if err := text.Entry(m.Entry(rec), parts.Position{}); err != nil {
				t.Fatal(err)
			}
		}
		if len(text.calls.queue) > maxCalls+4 || len(text.calls.known) > maxCalls {
			t.Fatal("too much is held:", len(text.calls.queue), len(text.calls.known))
		}
	}
}

func TestTextNeverControlsTheTerminal(t *testing.T) {
	line := strings.ReplaceAll(askLine, "Go on", `\u001b[2J**x\u202e** [a](b\u0007)`)
	for _, width := range []int{0, 40} {
		got := renderLines(t, Style{Width: width}, line)
		if strings.ContainsAny(got, "\x1b\x07\u202e") {
			t.Errorf("%q", got)
		}
	}
}

// A word may be as long as a message. Its text is not copied for every character.
func TestLongWords(t *testing.T) {
	const size = 1 << 18
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	lines := Style{}.wrapSpans([]span{{text: strings.Repeat("a", size)}, {text: "b c"}}, 64)
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 20*size {
		t.Errorf("%d bytes take %d", size, bytes)
	}
	if want := size/64 + 1; len(lines) != want || lines[want-1] != "b c" {
		t.Errorf("%d lines instead of %d, and the last is %q", len(lines), want, lines[len(lines)-1])
	}
}

// A request that keeps a cache warm is no part of the answer before it: it has not taken that long, and its size is not
// that of the context.
func TestRequestsWithoutMessage(t *testing.T) {
	const answer = `{"type":"message","id":"b","timestamp":"2026-05-04T14:53:10Z",` +
		`"message":{"role":"assistant","model":"m",` +
		`"content":"Yes.","usage":{"input":10,"output":5,"totalTokens":115,"cacheRead":100,"cost":{"total":0.25}}}}`
	const warm = `{"type":"usage","id":"c","timestamp":"2026-05-04T14:58:10Z","kind":"cache_warm","provider":"p",` +
		`"model":"m","usage":{"input":3,"output":1,"cacheRead":110,"totalTokens":114,"cost":{"total":0.05}}}`
	for _, test := range []struct {
		tools Tools
		want  string
	}{
		{Style{}.Tools, "Yes.\n\n  context 115 · 5 out · $0.25 · 10s · 2 requests without a message $0.10\n"},
		{ToolsFull, "\n  · paid work without a message: cache_warm · 114 tokens · $0.05\n"},
	} {
		got := renderLines(t, Style{Tools: test.tools}, askLine, answer, warm, warm)
		if !strings.Contains(got, test.want) {
			t.Errorf("got\n%s\nwant\n%s", got, test.want)
		}
	}
}
