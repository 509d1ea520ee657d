package jsonl

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// Batches tile a stream, end with lines, and need no large buffer for a line that is too long.
func TestBatches(t *testing.T) {
	const limit = 2 * chunkSize
	line := func(n int) string { return strings.Repeat("x", n-1) + "\n" }
	text := []byte(strings.Repeat(line(100), 5000) + line(limit) + line(9*limit) + line(7) + line(chunkSize) + "rest")
	for name, src := range map[string]func() io.Reader{
		"file": func() io.Reader { return bytes.NewReader(text) },
		"pipe": func() io.Reader { return iotest.HalfReader(bytes.NewReader(text)) },
	} {
		for _, lends := range []bool{false, true} {
			checkBatches(t, name, src(), text, Options{MaxLine: limit}, lends)
		}
	}
}

func checkBatches(t *testing.T, name string, src io.Reader, text []byte, opts Options, lends bool) {
	t.Helper()
	var b Batches
	b.Reset(src, opts, lends)
	buf := make([]byte, BatchSize)
	begun, longLines := false, 0
	for at := 0; ; {
		batch, err := b.Next(buf)
		if err == io.EOF && at == len(text) && longLines == 1 {
			return
		}
		end := at + len(batch.Text)
		if err != nil || batch.Offset != int64(at) || !bytes.Equal(batch.Text, text[at:end]) {
			t.Fatalf("%s: %d bytes at %d, expected at %d, %d long lines, %v", name, len(batch.Text), batch.Offset, at,
				longLines, err)
		}
		if batch.IsContinued != begun || len(batch.buf) > opts.MaxLine+2+padding {
			t.Fatalf("%s: batch at %d continues: %v, buffer of %d bytes", name, at, batch.IsContinued, len(batch.buf))
		}
		if batch.IsLong && !batch.IsContinued {
			longLines++
		}
		begun = end < len(text) && text[end-1] != '\n'
		at = end
		b.Release(batch, buf)
	}
}
