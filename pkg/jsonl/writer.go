package jsonl

import (
	"bytes"
	"errors"
	"io"
)

// writerSize is the number of bytes that a Writer buffers before it writes.
const writerSize = 64 << 10

// ErrNewline is the error for a record that would become two lines.
var ErrNewline = errors.New("a record cannot contain a newline")

// A Writer writes complete records: every Write to the underlying writer ends at the end of a record, and an
// interruption never leaves half of one. Close or Flush must be called at the end.
type Writer struct {
	dst io.Writer
	buf []byte
}

// NewWriter returns a Writer to dst.
func NewWriter(dst io.Writer) *Writer { return &Writer{dst: dst, buf: make([]byte, 0, writerSize)} }

// WriteRecord writes the JSON text of a record and a newline.
func (w *Writer) WriteRecord(text []byte) error {
	if bytes.IndexByte(text, '\n') >= 0 {
		return ErrNewline
	}
	if err := w.makeRoom(len(text) + 1); err != nil {
		return err
	}
	w.buf = append(append(w.buf, text...), '\n')
	return nil
}

// WriteRaw writes the verbatim bytes of a record, including its line end.
func (w *Writer) WriteRaw(raw []byte) error {
	if err := w.makeRoom(len(raw)); err != nil {
		return err
	}
	if len(raw) > cap(w.buf) {
		_, err := w.dst.Write(raw)
		return err
	}
	w.buf = append(w.buf, raw...)
	return nil
}

// Flush writes the buffered records.
func (w *Writer) Flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	_, err := w.dst.Write(w.buf)
	w.buf = w.buf[:0]
	if cap(w.buf) > 16*writerSize {
		w.buf = make([]byte, 0, writerSize)
	}
	return err
}

func (w *Writer) makeRoom(n int) error {
	if len(w.buf)+n > writerSize {
		return w.Flush()
	}
	return nil
}
