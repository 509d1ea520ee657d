package jsonl

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"clawctl/internal/openfile"
	"clawctl/internal/testkit"
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

// A mappedFile is a file that can be looked at where it lies.
type mappedFile struct{ *os.File }

func (f mappedFile) Map(offset int64, length int) (*openfile.View, error) {
	return openfile.Map(f.File, offset, length)
}

func newMapped(t *testing.T, text []byte) mappedFile {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	testkit.Write(t, path, text)
	file, err := openfile.Named(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return mappedFile{file}
}

// Batches of a large file tile it too, from the place of the file on, whatever the lengths of its lines.
func TestBatchesOfFile(t *testing.T) {
	line := func(n int) string { return strings.Repeat("x", n-1) + "\n" }
	for name, text := range map[string]string{
		"short":          line(10) + "rest",
		"no rest":        strings.Repeat(line(1000), 5000),
		"long lines":     line(9) + line(viewSize+1) + strings.Repeat(line(100), 5000) + line(2*viewSize) + "rest",
		"no line end":    strings.Repeat("x", viewSize+10),
		"only line ends": strings.Repeat("\n", smallestView),
	} {
		for _, lends := range []bool{false, true} {
			file := newMapped(t, []byte("skipped\n"+text))
			if _, err := file.Seek(8, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			var b Batches
			b.Reset(file, Options{BytesBefore: 100}, lends)
			got := readBatches(t, &b, 100)
			if string(got) != text {
				t.Errorf("%s: got other text, of %d bytes instead of %d", name, len(got), len(text))
			}
		}
	}
}

func readBatches(t *testing.T, b *Batches, offset int64) (text []byte) {
	t.Helper()
	buf := make([]byte, BatchSize)
	for {
		batch, err := b.Next(buf)
		if err == io.EOF {
			return text
		}
		if err != nil || batch.Offset != offset+int64(len(text)) {
			t.Fatalf("at %d instead of %d: %v", batch.Offset, offset+int64(len(text)), err)
		}
		if err := batch.Look(func(lines []byte) { text = append(text, lines...) }); err != nil {
			t.Fatal(err)
		}
		b.Release(batch, buf)
	}
}

// Somebody shortens a file after a batch was cut from it: what is left is looked at.
func TestBatchesOfShorterFile(t *testing.T) {
	text := strings.Repeat("line\n", smallestView)
	file := newMapped(t, []byte(text))
	var b Batches
	b.Reset(file, Options{}, false)
	buf := make([]byte, BatchSize)
	batch, err := b.Next(buf)
	if err != nil {
		t.Fatal(err)
	}
	if batch.view == nil {
		t.Skip("this system maps no files")
	}
	if err := os.Truncate(file.Name(), 7); err != nil {
		t.Fatal(err)
	}
	var seen []byte
	if err := batch.Look(func(lines []byte) { seen = bytes.ToUpper(lines) }); err != nil || string(seen) != "LINE\nLI" {
		t.Errorf("looked at %d bytes, %v", len(seen), err)
	}
	b.Release(batch, buf)
	if _, err := b.Next(buf); err != io.EOF {
		t.Errorf("then got %v", err)
	}
}
