package tokens

import (
	"io"
	"unicode/utf8"
	"unsafe"
)

// chunk is the number of bytes of a stream that are counted at a time.
const chunk = 1 << 20

// maxHeld is the most text that is kept in memory. Tests make it smaller.
var maxHeld = 32 << 20

// CountStream counts the tokens of a stream of text, about a megabyte at a time. It cuts where no pattern can match
// across the cut: after a line end that neither white space nor a slash follows. Text without such a place is kept in
// memory until one comes, but at most maxHeld bytes. Then it is cut anywhere, which may make a token two.
func CountStream(r io.Reader, c Counter) (tokens, bytes int64, err error) {
	count := func(text []byte) int64 { return int64(c.Count(unsafe.String(unsafe.SliceData(text), len(text)))) }
	estimates := false
	if _, estimates = c.(Heuristic); estimates {
		count = func(text []byte) int64 { return int64(units(unsafe.String(unsafe.SliceData(text), len(text)))) }
	}
	held, buf := 0, make([]byte, chunk) // the text that is not counted yet is at the beginning of buf
	for {
		n, err := io.ReadFull(r, buf[held:])
		bytes += int64(n)
		text := buf[:held+n]
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			tokens += count(text)
			if estimates {
				tokens = (tokens + 3) / 4
			}
			return tokens, bytes, nil
		case err != nil:
			return tokens, bytes, err
		}
		cut := lastCut(text, held)
		if cut == 0 && len(text) >= maxHeld {
			cut = lastRune(text)
		}
		if cut > 0 {
			tokens += count(text[:cut])
		} else {
			buf = append(buf, make([]byte, len(buf))...)
		}
		held = copy(buf, text[cut:])
	}
}

// lastCut returns the last index, at or after from, at which a text can be cut without changing its count, or 0 if
// there is none.
func lastCut(text []byte, from int) int {
	for i := len(text) - 3; i > max(0, from-3); i-- {
		if text[i-1] == '\n' && beginsPiece(text[i:]) {
			return i
		}
	}
	return 0
}

// lastRune returns the index at which the last character of a text begins, or its length if there is no such place.
func lastRune(text []byte) int {
	for i := len(text) - 1; i > len(text)-utf8.UTFMax && i > 0; i-- {
		if utf8.RuneStart(text[i]) {
			return i
		}
	}
	return len(text)
}

// beginsPiece reports whether a text after a line end begins a new piece. It is false for anything that may be white
// space outside ASCII.
func beginsPiece(text []byte) bool {
	switch c := text[0]; {
	case c <= ' ' || c == '/' || c == 0x7f:
		return false
	case c < 0x80:
		return true
	case c == 0xe3:
		return text[1] != 0x80 || text[2] != 0x80
	default:
		return c > 0xc2 && c != 0xe1 && c != 0xe2
	}
}
