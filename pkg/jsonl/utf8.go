package jsonl

import (
	"encoding/binary"
	"unicode/utf8"
)

// validUTF8 is utf8.Valid for text in which ASCII comes in long runs between other characters: it takes up the
// eight-byte stride again after every run of multi-byte characters.
func validUTF8(b []byte) bool {
	for len(b) > 0 {
		for len(b) >= 8 && binary.LittleEndian.Uint64(b)&highs == 0 {
			b = b[8:]
		}
		for len(b) > 0 && b[0] < utf8.RuneSelf {
			b = b[1:]
		}
		for len(b) > 0 && b[0] >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(b)
			if r == utf8.RuneError && n == 1 {
				return false
			}
			b = b[n:]
		}
	}
	return true
}

// firstBadUTF8 returns the index of the first byte that is not part of valid UTF-8, or -1.
func firstBadUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}
