package render

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"clawctl/internal/longtest"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/rebuild/rebuildtest"
)

// A printer is what Text and Markdown have in common.
type printer interface {
	Entry(*parts.Entry, parts.Position) error
	Close() error
}

// printAll gives every entry of a transcript to a printer, and calls after after each.
func printAll(t *testing.T, p printer, transcript []byte, after func(e *parts.Entry)) {
	t.Helper()
	var m parts.Maker
	for rec, err := range jsonl.Records(bytes.NewReader(transcript), jsonl.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e := m.Entry(rec); e != nil {
			if err := p.Entry(e, parts.Position{OnPath: true, InContext: true}); err != nil {
				t.Fatal(err)
			}
			after(e)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

// In every style, no line of a conversation is wider than the terminal, and nothing in it controls the terminal.
func TestRandomConversationsFit(t *testing.T) {
	for seed := range uint64(longtest.Rounds(t, "CLAWCTL_ROUNDS", 20, 2000)) {
		for _, style := range []Style{
			{Width: 40}, {Width: 80, Tools: ToolsFull, Thinking: true}, {Width: 100, Prose: 60, Color: true},
			{Width: 57, Tools: ToolsNone, Color: true}, {Width: 200, Prose: 400},
		} {
			var out strings.Builder
			printAll(t, NewText(&out, style), rebuildtest.Transcript(seed), func(*parts.Entry) {})
			for line := range strings.Lines(out.String()) {
				if w := ui.PaintedWidth(strings.TrimSuffix(line, "\n")); w > style.Width {
					t.Fatalf("seed %d: %d of %d columns: %q", seed, w, style.Width, line)
				}
			}
			if !style.Color && strings.ContainsFunc(out.String(), isControl) {
				t.Fatalf("seed %d: %q", seed, out.String())
			}
		}
	}
}

func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' }

// What is said is shown, as text and in Markdown, whatever is done with tools.
func TestEveryTextIsShown(t *testing.T) {
	for seed := range uint64(longtest.Rounds(t, "CLAWCTL_ROUNDS", 20, 2000)) {
		transcript := rebuildtest.Transcript(seed)
		for _, tools := range []Tools{ToolsNone, ToolsLine, ToolsFull} {
			var text, markdown strings.Builder
			for out, p := range map[*strings.Builder]printer{
				&text:     NewText(&text, Style{Tools: tools}),
				&markdown: NewMarkdown(&markdown, MarkdownOptions{Style: Style{Tools: tools}}),
			} {
				var want []string
				printAll(t, p, transcript, func(e *parts.Entry) {
					for _, part := range e.Parts {
						if part.Kind == parts.User || part.Kind == parts.Assistant {
							want = append(want, part.Text())
						}
					}
				})
				shown := letters(out.String())
				for _, said := range want {
					if !strings.Contains(shown, letters(said)) {
						t.Fatalf("seed %d, tools %s: %q is missing in\n%s", seed, tools, said, out.String())
					}
				}
			}
		}
	}
}

// letters is a text without what is laid out, marked up or escaped.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// Nothing is held back for long: after Flush, what was printed is what is printed at the end, without what comes later.
func TestFlushKeepsTheOrder(t *testing.T) {
	for seed := range uint64(longtest.Rounds(t, "CLAWCTL_ROUNDS", 20, 2000)) {
		var out strings.Builder
		text := NewText(&out, Style{Tools: ToolsFull})
		before := ""
		printAll(t, text, rebuildtest.Transcript(seed), func(*parts.Entry) {
			if err := text.Flush(); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(out.String(), before) || text.calls.waiting() {
				t.Fatalf("seed %d: %q is no longer at the beginning of %q", seed, before, out.String())
			}
			before = out.String()
		})
	}
}

// The words of spans come back in their order, and no line is wider than it should be.
func TestWrapKeepsWords(t *testing.T) {
	for _, text := range []string{
		"", "one", "one two  three\tfour", strings.Repeat("wide ", 40), "日本語のテキスト and words", "e\u0301e\u0301 👩‍👩‍👧 x",
		"a " + strings.Repeat("b", 100) + " c",
	} {
		for width := 10; width < 60; width += 5 {
			lines := Style{}.wrapSpans([]span{{text: text}}, width)
			for _, line := range lines {
				if w := ui.PaintedWidth(line); w > width {
					t.Errorf("%q has %d of %d columns", line, w, width)
				}
			}
			got := strings.Join(strings.Fields(strings.Join(lines, " ")), "")
			if want := strings.Join(strings.Fields(text), ""); got != want {
				t.Errorf("%q in %d columns: %q", text, width, lines)
			}
		}
	}
}
