package jsonl

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"clawctl/internal/testkit"
)

// tile reads a stream and checks that its records cover it without gaps or overlaps.
func tile(t testing.TB, r *Reader, data []byte) (records []*Record) {
	t.Helper()
	var offset, line int64
	for rec, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Offset != offset || len(rec.Raw) == 0 {
			t.Fatalf("record %d at offset %d with %d bytes, want offset %d", rec.Line, rec.Offset, len(rec.Raw), offset)
		}
		if !bytes.Equal(rec.Raw, data[offset:offset+int64(len(rec.Raw))]) {
			t.Fatalf("record %d differs from the input", rec.Line)
		}
		if !rec.Continued {
			line++
		}
		if rec.Line != line {
			t.Fatalf("record has line %d, want %d", rec.Line, line)
		}
		if got := string(rec.Raw[:rec.from]) + string(rec.Text()) + rec.LineEnd(); got != string(rec.Raw) {
			t.Fatalf("record %d: its parts do not add up to it", rec.Line)
		}
		offset += int64(len(rec.Raw))
		records = append(records, rec.Clone())
	}
	if offset != int64(len(data)) {
		t.Fatalf("records hold %d of %d bytes", offset, len(data))
	}
	return records
}

func TestReaderTilesTestdata(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/transcripts/*")
	for _, name := range files {
		data := testkit.Read(t, name)
		whole := tile(t, NewReader(bytes.NewReader(data), Options{}), data)
		// The same from a stream that returns one byte at a time and does not allow looking ahead.
		drops := tile(t, NewReader(iotest.OneByteReader(bytes.NewReader(data)), Options{}), data)
		if len(whole) != len(drops) {
			t.Errorf("%s: %d records, byte by byte %d", name, len(whole), len(drops))
		}
	}
}

func TestReaderShapes(t *testing.T) {
	record := `{"type":"user"}`
	for _, test := range []struct {
		name, data string
		want       string // one word per record: r if intact, b if blank, or the code
	}{
		{"empty", "", ""},
		{"only newlines", "\n\n\n", "b b b"},
		{"no final newline", record, "r"},
		{"CRLF", record + "\r\n" + record + "\r\n", "r r"},
		{"byte order mark", "\xef\xbb\xbf" + record + "\n", "r"},
		{"byte order mark alone", "\xef\xbb\xbf", "b"},
		{"late byte order mark", record + "\n\xef\xbb\xbf" + record + "\n", "r CL001"},
		{"NUL run", record + "\n" + strings.Repeat("\x00", 40) + "\n" + record + "\n", "r CL007 r"},
		{"NUL in a record", record + "\n{\x00}\n", "r CL001"},
		{"U+2028", `{"type":"` + "\u2028\u2029" + `"}` + "\n", "r"},
		{"UTF-16 LE", "\xff\xfe{\x00}\x00\n\x00{\x00", "CL008 CL008"},
		{"UTF-16 BE without a mark", "\x00{\x00}\x00\n\x00{", "CL008 CL008"},
		{"one NUL near the start", "{\x00}\n" + record + "\n", "CL001 r"},
		{"a mark of UTF-16 alone", "\xff\xfe" + record + "\n" + record + "\n", "CL001 r"},
		{"torn tail", record + "\n" + `{"type":"us`, "r CL002"},
		{"torn in the middle", `{"type":"us` + "\n" + record, "CL001 r"},
		{"white space", " \t\n" + record + " \r\n", "b r"},
		{"not objects", "1\nnull\n[]\n\"x\"\n", "CL006 CL006 CL006 CL006"},
	} {
		var got []string
		for _, rec := range tile(t, NewReader(strings.NewReader(test.data), Options{}), []byte(test.data)) {
			switch {
			case rec.Damage != nil:
				got = append(got, string(rec.Damage.Code))
			case rec.Blank:
				got = append(got, "b")
			default:
				got = append(got, "r")
			}
		}
		if g := strings.Join(got, " "); g != test.want {
			t.Errorf("%s: %q, want %q", test.name, g, test.want)
		}
	}
}

// Lines of every length around the size of the reader's buffer.
func TestReaderBufferEdges(t *testing.T) {
	for _, size := range []int{chunkSize - 3, chunkSize - 2, chunkSize - 1, chunkSize, chunkSize + 1, 2*chunkSize - 1,
		2 * chunkSize, 3*chunkSize + 7, spareSize - 200, spareSize, spareSize + 200} {
		long := `{"a":"` + strings.Repeat("x", size-8) + `"}`
		checkEdges(t, size, long)
		checkEdges(t, size, "{}\n"+long+"\n{}\n"+long+"\n{}")
	}
}

func checkEdges(t *testing.T, size int, text string) {
	t.Helper()
	data := []byte(text)
	for _, src := range []io.Reader{bytes.NewReader(data), iotest.HalfReader(bytes.NewReader(data)),
		iotest.DataErrReader(bytes.NewReader(data))} {
		for _, rec := range tile(t, NewReader(src, Options{}), data) {
			if rec.Damage != nil {
				t.Errorf("size %d: %v", size, rec.Damage)
			}
		}
	}
}

func TestReaderLongLines(t *testing.T) {
	const limit = 2 * chunkSize
	line := func(n int) string { return `{"a":"` + strings.Repeat("x", n-8) + `"}` + "\n" }
	data := []byte(line(limit) + "{}\n" + line(limit+1) + "{}\n" + line(10*limit) + "{}\n" +
		strings.TrimSuffix(line(5*limit), "\n"))
	want := map[int64]bool{3: true, 5: true, 7: true}
	for name, src := range map[string]io.Reader{"file": bytes.NewReader(data),
		"pipe": iotest.HalfReader(bytes.NewReader(data))} {
		for _, rec := range tile(t, NewReader(src, Options{MaxLine: limit}), data) {
			if tooLong := rec.Damage != nil && rec.Damage.Code == TooLong; tooLong != want[rec.Line] {
				t.Errorf("%s: line %d: %v", name, rec.Line, rec.Damage)
			}
		}
	}
}

// Long lines of a pipe are read ahead: around the limit, one after the other, and with the stream ending anywhere.
func TestReaderReadsAhead(t *testing.T) {
	const limit = 2*keptPiece + 100
	line := func(n int) string { return `{"a":"` + strings.Repeat("x", n-8) + `"}` + "\n" }
	text := line(keptPiece+5) + line(limit) + "{}\n" + line(limit+1) + line(keptPiece-7) + line(2*limit+3) + "{}\n" +
		line(limit)
	isTooLong := map[int64]bool{4: true, 6: true}
	for _, cut := range []int{0, 1, limit + 2} {
		data := []byte(text[:len(text)-cut])
		for name, src := range map[string]io.Reader{
			"file": bytes.NewReader(data), "pipe": struct{ io.Reader }{bytes.NewReader(data)},
			"half": iotest.HalfReader(bytes.NewReader(data)), "with error": iotest.DataErrReader(bytes.NewReader(data)),
		} {
			r := NewReader(src, Options{MaxLine: limit})
			for _, rec := range tile(t, r, data) {
				if tooLong := rec.Damage != nil && rec.Damage.Code == TooLong; tooLong != isTooLong[rec.Line] {
					t.Errorf("%s without %d bytes: line %d: %v", name, cut, rec.Line, rec.Damage)
				}
			}
			if len(r.filler.huge) > limit+2+padding || len(r.filler.stream.kept) > 3 {
				t.Errorf("%s: %d bytes of buffer, %d pieces", name, len(r.filler.huge), len(r.filler.stream.kept))
			}
			if r.Reset(bytes.NewReader(nil), Options{}); r.filler.huge != nil || r.filler.stream.kept != nil {
				t.Errorf("%s: large buffers are kept for the next stream", name)
			}
		}
	}
}

// An error in a line that is read ahead is returned once, after the bytes before it.
func TestReaderErrorAhead(t *testing.T) {
	text := "{}\n" + strings.Repeat("x", 3*keptPiece)
	broken := io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrClosedPipe))
	r := NewReader(struct{ io.Reader }{broken}, Options{})
	total := 0
	for rec, err := range r.All() {
		if err != nil {
			if err != io.ErrClosedPipe || total != len(text) {
				t.Errorf("%v after %d bytes", err, total)
			}
			return
		}
		total += len(rec.Raw)
	}
	t.Error("no error")
}

// Canceling the context stops reading ahead within a line.
func TestReaderCanceledAhead(t *testing.T) {
	reads := 0
	canceled := errors.New("canceled")
	beforeRead := func() error {
		if reads++; reads > 2*keptPiece/chunkSize {
			return canceled
		}
		return nil
	}
	src := struct{ io.Reader }{strings.NewReader("{}\n" + strings.Repeat("x", 3*keptPiece))}
	r := NewReader(src, Options{BeforeRead: beforeRead})
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != canceled {
		t.Error(err)
	}
}

func TestReaderStrict(t *testing.T) {
	r := NewReader(strings.NewReader("{}\n{\n{}\n"), Options{Strict: true})
	n := 0
	var damage *Damage
	for _, err := range r.All() {
		if err != nil {
			if !errors.As(err, &damage) {
				t.Fatal(err)
			}
			break
		}
		n++
	}
	if n != 1 || damage == nil || damage.Line != 2 {
		t.Errorf("%d records, then %v", n, damage)
	}
	if _, err := r.Next(); !errors.As(err, &damage) {
		t.Errorf("the error is not final: %v", err)
	}
}

// Data before an error, or returned with it, is read first: complete lines and the beginning of a torn one.
func TestReaderErrors(t *testing.T) {
	for name, broken := range map[string]io.Reader{
		"after the data": io.MultiReader(strings.NewReader("{}\n{}\n{"), iotest.ErrReader(io.ErrClosedPipe)),
		"with the data":  &dataAndError{"{}\n{}\n{", io.ErrClosedPipe},
	} {
		var got []string
		for rec, err := range NewReader(broken, Options{}).All() {
			switch {
			case err != nil:
				got = append(got, err.Error())
			case rec.Damage != nil:
				got = append(got, string(rec.Damage.Code))
			default:
				got = append(got, string(rec.Text()))
			}
		}
		if want := "{} {} CL002 " + io.ErrClosedPipe.Error(); strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

type dataAndError struct {
	data string
	err  error
}

func (d *dataAndError) Read(p []byte) (int, error) {
	n := copy(p, d.data)
	d.data = d.data[n:]
	return n, d.err
}

func FuzzReaderTiles(f *testing.F) {
	files, _ := filepath.Glob("../../testdata/transcripts/*.jsonl")
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, 0)
	}
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		whole := tile(t, NewReader(bytes.NewReader(data), Options{MaxLine: limit}), data)
		halves := tile(t, NewReader(iotest.HalfReader(bytes.NewReader(data)), Options{MaxLine: limit}), data)
		if len(whole) != len(halves) {
			t.Fatalf("%d records, in halves %d", len(whole), len(halves))
		}
		for i, rec := range whole {
			if again := (&Parser{}).Parse(rec.Raw, rec.Line, rec.Offset); limit == 0 && rec.Offset > 0 &&
				rec.Legible() != again.Legible() {
				t.Fatalf("line %d: legible %v, alone %v", rec.Line, rec.Legible(), again.Legible())
			}
			if i < len(halves) && (rec.Damage == nil) != (halves[i].Damage == nil) {
				t.Fatalf("line %d: %v, in halves %v", rec.Line, rec.Damage, halves[i].Damage)
			}
		}
	})
}
