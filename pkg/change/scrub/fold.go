package scrub

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A foldedText is a text without its escapes, and without the line breaks in it. A value has the same folded form
// however it is written: in JSON, in JSON within JSON, in a URL, in HTML, or wrapped over lines.
type foldedText struct {
	text []byte
	// starts and ends are where each byte comes from. They are nil if the text is folded as it is.
	starts, ends []int32
}

// origin returns the range of the original text that a range of the folded one comes from.
func (f *foldedText) origin(start, end int) (int, int) {
	if f.starts == nil {
		return start, end
	}
	return int(f.starts[start]), int(f.ends[end-1])
}

// emit adds bytes that come from a range.
func (f *foldedText) emit(start, end int, text ...byte) {
	for range text {
		f.starts, f.ends = append(f.starts, int32(start)), append(f.ends, int32(end))
	}
	f.text = append(f.text, text...)
}

// fold returns the folded form of a text. It is linear, and decodes every escape once at most.
func fold(raw []byte) *foldedText {
	if !bytes.ContainsAny(raw, "\\%&\r\n\x00") {
		return &foldedText{text: raw}
	}
	f := &foldedText{
		text: make([]byte, 0, len(raw)), starts: make([]int32, 0, len(raw)), ends: make([]int32, 0, len(raw)),
	}
	for at := 0; at < len(raw); {
		text, end := step(raw, at)
		f.emit(at, end, text...)
		at = end
	}
	return f
}

// tight returns the text without spaces, and without the signs that URLs have for them. A text that is wrapped has line
// ends instead of some of its spaces.
func (f *foldedText) tight() *foldedText {
	t := &foldedText{starts: []int32{}}
	for i, b := range f.text {
		if b != ' ' && b != '+' {
			start, end := f.origin(i, i+1)
			t.emit(start, end, b)
		}
	}
	return t
}

// step returns what is at an index without its escapes, and the index after it.
func step(raw []byte, at int) (text []byte, end int) {
	switch raw[at] {
	case '\\':
		return backslashes(raw, at)
	case '%':
		if b, end, ok := percent(raw, at); ok {
			return decoded(b), end
		}
	case '&':
		if text, end, ok := entity(raw, at); ok {
			return text, end
		}
	case '\n', '\r':
		return nil, skipIndent(raw, at+1)
	case 0: // of UTF-16, or a hole in a line
		return nil, at + 1
	}
	return raw[at : at+1], at + 1
}

// decoded returns a decoded character, or nothing if it ends a line or is a backslash, which is dropped everywhere.
func decoded(text ...byte) []byte {
	if len(text) == 1 && strings.IndexByte("\n\r\\\x00", text[0]) >= 0 {
		return nil
	}
	return text
}

// entities are the characters that HTML always escapes.
var entities = map[string]byte{"&quot;": '"', "&amp;": '&', "&lt;": '<', "&gt;": '>'}

// longestEntity is how long a number of HTML may be, with what is around it.
const longestEntity = 12

// entity decodes a character that HTML has escaped, by its name or its number, which is decimal or in hex. What is at
// the index stands for its &.
func entity(raw []byte, at int) (text []byte, end int, ok bool) {
	for name, b := range entities {
		if bytes.HasPrefix(raw[at+1:], []byte(name[1:])) {
			return []byte{b}, at + len(name), true
		}
	}
	length := bytes.IndexByte(raw[at:min(len(raw), at+longestEntity)], ';')
	if length < len("&#0") || raw[at+1] != '#' {
		return nil, 0, false
	}
	number, base := string(raw[at+2:at+length]), 10
	if number[0] == 'x' || number[0] == 'X' {
		number, base = number[1:], 16
	}
	n, err := strconv.ParseUint(number, base, 21)
	return decoded(utf8.AppendRune(nil, rune(n))...), at + length + 1, err == nil
}

// backslashes decodes a run of backslashes, and what they escape. Every level of JSON doubles them.
func backslashes(raw []byte, at int) (text []byte, end int) {
	end = at
	for end < len(raw) && raw[end] == '\\' {
		end++
	}
	if end == len(raw) {
		return nil, end
	}
	switch raw[end] {
	case 'n', 'r':
		return nil, skipIndent(raw, end+1)
	case 't':
		return []byte{'\t'}, end + 1
	case 'b', 'f':
		if (end-at)%2 == 1 {
			return nil, end + 1
		}
	case '"', '/', '\'':
		return raw[end : end+1], end + 1
	case 'u':
		if r, last, ok := unicodeEscape(raw, at, end); ok {
			if text, end, ok := entity(raw, last-1); ok && r == '&' {
				return text, end
			}
			return decoded(utf8.AppendRune(nil, r)...), last
		}
	case 'x':
		if b, ok := digits(raw, end+1, 2, 16); ok {
			return decoded(byte(b)), end + 3
		}
	case '0', '1', '2', '3':
		if b, ok := digits(raw, end, 3, 8); ok {
			return decoded(byte(b)), end + 3
		}
	}
	return nil, end // the backslashes are dropped, from the value as well
}

// unicodeEscape decodes the escape whose u is at an index, with a second one for a pair of surrogates.
func unicodeEscape(raw []byte, start, at int) (r rune, end int, ok bool) {
	if r, ok = digits(raw, at+1, 4, 16); !ok {
		return 0, 0, false
	}
	end = at + 5
	next := end + at - start
	if utf16.IsSurrogate(r) && next < len(raw) && bytes.Equal(raw[end:next], raw[start:at]) && raw[next] == 'u' {
		low, _ := digits(raw, next+1, 4, 16)
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, next + 5, true
		}
	}
	return r, end, true
}

// digits decodes a number with so many digits.
func digits(raw []byte, at, count, base int) (rune, bool) {
	if at+count > len(raw) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(raw[at:at+count]), base, 16)
	return rune(n), err == nil
}

// percent decodes a byte of a URL. A percent sign may itself be encoded, any number of times.
func percent(raw []byte, at int) (b byte, end int, ok bool) {
	for end = at + 1; ; end += 2 {
		n, isCode := digits(raw, end, 2, 16)
		switch {
		case !isCode && ok:
			return '%', end, true
		case !isCode:
			return 0, 0, false
		case n != '%':
			return byte(n), end + 2, true
		}
		ok = true
	}
}

// skipIndent returns the index after line ends and the spaces that indent the next line.
func skipIndent(raw []byte, at int) int {
	for at < len(raw) && (raw[at] == ' ' || raw[at] == '\t' || raw[at] == '\n' || raw[at] == '\r') {
		at++
	}
	return at
}
