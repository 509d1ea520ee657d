package render

import (
	"math/rand/v2"
	"strings"
	"testing"

	"clawctl/internal/longtest"
	"clawctl/internal/ui"
)

// pieces are what random Markdown is made of.
var pieces = []string{
	"word", " ", "\n", "\n\n", "**", "*", "_", "`", "``", "```\n", "~~~\n", "    ", "- ", "1. ", "> ", "# ",
	"|", "|---|---|\n",
	"[a](b)", "[", "](javascript:x)", "<script>", "</details>", "日本語", "👩‍👩‍👧", "e\u0301", "\t", "\\", "---\n",
	strings.Repeat("long", 30), "\x1b[31m", "\r", "&lt;",
}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(60) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// No line is wider than the terminal, whatever the text is, and nothing in it controls the terminal.
func TestMarkdownFitsTheTerminal(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range longtest.Rounds(t, "CLAWCTL_TEXTS", 1000, 50_000) {
		text, width := randomText(r), 40+r.IntN(80)
		m := &markdown{style: Style{Width: width, Color: r.IntN(2) == 0}.withDefaults(), width: width, wide: width}
		for _, line := range m.render(clean(text)) {
			if w := ui.PaintedWidth(line); w > width {
				t.Fatalf("%d of %d columns: %q in %q", w, width, line, text)
			}
		}
	}
}

// No < of a text survives outside of fenced code that begins in the first column.
func TestInertTextHasNoHTML(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	ours := strings.NewReplacer("<code>", "", "</code>", "")
	for range longtest.Rounds(t, "CLAWCTL_TEXTS", 5000, 200_000) {
		text := randomText(r)
		fence := ""
		for line := range strings.SplitSeq(inert(text), "\n") {
			switch {
			case fence != "":
				if closesFence(strings.TrimSpace(line), fence) {
					fence = ""
				}
			case isFence(line) && !strings.Contains(line[len(fenceOf(line)):], "`"):
				fence = fenceOf(line)
			case strings.Contains(ours.Replace(line), "<"):
				t.Fatalf("%q in %q", line, text)
			}
		}
		if fence != "" {
			t.Fatalf("a fence stays open in %q", text)
		}
	}
}

func TestInert(t *testing.T) {
	for text, want := range map[string]string{
		"a <b> `<c>` d":                    "a &lt;b> <code>&lt;c&gt;</code> d\n",
		"[x](javascript:y) [x](JaVa&#58;)": "[x\\](javascript:y) [x\\](JaVa&#58;)\n",
		"[x](https://a) [y](b.md)":         "[x](https://a) [y](b.md)\n",
		"  ```go\n  <a>\n  ```\n<b>":       "```go\n<a>\n```\n&lt;b>\n",
		"```\n<a>":                         "```\n<a>\n```\n",
	} {
		if got := inert(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Hostile text takes time in proportion to its length: the number of spans does.
func TestInlineIsLinear(t *testing.T) {
	for _, piece := range []string{"*a ", "**a**", "[a](", "`", "``a` ", "_a_", "[[", "a*"} {
		style := Style{Color: true}
		short, long := style.inline(strings.Repeat(piece, 1000)), style.inline(strings.Repeat(piece, 10000))
		if len(long) > 12*len(short)+100 {
			t.Errorf("%q: %d spans became %d", piece, len(short), len(long))
		}
	}
}
