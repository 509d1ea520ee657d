package scrub

import (
	"bytes"
	"strconv"
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
		at = f.next(raw, at)
	}
	return f
}

// next folds what is at an index, and returns the index after it.
func (f *foldedText) next(raw []byte, at int) int {
	switch c := raw[at]; c {
	case '\\':
		return f.backslashes(raw, at)
	case '%':
		if b, end, ok := percent(raw, at); ok {
			f.character(at, end, b)
			return end
		}
	case '&':
		if end, ok := f.entity(raw, at, at); ok {
			return end
		}
	case '\n', '\r':
		return skipIndent(raw, at+1)
	case 0: // of UTF-16, or a hole in a line
		return at + 1
	}
	f.emit(at, at+1, raw[at])
	return at + 1
}

// entities are the characters that HTML always escapes.
var entities = map[string]byte{"&quot;": '"', "&amp;": '&', "&lt;": '<', "&gt;": '>', "&#39;": '\'', "&#34;": '"'}

// entity folds a character that HTML has escaped. Its & is at an index, or ends an escape that begins before.
func (f *foldedText) entity(raw []byte, start, at int) (end int, ok bool) {
	for name, b := range entities {
		if bytes.HasPrefix(raw[at+1:], []byte(name[1:])) {
			f.emit(start, at+len(name), b)
			return at + len(name), true
		}
	}
	r, end, ok := numericEntity(raw, at)
	if ok {
		f.rune(start, end, r)
	}
	return end, ok
}

// character adds a decoded character, unless it ends a line or is a backslash, which is dropped everywhere.
func (f *foldedText) character(start, end int, b byte) {
	if b != '\n' && b != '\r' && b != '\\' && b != 0 {
		f.emit(start, end, b)
	}
}

// rune adds a decoded character as UTF-8.
func (f *foldedText) rune(start, end int, r rune) {
	if r < utf8.RuneSelf {
		f.character(start, end, byte(r))
		return
	}
	f.emit(start, end, utf8.AppendRune(nil, r)...)
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

// backslashes folds a run of backslashes, and what they escape. Every level of JSON doubles them.
func (f *foldedText) backslashes(raw []byte, at int) int {
	end := at
	for end < len(raw) && raw[end] == '\\' {
		end++
	}
	if end == len(raw) {
		return end
	}
	switch raw[end] {
	case 'n', 'r':
		return skipIndent(raw, end+1)
	case 't':
		f.emit(at, end+1, '\t')
		return end + 1
	case 'b', 'f':
		if (end-at)%2 == 1 {
			return end + 1
		}
	case '"', '/', '\'':
		f.emit(at, end+1, raw[end])
		return end + 1
	case 'u':
		if r, last, ok := unicodeEscape(raw, at, end); ok {
			if r == '&' {
				if end, ok := f.entity(raw, at, last-1); ok {
					return end
				}
			}
			f.rune(at, last, r)
			return last
		}
	case 'x':
		if b, ok := digits(raw, end+1, 2, 16); ok {
			f.character(at, end+3, byte(b))
			return end + 3
		}
	case '0', '1', '2', '3':
		if b, ok := digits(raw, end, 3, 8); ok {
			f.character(at, end+3, byte(b))
			return end + 3
		}
	}
	return end // the backslashes are dropped, from the value as well
}

// unicodeEscape decodes the escape whose u is at an index, with a second one for a pair of surrogates.
func unicodeEscape(raw []byte, start, at int) (r rune, end int, ok bool) {
	if r, ok = hex4(raw, at+1); !ok {
		return 0, 0, false
	}
	end = at + 5
	run := at - start
	next := end + run
	if r >= 0xd800 && r < 0xdc00 && next < len(raw) && bytes.Equal(raw[end:next], raw[start:at]) && raw[next] == 'u' {
		if low, ok := hex4(raw, next+1); ok && low >= 0xdc00 && low < 0xe000 {
			return (r-0xd800)<<10 + (low - 0xdc00) + 0x10000, next + 5, true
		}
	}
	return r, end, true
}

func hex4(raw []byte, at int) (rune, bool) { return digits(raw, at, 4, 16) }

// digits decodes a number with so many digits.
func digits(raw []byte, at, count, base int) (rune, bool) {
	if at+count > len(raw) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(raw[at:at+count]), base, 16)
	return rune(n), err == nil
}

// longestEntity is how long a number of HTML may be, with what is around it.
const longestEntity = 12

// numericEntity decodes a character that HTML has as a number, decimal or in hex.
func numericEntity(raw []byte, at int) (r rune, end int, ok bool) {
	length := bytes.IndexByte(raw[at:min(len(raw), at+longestEntity)], ';')
	if length < len("&#0") || raw[at+1] != '#' {
		return 0, 0, false
	}
	number, base := string(raw[at+2:at+length]), 10
	if number[0] == 'x' || number[0] == 'X' {
		number, base = number[1:], 16
	}
	n, err := strconv.ParseUint(number, base, 21)
	return rune(n), at + length + 1, err == nil
}

// percent decodes a byte of a URL. A percent sign may itself be encoded, any number of times.
func percent(raw []byte, at int) (b byte, end int, ok bool) {
	for end = at + 1; ; end += 2 {
		if end+2 > len(raw) {
			return 0, 0, false
		}
		n, err := strconv.ParseUint(string(raw[end:end+2]), 16, 8)
		if err != nil {
			return 0, 0, false
		}
		if n != '%' {
			return byte(n), end + 2, true
		}
		if end+4 > len(raw) {
			return '%', end + 2, true
		}
		if _, err := strconv.ParseUint(string(raw[end+2:end+4]), 16, 8); err != nil {
			return '%', end + 2, true
		}
	}
}

// skipIndent returns the index after line ends and the spaces that indent the next line.
func skipIndent(raw []byte, at int) int {
	for at < len(raw) && (raw[at] == ' ' || raw[at] == '\t' || raw[at] == '\n' || raw[at] == '\r') {
		at++
	}
	return at
}
