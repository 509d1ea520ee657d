package tokens

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Truncate cuts the texts of one tool result to at most limit tokens in total, and marks the cut with claw0's marker.
// It cuts after a line if possible. The texts after the cut become empty. Texts that fit are returned unchanged. If not
// even the marker fits, only the marker is left.
func Truncate(texts []string, c Counter, limit int) (short []string, cut bool) {
	used, total := 0, 0
	at := -1
	for i, text := range texts {
		total += utf8.RuneCountInString(text)
		if at < 0 {
			if n := c.Count(text); used+n <= limit {
				used += n
			} else {
				at = i
			}
		}
	}
	if at < 0 {
		return texts, false
	}
	for {
		short, used = cutAt(texts, at, c, limit, total)
		if used <= limit || at == 0 {
			return short, true
		}
		for at--; at > 0 && texts[at] == ""; at-- {
			// The marker did not fit after the texts before it, and after an empty text it cannot fit either.
		}
	}
}

// cutAt cuts one of the texts and empties those after it.
func cutAt(texts []string, at int, c Counter, limit, total int) (short []string, used int) {
	short = make([]string, len(texts))
	shown := 0
	for i, text := range texts[:at] {
		short[i] = text
		used += c.Count(text)
		shown += utf8.RuneCountInString(text)
	}
	room := limit - used - c.Count(marker(total, total))
	for {
		head := headOf(texts[at], c, room)
		short[at] = marker(total, shown+utf8.RuneCountInString(head))
		if head != "" {
			short[at] = head + "\n\n" + short[at]
		}
		over := used + c.Count(short[at]) - limit
		if over <= 0 || head == "" { // with less room the head becomes shorter
			return short, limit + over
		}
		room -= over
	}
}

// marker returns claw0's text at the end of a shortened tool result.
func marker(total, shown int) string {
	return fmt.Sprintf("[... truncated (%d chars total, showing first %d) ...]", total, shown)
}

// headOf returns the first lines of a text that take at most room tokens. If the first line alone is longer, it returns
// the part that fits.
func headOf(text string, c Counter, room int) string {
	end, used := 0, 0
	for line := range strings.Lines(text) {
		if used += c.Count(line); used > room {
			break
		}
		end += len(line)
	}
	if head := strings.TrimRight(text[:end], "\r\n"); head != "" {
		return head
	}
	rest := strings.TrimLeft(text, "\r\n")
	line, _, _ := strings.Cut(rest, "\n")
	beginning := beginningOf(line, c, room)
	if beginning == "" {
		return "" // only line ends come before it
	}
	return text[:len(text)-len(rest)] + beginning
}

// step is the number of bytes of a long line that are counted at a time.
const step = 4 << 10

// beginningOf returns the beginning of a line that takes at most room tokens.
func beginningOf(line string, c Counter, room int) string {
	end := 0
	for size := step; size > 0; {
		next := wholeRunes(line, min(end+size, len(line)))
		if n := c.Count(line[end:next]); n <= room && next > end {
			room -= n
			end = next
			if end == len(line) {
				return line
			}
		} else {
			size /= 2 // halve the last piece
		}
	}
	return line[:end]
}

// wholeRunes moves an index back to the start of a character.
func wholeRunes(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
