package tokens

import (
	"io"
	"unsafe"
)

// chunk is how much of a stream is counted at a time.
const chunk = 1 << 20

// CountStream counts the tokens of a stream of text, a piece of about a megabyte at a time. It is cut where no pattern
// reaches across: behind a line end, where neither white space nor a slash follows. Text without such a place is held
// until one comes.
func CountStream(r io.Reader, c Counter) (tokens, bytes int64, err error) {
	count := func(text []byte) int64 { return int64(c.Count(unsafe.String(unsafe.SliceData(text), len(text)))) }
	estimates := false
	if _, estimates = c.(Heuristic); estimates {
		count = func(text []byte) int64 { return int64(units(unsafe.String(unsafe.SliceData(text), len(text)))) }
	}
	var held []byte
	buf := make([]byte, chunk)
	for {
		n, err := io.ReadFull(r, buf)
		bytes += int64(n)
		searched := len(held)
		held = append(held, buf[:n]...)
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			tokens += count(held)
			if estimates {
				tokens = (tokens + 3) / 4
			}
			return tokens, bytes, nil
		case err != nil:
			return tokens, bytes, err
		}
		if cut := lastCut(held, searched); cut > 0 {
			tokens += count(held[:cut])
			held = append(held[:0], held[cut:]...)
		}
	}
}

// lastCut returns the last index, not before another, at which a text can be cut in two without changing what it
// counts; 0 where there is none.
func lastCut(text []byte, from int) int {
	for i := len(text) - 3; i > max(0, from-3); i-- {
		if text[i-1] == '\n' && beginsPiece(text[i:]) {
			return i
		}
	}
	return 0
}

// beginsPiece reports whether a text behind a line end begins a piece of its own. What may be white space beyond ASCII
// is left alone.
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
