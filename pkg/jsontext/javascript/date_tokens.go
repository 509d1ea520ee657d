package javascript

import (
	"sync"
	"unicode/utf8"
)

// A tokenKind says what a token of a date is.
type tokenKind int

const (
	endToken tokenKind = iota
	numberToken
	symbolToken
	wordToken
	spaceToken
	otherToken
)

// A dateToken is a part of a date's text.
type dateToken struct {
	kind   tokenKind
	value  int // of a number or a known word; the character of a symbol
	length int // in digits or characters
	word   wordKind
}

func (t dateToken) isNumber(length int) bool { return t.kind == numberToken && t.length == length }

// isNumberIn reports whether a token is a number of two digits within limits.
func (t dateToken) isNumberIn(least, most int) bool {
	return t.isNumber(2) && t.value >= least && t.value <= most
}

func (t dateToken) isSymbol(c byte) bool      { return t.kind == symbolToken && t.value == int(c) }
func (t dateToken) isSign() bool              { return t.isSymbol('+') || t.isSymbol('-') }
func (t dateToken) isWord(kind wordKind) bool { return t.kind == wordToken && t.word == kind }
func (t dateToken) isZ() bool                 { return t.isWord(zoneWord) && t.length == 1 }

// sign returns 1 or -1 for a plus or a minus.
func (t dateToken) sign() int {
	if t.isSymbol('-') {
		return -1
	}
	return 1
}

// significantDigits is the number of digits of a number that V8 reads, not counting zeros at its beginning.
const significantDigits = 9

// milliseconds reads a number as the fraction of a second. Like V8, it goes wrong if zeros precede more than nine
// digits.
func (t dateToken) milliseconds() int {
	n := t.value
	for length := t.length; length < 3; length++ {
		n *= 10
	}
	for length := min(t.length, significantDigits); length > 3; length-- {
		n /= 10
	}
	return n
}

// dateTokens splits a text into tokens. It is one token ahead.
type dateTokens struct {
	rest string
	next dateToken
}

func newDateTokens(text string) dateTokens {
	t := dateTokens{rest: text}
	t.take()
	return t
}

// take returns the next token and advances.
func (t *dateTokens) take() dateToken {
	token := t.next
	t.next = t.scan()
	return token
}

// skip skips a symbol, if it is next.
func (t *dateTokens) skip(symbol byte) bool {
	if !t.next.isSymbol(symbol) {
		return false
	}
	t.take()
	return true
}

func (t *dateTokens) scan() dateToken {
	r, size := t.peek()
	switch {
	case r == 0:
		return dateToken{}
	case r >= '0' && r <= '9':
		return t.scanNumber()
	case isWordRune(r):
		return t.scanWord()
	case r == '(':
		t.skipParentheses()
		return dateToken{kind: otherToken}
	}
	t.rest = t.rest[size:]
	switch {
	case r == ':' || r == '-' || r == '+' || r == '.' || r == ')':
		return dateToken{kind: symbolToken, value: int(r)}
	case isSpace(r):
		return dateToken{kind: spaceToken}
	}
	return dateToken{kind: otherToken}
}

// peek returns the next character, or 0 at the end. V8 does not distinguish the end from a NUL.
func (t *dateTokens) peek() (r rune, size int) {
	if t.rest == "" {
		return 0, 0
	}
	return utf8.DecodeRuneInString(t.rest)
}

func isWordRune(r rune) bool { return r >= 'A' && !isSpace(r) }

func (t *dateTokens) scanNumber() dateToken {
	n, digits, length := 0, 0, 0
	for ; length < len(t.rest) && t.rest[length] >= '0' && t.rest[length] <= '9'; length++ {
		digit := int(t.rest[length] - '0')
		if digits == 0 && digit == 0 || digits == significantDigits {
			continue
		}
		n, digits = n*10+digit, digits+1
	}
	t.rest = t.rest[length:]
	return dateToken{kind: numberToken, value: n, length: length}
}

// scanWord reads a word, which is anything from A on that is not white space.
func (t *dateTokens) scanWord() dateToken {
	var prefix [3]byte
	length := 0
	for r, size := t.peek(); isWordRune(r); r, size = t.peek() {
		if length < len(prefix) && r < utf8.RuneSelf {
			prefix[length] = byte(r) | 0x20
		} else if length < len(prefix) {
			prefix[length] = ' ' // in no word
		}
		t.rest = t.rest[size:]
		length++
	}
	word := knownWords()[string(prefix[:min(length, len(prefix))])]
	if length > len(prefix) && word.kind != monthWord {
		word = dateWord{}
	}
	return dateToken{kind: wordToken, word: word.kind, value: word.value, length: length}
}

// skipParentheses skips a parenthesis and everything in it. One that is not closed ends the text.
func (t *dateTokens) skipParentheses() {
	depth := 0
	for {
		r, size := t.peek()
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case 0:
			return
		}
		t.rest = t.rest[size:]
		if depth == 0 {
			return
		}
	}
}

// A wordKind says what a word in a date means.
type wordKind int

const (
	unknownWord wordKind = iota
	monthWord
	halfDayWord
	zoneWord
	separatorWord
)

// A dateWord is a word that V8 knows. Words of three letters are the beginning of months, but complete otherwise.
type dateWord struct {
	kind  wordKind
	value int
}

var knownWords = sync.OnceValue(func() map[string]dateWord {
	return map[string]dateWord{
		"jan": {monthWord, 1}, "feb": {monthWord, 2}, "mar": {monthWord, 3}, "apr": {monthWord, 4}, "may": {monthWord, 5},
		"jun": {monthWord, 6}, "jul": {monthWord, 7}, "aug": {monthWord, 8}, "sep": {monthWord, 9}, "oct": {monthWord, 10},
		"nov": {monthWord, 11}, "dec": {monthWord, 12},
		"am": {halfDayWord, 0}, "pm": {halfDayWord, 12},
		"ut": {zoneWord, 0}, "utc": {zoneWord, 0}, "z": {zoneWord, 0}, "gmt": {zoneWord, 0},
		"cdt": {zoneWord, -5}, "cst": {zoneWord, -6}, "edt": {zoneWord, -4}, "est": {zoneWord, -5},
		"mdt": {zoneWord, -6}, "mst": {zoneWord, -7}, "pdt": {zoneWord, -7}, "pst": {zoneWord, -8},
		"t": {separatorWord, 0},
	}
})
