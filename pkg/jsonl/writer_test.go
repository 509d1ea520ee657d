package jsonl

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// writes records each Write separately.
type writes struct {
	each []string
	err  error
}

func (w *writes) Write(p []byte) (int, error) {
	w.each = append(w.each, string(p))
	return len(p), w.err
}

func TestWriterWritesWholeRecords(t *testing.T) {
	var dst writes
	w := NewWriter(&dst)
	var want bytes.Buffer
	for _, size := range []int{1, 100, writerSize - 2, writerSize - 1, writerSize, writerSize + 1, 20 * writerSize, 5,
		0} {
		text := strings.Repeat("x", size)
		if err := w.WriteRecord([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.WriteRaw([]byte(text + "\r\n")); err != nil {
			t.Fatal(err)
		}
		want.WriteString(text + "\n" + text + "\r\n")
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if strings.Join(dst.each, "") != want.String() {
		t.Error("the output has different bytes")
	}
	for i, piece := range dst.each {
		if !strings.HasSuffix(piece, "\n") {
			t.Errorf("write %d ends inside a record", i)
		}
	}
}

func TestWriterErrors(t *testing.T) {
	w := NewWriter(&writes{err: errors.New("full")})
	if err := w.WriteRecord([]byte("a\nb")); !errors.Is(err, ErrNewline) {
		t.Error(err)
	}
	if err := w.WriteRecord([]byte("{}")); err != nil {
		t.Error(err)
	}
	if err := w.Flush(); err == nil || err.Error() != "full" {
		t.Error(err)
	}
}
