package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"clawctl/internal/ui"
	"clawctl/pkg/change/secrets"
)

// A piece is a stretch of a snippet that matches, or one that does not.
type piece struct {
	text  string
	match bool
}

// snippet returns the text around the first match on one line of at most width columns, with all matches highlighted.
func snippet(term ui.Terminal, h Hit, width int) string {
	var b strings.Builder
	for _, piece := range fitPieces(pieces(h), width) {
		style := ui.Plain
		if piece.match {
			style = ui.Match
		}
		b.WriteString(term.Paint(style, piece.text))
	}
	return b.String()
}

// pieces cuts the text of a hit at the ends of its matches, with its keys masked. The first piece is the text before
// the first match, which may be empty.
func pieces(h Hit) []piece {
	list, from := []piece{{}}, 0
	for _, s := range h.Secrets {
		start, end := within(h, s)
		list = appendMatches(list, h, from, start)
		list = appendPiece(list, secrets.Masked, hasMatch(h, s))
		from = end
	}
	return appendMatches(list, h, from, len(h.Text))
}

// within returns a range of a part as a range of the hit's text.
func within(h Hit, s Span) (start, end int) {
	return min(max(0, s.Start-h.TextAt), len(h.Text)), min(max(0, s.End-h.TextAt), len(h.Text))
}

func hasMatch(h Hit, s Span) bool {
	return slices.ContainsFunc(h.Spans, func(m Span) bool { return m.Start < s.End && m.End > s.Start })
}

// appendMatches adds the text of a hit from one index to another, in pieces.
func appendMatches(list []piece, h Hit, from, to int) []piece {
	for _, s := range h.Spans {
		start, end := within(h, s)
		if start, end = max(start, from), min(end, to); start < end {
			list = appendPiece(list, h.Text[from:start], false)
			list = appendPiece(list, h.Text[start:end], true)
			from = end
		}
	}
	return appendPiece(list, h.Text[from:max(from, to)], false)
}

// appendPiece adds a text to the last piece, or as another one.
func appendPiece(list []piece, text string, match bool) []piece {
	if last := &list[len(list)-1]; last.match == match {
		last.text += text
		return list
	}
	if text == "" {
		return list
	}
	return append(list, piece{text, match})
}

// oneLine puts a text on one line: white space becomes one blank, and what a terminal must not see is escaped.
func oneLine(text string) string {
	if isOneLine(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	blank, plain := false, true
	for i, r := range text {
		switch {
		case r > ' ' && r <= '~':
			b.WriteByte(text[i])
			blank = false
		case unicode.IsSpace(r):
			if !blank {
				b.WriteByte(' ')
			}
			blank = true
		default:
			b.WriteRune(r)
			blank, plain = false, false
		}
	}
	if plain {
		return b.String()
	}
	return ui.EscapeLine(b.String())
}

// isOneLine reports whether oneLine leaves a text as it is: ASCII that can be seen, with single blanks.
func isOneLine(text string) bool {
	for i := range len(text) {
		if c := text[i]; c > '~' || c < ' ' || c == ' ' && i > 0 && text[i-1] == ' ' {
			return false
		}
	}
	return true
}

// fitPieces shortens the pieces to one line of a width. At most a third of it is before the first match, unless the
// rest is short.
func fitPieces(list []piece, width int) []piece {
	var fitting []piece
	left := width
	for i := len(list) - 1; i > 0; i-- {
		list[i].text = beginning(list[i].text, width)
		left -= ui.Width(list[i].text)
	}
	if len(list) == 1 {
		list[0].text = strings.TrimLeft(beginning(list[0].text, width), " ")
	} else {
		list[0].text = leadIn(list[0].text, max(8, width/3, left))
	}
	left = width
	for i, p := range list {
		w := ui.Width(p.text)
		if w > left || w == left && i < len(list)-1 {
			p.text = ui.CutEnd(p.text+"…", left)
			return append(fitting, p)
		}
		left -= w
		fitting = append(fitting, p)
	}
	return fitting
}

// bytesPerColumn is how much text is looked at to fill a column of a snippet. White space and marks have many bytes.
const bytesPerColumn = 4

// beginning returns the beginning of a text on one line: at least width columns, unless it is mostly white space.
func beginning(text string, width int) string {
	if len(text) <= width*bytesPerColumn {
		return oneLine(text)
	}
	end := width * bytesPerColumn
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return oneLine(text[:end]) + "…"
}

// leadIn returns the end of a text on one line of at most width columns. It begins with a whole word, if possible.
func leadIn(text string, width int) string {
	start := max(0, len(text)-width*bytesPerColumn)
	for start < len(text) && !utf8.RuneStart(text[start]) {
		start++
	}
	line := strings.TrimLeft(oneLine(text[start:]), " ")
	if start == 0 && ui.Width(line) <= width {
		return line
	}
	line = ui.CutStart("…"+line, width)
	if word := strings.IndexByte(line, ' '); word > 0 && word < len(line)-1 && word < len(line)/2 {
		line = "…" + line[word+1:]
	}
	return line
}
