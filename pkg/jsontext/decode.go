package jsontext

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// Decode appends the text that the inside of a well-formed JSON string stands for. Half of a surrogate pair is encoded
// like any other character, in three bytes that no UTF-8 text contains, so different halves give different results.
// Bytes that are not UTF-8 stay as they are.
func Decode(dst, inside []byte) []byte {
	dst = slices.Grow(dst, len(inside)) // no text is longer than its JSON
	for {
		n, at := decodeSimple(dst[len(dst):cap(dst)], inside)
		if dst, inside = dst[:len(dst)+n], inside[at:]; len(inside) == 0 {
			return dst
		}
		unit, _ := escapedUnit(inside, 0)
		inside = inside[6:]
		if low, ok := escapedUnit(inside, 0); ok && utf16.DecodeRune(unit, low) != utf8.RuneError {
			unit, inside = utf16.DecodeRune(unit, low), inside[6:]
		}
		dst = appendUnit(dst, unit)
	}
}

// wordSize is the number of bytes that are copied at a time. Texts have an escape on every line, so that is faster than
// a search and a copy for every line.
const wordSize = 8

// decodeSimple decodes everything before the next escape with \u, and returns how much it has written and read.
func decodeSimple(dst, inside []byte) (n, at int) {
	for at+wordSize <= len(inside) && n+wordSize <= len(dst) {
		w := binary.LittleEndian.Uint64(inside[at:])
		binary.LittleEndian.PutUint64(dst[n:], w)
		found := firstZero(w ^ slashes)
		if found == 0 {
			n, at = n+wordSize, at+wordSize
			continue
		}
		plain := bits.TrailingZeros64(found) / 8
		n, at = n+plain, at+plain
		letter := inside[at+1]
		if letter == 'u' {
			return n, at
		}
		dst[n] = unescaped[letter]
		n, at = n+1, at+2
	}
	for ; at < len(inside); n, at = n+1, at+1 {
		if dst[n] = inside[at]; dst[n] != '\\' {
			continue
		}
		if inside[at+1] == 'u' {
			return n, at
		}
		at++
		dst[n] = unescaped[inside[at]]
	}
	return n, at
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
