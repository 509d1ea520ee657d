package scrub

import (
	"bytes"
	"errors"
	"io"
)

// Texts are searched in pieces that end at the end of a line. A piece without one is searched as it is, together with
// the end of the piece before it, because a value may be in both.
const (
	pieceSize = 4 << 20
	overlap   = 64 << 10
)

// countIn returns how often a text has each value, by the index of the value.
func countIn(in io.Reader, t *tracer) (counts map[int]int, err error) {
	counts = map[int]int{}
	err = eachPiece(in, func(piece []byte) bool {
		for _, trace := range t.find(piece) {
			counts[trace.Value]++
		}
		return true
	})
	return counts, err
}

func hasIn(in io.Reader, t *tracer) (has bool, err error) {
	err = eachPiece(in, func(piece []byte) bool {
		has = t.has(piece)
		return !has
	})
	return has, err
}

// eachPiece calls look with the pieces of a text, until it returns false.
func eachPiece(in io.Reader, look func(piece []byte) bool) error {
	buf := make([]byte, 0, pieceSize+overlap)
	for {
		n, err := io.ReadFull(in, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		isEnd := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !isEnd {
			return err
		}
		if isEnd {
			look(buf)
			return nil
		}
		end := bytes.LastIndexByte(buf, '\n') + 1
		from := end
		if end < len(buf)-pieceSize/2 { // the last line is too long to be kept
			end, from = len(buf), len(buf)-overlap
		}
		if !look(buf[:end]) {
			return nil
		}
		buf = buf[:copy(buf[:cap(buf)], buf[from:])]
	}
}
