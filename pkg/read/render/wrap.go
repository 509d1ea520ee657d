package render

import (
	"strings"

	"clawctl/internal/ui"

	"github.com/clipperhouse/displaywidth"
)

// A span is a piece of text in one style.
type span struct {
	text  string
	style ui.Style
}

// A word is text that is not broken, unless it is wider than a line.
type word struct {
	spans []span
	width int
	space bool // there is a space before it
}

// wrapSpans breaks a paragraph into lines of at most width columns.
func (s Style) wrapSpans(spans []span, width int) []string {
	return s.wrapSpansExactly(spans, max(width, 10))
}

// wrapSpansExactly is wrapSpans for a cell, which may be very narrow.
func (s Style) wrapSpansExactly(spans []span, width int) []string {
	f := filler{style: s, width: max(width, 2)}
	for _, w := range wordsOf(spans) {
		f.add(w)
	}
	return f.finish()
}

// wordsOf splits spans at spaces, and around wide characters, which may be broken anywhere.
func wordsOf(spans []span) []word {
	var words []word
	space, joins := false, false
	for _, sp := range spans {
		graphemes := displaywidth.StringGraphemes(sp.text)
		start, end := 0, 0 // of the part of the last word that is in this span
		for graphemes.Next() {
			text, width := graphemes.Value(), graphemes.Width()
			end += len(text)
			if text == " " || text == "\t" || text == "\n" {
				space, joins = true, false
				start = end
				continue
			}
			isWide := width > 1
			if !joins && !(isClosing(text) && !space && len(words) > 0) || isWide && !isClosing(text) {
				words = append(words, word{space: space})
				start = end - len(text)
			}
			words[len(words)-1].extend(sp.text[start:end], len(text), width, sp.style)
			space, joins = false, !isWide
		}
	}
	return words
}

// isClosing reports whether a character must not begin a line.
func isClosing(text string) bool {
	return strings.Contains("、。，．！？）」』】》：；", text)
}

// extend adds the last bytes of a part of a span to a word, which has the rest of the part. The text is not copied,
// because a word may be as long as a message.
func (w *word) extend(part string, bytes, width int, style ui.Style) {
	w.width += width
	if len(part) > bytes {
		w.spans[len(w.spans)-1].text = part
		return
	}
	w.spans = append(w.spans, span{part, style})
}

// A filler fills lines with words.
type filler struct {
	style  Style
	width  int
	lines  []string
	line   []span
	column int
}

func (f *filler) add(w word) {
	need := w.width
	if w.space && f.column > 0 {
		need++
	}
	switch {
	case f.column+need <= f.width:
		if need > w.width {
			f.space(w.spans[0].style)
		}
	case w.width > f.width:
		f.breakWord(w)
		return
	default:
		f.end()
	}
	f.line = append(f.line, w.spans...)
	f.column += w.width
}

// space puts a space between two words, in their style if both have the same.
func (f *filler) space(next ui.Style) {
	style := ui.Plain
	if n := len(f.line); n > 0 && f.line[n-1].style == next {
		style = next
	}
	f.line = append(f.line, span{" ", style})
	f.column++
}

// breakWord spreads a word that is wider than a line.
func (f *filler) breakWord(w word) {
	if f.column > 0 {
		f.end()
	}
	for _, sp := range w.spans {
		graphemes := displaywidth.StringGraphemes(sp.text)
		start, end := 0, 0
		for graphemes.Next() {
			if f.column+graphemes.Width() > f.width {
				f.line = append(f.line, span{sp.text[start:end], sp.style})
				f.end()
				start = end
			}
			f.column += graphemes.Width()
			end += len(graphemes.Value())
		}
		f.line = append(f.line, span{sp.text[start:end], sp.style})
	}
}

// end ends the current line.
func (f *filler) end() {
	f.lines = append(f.lines, f.style.paintSpans(f.line))
	f.line, f.column = f.line[:0], 0
}

func (f *filler) finish() []string {
	if f.column > 0 || len(f.lines) == 0 {
		f.end()
	}
	return f.lines
}

// paintSpans joins spans, those of one style together.
func (s Style) paintSpans(spans []span) string {
	var b strings.Builder
	for i := 0; i < len(spans); {
		var text strings.Builder
		first := spans[i].style
		for ; i < len(spans) && spans[i].style == first; i++ {
			text.WriteString(spans[i].text)
		}
		b.WriteString(s.paint(first, text.String()))
	}
	return b.String()
}

// wrapVerbatim breaks a line of code or output wherever it reaches the width, and keeps its spaces.
func wrapVerbatim(line string, width int) []string {
	var pieces []string
	width = max(width, 10)
	line = expandTabs(line)
	if len(line) <= width || ui.Width(line) <= width {
		return []string{line}
	}
	graphemes := displaywidth.StringGraphemes(line)
	start, end, column := 0, 0, 0
	for graphemes.Next() {
		if column+graphemes.Width() > width {
			pieces = append(pieces, line[start:end])
			start, column = end, 0
		}
		column += graphemes.Width()
		end += len(graphemes.Value())
	}
	return append(pieces, line[start:])
}

// expandTabs replaces tabs by spaces, so that widths are known.
func expandTabs(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	return strings.ReplaceAll(line, "\t", "    ")
}
