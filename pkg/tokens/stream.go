package tokens

import (
	"io"
	"unsafe"
)

// chunk is how much of a stream is counted at a time.
const chunk = 1 << 20

// CountStream counts the tokens of a stream of text, a piece of about a megabyte at a time. It is cut where no pattern
// reaches across: between a line end and a letter or digit. Text without such a place is held until its end.
func CountStream(r io.Reader, c Counter) (tokens, bytes int64, err error) {
	var held []byte
	buf := make([]byte, chunk)
	for {
		n, err := io.ReadFull(r, buf)
		bytes += int64(n)
		held = append(held, buf[:n]...)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return tokens + int64(c.Count(string(held))), bytes, nil
		}
		if err != nil {
			return tokens, bytes, err
		}
		if cut := lastCut(held); cut > 0 {
			tokens += int64(c.Count(unsafe.String(&held[0], cut)))
			held = append(held[:0], held[cut:]...)
		}
	}
}

// lastCut returns the last index at which a text can be cut in two without changing what it counts, 0 where there is none.
func lastCut(text []byte) int {
	for i := len(text) - 1; i > 0; i-- {
		c := text[i]
		if text[i-1] == '\n' && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			return i
		}
	}
	return 0
}
