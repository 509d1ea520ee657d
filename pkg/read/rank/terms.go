package rank

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// A word is a stretch of a text that is compared as one.
type word struct {
	text       string // as it stands there
	start, end int
	isPair     bool // two characters of a language without blanks
}

// eachWord calls yield with the words of a text, in order: runs of letters and digits, the pieces of identifiers
// before the identifier as a whole, and pairs of characters.
func eachWord(text string, yield func(word)) {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case isDense(r):
			at = eachPair(text, at, yield)
		case isWordRune(r):
			end := endOfRun(text, at)
			eachPiece(text, at, end, yield)
			at = end
		default:
			at += size
		}
	}
}

// EachKey calls yield with the words of a text as an index of words has them, in order: in lower case, identifiers in
// pieces and as a whole, and of languages without blanks each pair of characters and each character that ends one. The
// bytes are valid until yield returns.
func EachKey(text string, yield func(key []byte)) {
	var key []byte
	eachWord(text, func(w word) {
		key = appendLower(key[:0], w.text)
		yield(key)
		if _, size := utf8.DecodeRune(key); w.isPair && size < len(key) {
			yield(key[size:])
		}
	})
}

// appendLower appends a text in lower case, character by character.
func appendLower(dst []byte, text string) []byte {
	for _, r := range text {
		if r < utf8.RuneSelf {
			if r >= 'A' && r <= 'Z' {
				r += 'a' - 'A'
			}
			dst = append(dst, byte(r))
			continue
		}
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
	}
	return dst
}

// isDense reports whether a character is of a language that is written without blanks.
func isDense(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r))
}

// endOfRun returns the end of an identifier: letters and digits, and underscores between them.
func endOfRun(text string, at int) int {
	end := at
	for i, r := range text[at:] {
		switch {
		case isWordRune(r) && !isDense(r):
			end = at + i + utf8.RuneLen(r)
		case r != '_':
			return end
		}
	}
	return end
}

// eachPair calls yield with each two neighbours of a run of dense characters, or with its only one, and returns where
// the run ends.
func eachPair(text string, at int, yield func(word)) int {
	start, before := at, -1
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !isDense(r) {
			break
		}
		if before >= 0 {
			yield(word{text[before : at+size], before, at + size, true})
		}
		before, at = at, at+size
	}
	if before == start {
		yield(word{text[start:at], start, at, true})
	}
	return at
}

// eachPiece calls yield with the pieces of an identifier, and with all of it if it has several.
func eachPiece(text string, start, end int, yield func(word)) {
	from := start
	for i := start; i < end; i++ {
		if cut := i > from && isCut(text, i, end); cut || text[i] == '_' {
			if i > from {
				yield(word{text[from:i], from, i, false})
			}
			if from = i; text[i] == '_' {
				from = i + 1
			}
		}
	}
	if from < end {
		yield(word{text[from:end], from, end, false})
	}
	if from > start {
		yield(word{text[start:end], start, end, false})
	}
}

// isCut reports whether a piece of an identifier begins at an index: fooBar, HTTPServer.
func isCut(text string, i, end int) bool {
	if !isUpper(text[i]) {
		return false
	}
	return !isUpper(text[i-1]) || i+1 < end && text[i+1] >= 'a' && text[i+1] <= 'z'
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// stem returns the form in which words are compared.
func (w word) stem() string {
	if w.isPair {
		return w.text
	}
	lower := strings.ToLower(w.text)
	if strings.ContainsRune(lower, '_') || !isASCII(lower) {
		return lower
	}
	return english.Stem(lower, true)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// common are words that say nothing about what a text is about.
var common = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq("a about after all am an and any are as at be been before but by can could did do " +
		"does for from had has have he her him his how i if in into is it its me my no not of on or our she should so " +
		"some than that the their them then there these they this those to us was we were what when where which who " +
		"whom whose why will with would you your") {
		set[w] = true
	}
	return set
})
