package jsontext

import "unicode/utf8"

// Quote returns a text as a JSON string. It escapes what encoding/json escapes without HTML.
func Quote(text string) string { return string(AppendQuote(make([]byte, 0, len(text)+2), text)) }

// AppendQuote appends a text as a JSON string, as Quote writes it.
func AppendQuote(dst []byte, text string) []byte { return appendQuote(dst, text, false) }

// QuoteEscaped is Quote that also escapes <, > and &, and writes U+FFFD itself for bytes that are not UTF-8.
func QuoteEscaped(text string) string {
	return string(appendQuote(make([]byte, 0, len(text)+2), text, true))
}

// appendQuote appends a text as a JSON string. If escaped is set, <, > and & are escaped, and bytes that are not
// UTF-8 become U+FFFD itself instead of its escape.
func appendQuote(dst []byte, text string, escaped bool) []byte {
	dst = append(dst, '"')
	begin := 0 // start of the part to copy unchanged
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if special[c] && (escaped || QuotedLen(rune(c)) > 1) {
				dst = appendEscape(append(dst, text[begin:i]...), c)
				begin = i + 1
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			replacement := `\ufffd`
			if escaped {
				replacement = "\ufffd"
			}
			dst = append(append(dst, text[begin:i]...), replacement...)
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

// special marks the bytes that are escaped in some texts.
var special = func() (table [utf8.RuneSelf]bool) {
	for c := range table {
		table[c] = QuotedLen(rune(c)) > 1 || c == '<' || c == '>' || c == '&'
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
