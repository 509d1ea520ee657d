package jsontext

import "unicode/utf8"

// ValidUTF8 is utf8.Valid, with vector instructions where there are some.
func ValidUTF8(b []byte) bool {
	checked, ok := validPrefix(b)
	return ok && utf8.Valid(b[checked:])
}

// startOfLast returns where the last character of a text begins, if that may be incomplete, or the end of the text.
func startOfLast(text []byte) int {
	for i := len(text) - 1; i >= max(0, len(text)-utf8.UTFMax+1); i-- {
		if text[i] >= 0xc0 {
			return i
		}
	}
	return len(text)
}

// FirstBadUTF8 returns the index of the first byte that is not part of valid UTF-8, or -1.
func FirstBadUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// ReplaceBadUTF8 decodes as JavaScript programs do: every longest prefix of an incomplete character, and every other
// invalid byte, becomes one U+FFFD. (Go's own functions replace byte by byte, or run by run.)
func ReplaceBadUTF8(b []byte) []byte {
	if ValidUTF8(b) {
		return b
	}
	out := make([]byte, 0, len(b)+8)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = brokenRune(b)
			out = append(out, "\ufffd"...)
		} else {
			out = append(out, b[:n]...)
		}
		b = b[n:]
	}
	return out
}

// brokenRune returns how many bytes at the start of b could begin a character, at least 1.
func brokenRune(b []byte) int {
	low, high, more := byte(0x80), byte(0xbf), 0
	switch c := b[0]; {
	case c >= 0xc2 && c <= 0xdf:
		more = 1
	case c >= 0xe0 && c <= 0xef:
		more = 2
	case c >= 0xf0 && c <= 0xf4:
		more = 3
	}
	switch b[0] {
	case 0xe0:
		low = 0xa0
	case 0xed:
		high = 0x9f
	case 0xf0:
		low = 0x90
	case 0xf4:
		high = 0x8f
	}
	n := 1
	for n <= more && n < len(b) && b[n] >= low && b[n] <= high {
		low, high = 0x80, 0xbf
		n++
	}
	return n
}
