package tokens

import (
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// A class is a set of character properties that a splitter needs.
type class uint8

const (
	upper    class = 1 << iota // Lu, Lt
	lower                      // Ll
	caseless                   // Lm, Lo
	mark                       // M
	number                     // N
	space                      // white space without line ends
	lineEnd                    // \r and \n
	other                      // everything else

	letter     = upper | lower | caseless
	white      = space | lineEnd
	notSpoken  = mark | space | other // neither letter, number nor line end: may precede a word
	punctuated = mark | other         // neither letter, number nor white space
	upperRun   = upper | caseless | mark
	lowerRun   = lower | caseless | mark
)

// asciiClasses are the classes of the characters below 128, and 0 for the bytes above.
var asciiClasses = func() (table [256]class) {
	for c := range utf8.RuneSelf {
		table[c] = classify(rune(c))
	}
	return table
}()

func classify(r rune) class {
	switch {
	case r == '\r' || r == '\n':
		return lineEnd
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return upper
	case unicode.Is(unicode.Ll, r):
		return lower
	case unicode.IsLetter(r):
		return caseless
	case unicode.IsNumber(r):
		return number
	case unicode.IsMark(r):
		return mark
	case unicode.IsSpace(r):
		return space
	}
	return other
}

// classPages hold the classes of the other characters, 256 per page. A page is made when one of its characters first
// occurs.
var classPages [(unicode.MaxRune + 1) / 256]atomic.Pointer[[256]class]

func classOf(r rune) class {
	if r < utf8.RuneSelf {
		return asciiClasses[r]
	}
	page := classPages[r/256].Load()
	if page == nil {
		page = new([256]class)
		for i := range page {
			page[i] = classify(r&^255 + rune(i))
		}
		classPages[r/256].Store(page)
	}
	return page[r%256]
}

// at returns the class of the character at i and the index after it. The class is 0 at the end of the text.
func at(text string, i int) (class, int) {
	if i >= len(text) {
		return 0, i
	}
	if c := text[i]; c < utf8.RuneSelf {
		return asciiClasses[c], i + 1
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	return classOf(r), i + size
}

// run returns the end of the run of characters of the given classes that begins at i.
func run(text string, i int, of class) int {
	for {
		c, next := at(text, i)
		if c&of == 0 {
			return i
		}
		i = next
	}
}

// contraction returns the end of an 's, 't, 're, 've, 'm, 'll or 'd at i, in any case, or i if there is none.
func contraction(text string, i int) int {
	if i+1 >= len(text) || text[i] != '\'' {
		return i
	}
	switch text[i+1] | 0x20 {
	case 's', 't', 'm', 'd':
		return i + 2
	case 'r', 'v':
		if i+2 < len(text) && text[i+2]|0x20 == 'e' {
			return i + 3
		}
	case 'l':
		if i+2 < len(text) && text[i+2]|0x20 == 'l' {
			return i + 3
		}
	}
	return i
}

// numbers returns the end of one to three numbers that begin at i.
func numbers(text string, i int) int {
	for range 3 {
		c, next := at(text, i)
		if c != number {
			return i
		}
		i = next
	}
	return i
}

// whites returns the end of the piece that begins with white space at i. The piece is all white space up to its last
// line end. Without a line end, it is all of it at the end of the text, and otherwise all but the last character, which
// belongs to what follows.
func whites(text string, i int) int {
	end, last, line := i, i, -1
	for end < len(text) {
		c, next := at(text, end)
		if c&white == 0 {
			break
		}
		if c == lineEnd {
			line = next
		}
		last, end = end, next
	}
	switch {
	case line >= 0:
		return line
	case end == len(text) || last == i:
		return end
	}
	return last
}

// splitCL100K returns the end of the piece that begins at i, according to the pattern of cl100k_base.
func splitCL100K(text string, i int) int {
	if end := contraction(text, i); end > i {
		return end
	}
	c, next := at(text, i)
	if c&letter != 0 {
		return run(text, next, letter)
	}
	if c&notSpoken != 0 {
		if after, end := at(text, next); after&letter != 0 {
			return run(text, end, letter)
		}
	}
	if c == number {
		return numbers(text, i)
	}
	if end := punctuation(text, i, c, next); end > i {
		return run(text, end, lineEnd)
	}
	return whites(text, i)
}

// punctuation returns the end of a run of punctuation at i, which may follow one space, or i if there is none.
func punctuation(text string, i int, c class, next int) int {
	if c&punctuated != 0 {
		return run(text, next, punctuated)
	}
	if text[i] == ' ' {
		if after, end := at(text, next); after&punctuated != 0 {
			return run(text, end, punctuated)
		}
	}
	return i
}

// splitO200K returns the end of the piece that begins at i, according to the pattern of o200k_base.
func splitO200K(text string, i int) int {
	c, next := at(text, i)
	if end := casedWord(text, i, c, next); end > i {
		return contraction(text, end)
	}
	if c == number {
		return numbers(text, i)
	}
	if end := punctuation(text, i, c, next); end > i {
		for end < len(text) && (text[end] == '\r' || text[end] == '\n' || text[end] == '/') {
			end++
		}
		return end
	}
	return whites(text, i)
}

// casedWord returns the end of the word at i, which may follow one space or sign, or i if there is none. A mark can be
// both the sign before a word and its beginning.
func casedWord(text string, i int, c class, next int) int {
	after, _ := at(text, next)
	follows, begins := c&notSpoken != 0 && after&(letter|mark) != 0, c&(letter|mark) != 0
	if follows {
		if end := cased(text, next); end > next {
			return end
		}
	}
	if begins {
		if end := cased(text, i); end > i {
			return end
		}
	}
	if follows {
		return capitals(text, next)
	}
	if begins {
		return capitals(text, i)
	}
	return i
}

// cased returns the end of capitals followed by at least one small letter at i, or i if there is none. Characters
// without case count as both: first as capitals, and as small letters if no small letter follows.
func cased(text string, i int) int {
	end, both := i, -1 // the end of the last character that is both
	for end < len(text) {
		c, next := at(text, end)
		if c&upperRun == 0 {
			if c&lower != 0 {
				return run(text, next, lowerRun)
			}
			break
		}
		if c&(caseless|mark) != 0 {
			both = next
		}
		end = next
	}
	if both < 0 {
		return i
	}
	return both
}

// capitals returns the end of at least one capital at i and the small letters after it, or i if there is none.
func capitals(text string, i int) int {
	end := run(text, i, upperRun)
	if end == i {
		return i
	}
	return run(text, end, lowerRun)
}
