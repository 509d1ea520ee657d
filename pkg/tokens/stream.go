package tokens

import (
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"
)

// chunk is the number of bytes of a stream that are read at a time.
const chunk = 256 << 10

// maxHeld is the most text that is kept in memory. Tests make it smaller.
var maxHeld = 32 << 20

// CountStream counts the tokens of a stream of text. Several cores count chunks of it at the same time.
func CountStream(r io.Reader, c Counter) (tokens, bytes int64, err error) {
	count, divisor := c.Count, int64(1)
	if _, estimates := c.(Heuristic); estimates {
		count, divisor = units, 4
	}
	var sum atomic.Int64
	var group sync.WaitGroup
	running := make(chan bool, runtime.GOMAXPROCS(0))
	bytes, err = eachChunk(r, func(text []byte) {
		add := func() { sum.Add(int64(count(unsafe.String(unsafe.SliceData(text), len(text))))) }
		if len(text) > chunk { // several of these would take too much memory
			add()
			return
		}
		running <- true
		group.Go(func() {
			add()
			<-running
		})
	})
	group.Wait()
	return (sum.Load() + divisor - 1) / divisor, bytes, err
}

// eachChunk reads a stream, and yields its text about a chunk at a time. It cuts where no pattern can match across the
// cut: after a line end that neither white space nor a slash follows. Text without such a place is kept in memory until
// one comes, but at most maxHeld bytes. Then it is cut anywhere, which may make a token two.
func eachChunk(r io.Reader, yield func(text []byte)) (bytes int64, err error) {
	held, buf := 0, make([]byte, chunk) // the text that is not counted yet is at the beginning of buf
	for {
		n, err := io.ReadFull(r, buf[held:])
		bytes += int64(n)
		text := buf[:held+n]
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			yield(text)
			return bytes, nil
		case err != nil:
			return bytes, err
		}
		cut := lastCut(text, held)
		if cut == 0 && len(text) >= maxHeld {
			cut = lastRune(text)
		}
		size := 2 * len(buf)
		if cut > 0 {
			yield(text[:cut])
			for size = chunk; size <= len(text)-cut; {
				size *= 2
			}
		}
		buf = make([]byte, size)
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
