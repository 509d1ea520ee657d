package jsontext

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Decode appends the text that the inside of a well-formed JSON string stands for. Half of a surrogate pair is encoded
// like any other character, in three bytes that no UTF-8 text contains, so different halves give different results.
// Bytes that are not UTF-8 stay as they are.
func Decode(dst, inside []byte) []byte {
	for {
		at := bytes.IndexByte(inside, '\\')
		if at < 0 {
			return append(dst, inside...)
		}
		dst, inside = append(dst, inside[:at]...), inside[at:]
		unit, isUnit := escapedUnit(inside, 0)
		if !isUnit {
			dst, inside = append(dst, unescaped[inside[1]]), inside[2:]
			continue
		}
		inside = inside[6:]
		if low, ok := escapedUnit(inside, 0); ok && utf16.DecodeRune(unit, low) != utf8.RuneError {
			unit, inside = utf16.DecodeRune(unit, low), inside[6:]
		}
		dst = appendUnit(dst, unit)
	}
}

// unescaped maps the letter of a short escape to its character.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// appendUnit appends a character, or half of a surrogate pair.
func appendUnit(dst []byte, r rune) []byte {
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r)
	}
	return append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
}
