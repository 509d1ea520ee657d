package ui

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Width returns the number of columns that text takes on a terminal.
func Width(text string) int { return displaywidth.String(text) }

const ellipsis = "…"

// CutEnd shortens text to at most width columns and marks the cut with an ellipsis.
func CutEnd(text string, width int) string {
	if Width(text) <= width {
		return text
	}
	if width <= 1 {
		return ellipsis
	}
	return strings.TrimRight(takeWidth(text, width-1), " ") + ellipsis
}

// CutStart shortens text to at most width columns and keeps its end.
func CutStart(text string, width int) string {
	if Width(text) <= width {
		return text
	}
	return ellipsis + takeWidthFromEnd(text, width-1)
}

// CutMiddle shortens text to at most width columns and keeps its beginning and its end, which distinguish keys, ids and
// paths.
func CutMiddle(text string, width int) string {
	if Width(text) <= width {
		return text
	}
	if width < 5 {
		return CutEnd(text, width)
	}
	tail := (width - 1) / 2
	return takeWidth(text, width-1-tail) + ellipsis + takeWidthFromEnd(text, tail)
}

// takeWidth returns the beginning of text that fits into width columns.
func takeWidth(text string, width int) string {
	graphemes := displaywidth.StringGraphemes(text)
	taken, end := 0, 0
	for graphemes.Next() {
		if taken += graphemes.Width(); taken > width {
			break
		}
		end += len(graphemes.Value())
	}
	return text[:end]
}

// takeWidthFromEnd returns the end of text that fits into width columns.
func takeWidthFromEnd(text string, width int) string {
	excess := Width(text) - width
	graphemes := displaywidth.StringGraphemes(text)
	skipped, start := 0, 0
	for skipped < excess && graphemes.Next() {
		skipped += graphemes.Width()
		start += len(graphemes.Value())
	}
	return text[start:]
}

// Rows is how many rows of a terminal a line takes. The line may carry our own colour codes.
func Rows(line string, columns int) int { return max(1, (PaintedWidth(line)+columns-1)/columns) }

// Wrap breaks a paragraph into lines of at most width columns, each behind indent.
func Wrap(text string, width int, indent string) string {
	var b strings.Builder
	b.Grow(len(text) + (len(indent)+1)*(1+2*len(text)/max(width, 1)))
	column := 0
	for word := range strings.FieldsSeq(text) {
		n := Width(word)
		switch {
		case column == 0:
			b.WriteString(indent)
			column = len(indent)
		case column+1+n > width:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
