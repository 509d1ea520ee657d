package jsontext

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Quote returns a text as a JSON string. It escapes what encoding/json escapes without HTML.
func Quote(text string) string { return string(AppendQuote(make([]byte, 0, len(text)+2), text)) }

// QuoteEscaped is Quote that also escapes <, > and &, and writes U+FFFD itself for bytes that are not UTF-8.
func QuoteEscaped(text string) string {
	valid := strings.Map(func(r rune) rune { return r }, text) // every wrong byte becomes a character
	quoted, _ := json.Marshal(valid)                           // no text is refused
	return string(quoted)
}

// AppendQuote appends a text as a JSON string, as Quote writes it.
func AppendQuote(dst []byte, text string) []byte {
	dst = append(dst, '"')
	begin := 0 // start of the part to copy unchanged
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if isQuoted[c] {
				dst = appendEscape(append(dst, text[begin:i]...), c)
				begin = i + 1
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(append(dst, text[begin:i]...), `\ufffd`...)
			begin = i + size
		case r == '\u2028' || r == '\u2029': // line ends in older JavaScript
			dst = append(append(dst, text[begin:i]...), `\u202`...)
			dst = append(dst, hexDigits[r&15])
			begin = i + size
		}
		i += size
	}
	return append(append(dst, text[begin:]...), '"')
}

// QuotedLen returns the number of characters that a character takes in a JSON string with only the required escapes.
func QuotedLen(r rune) int {
	switch {
	case r == '"' || r == '\\' || r == '\b' || r == '\f' || r == '\n' || r == '\r' || r == '\t':
		return len(`\n`)
	case r < 0x20:
		return len(`\u0000`)
	}
	return 1
}

const hexDigits = "0123456789abcdef"

// isQuoted marks the bytes that are escaped.
var isQuoted = func() (table [utf8.RuneSelf]bool) {
	for c := range table {
		table[c] = QuotedLen(rune(c)) > 1
	}
	return table
}()

// shortEscapes are the letters of the two-character escapes.
var shortEscapes = [utf8.RuneSelf]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

func appendEscape(dst []byte, c byte) []byte {
	if letter := shortEscapes[c]; letter != 0 {
		return append(dst, '\\', letter)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
