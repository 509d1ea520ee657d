package jsonl

import (
	"errors"
	"io"
	"strings"
	"testing"

	"clawctl/internal/longtest"
)

// A watchedFile counts what is read in turn, and what is looked at ahead of that. Either may fail.
type watchedFile struct {
	*strings.Reader
	read, seen int64
	cut        int   // where it ends now, or 0
	cause      error // why it ends there
	seesAll    bool  // looking ahead came before it was cut
}

func (f *watchedFile) Read(p []byte) (int, error) {
	if left := int64(f.cut) - (f.Size() - int64(f.Len())); f.cut > 0 && left < int64(len(p)) {
		n, _ := f.Reader.Read(p[:max(0, left)])
		return n, f.cause
	}
	n, err := f.Reader.Read(p)
	f.read += int64(n)
	return n, err
}

func (f *watchedFile) ReadAt(p []byte, offset int64) (int, error) {
	if left := int64(f.cut) - offset; f.cut > 0 && !f.seesAll && left < int64(len(p)) {
		n, _ := f.Reader.ReadAt(p[:max(0, left)], offset)
		return n, f.cause
	}
	n, err := f.Reader.ReadAt(p, offset)
	f.seen += int64(n)
	return n, err
}

// A file is read once. Only lines that need more than a spare buffer are looked at before.
func TestFileIsReadOnce(t *testing.T) {
	const chunk = smallChunk
	long := `{"type":"user","content":"` + strings.Repeat("x", 2*chunk) + `"}`
	huge := `{"type":"user","content":"` + strings.Repeat("x", 2*spareSize) + `"}` + "\n"
	for name, test := range map[string]struct {
		line  string
		ahead int64 // of each line
	}{
		"short lines": {`{"type":"user","content":"x"}` + "\n", 0},
		"long lines":  {long + "\r\n", 0},
		"mixed":       {strings.Repeat("{}  \n", 9000) + long + "\n", 0},
		"huge lines":  {huge, int64(len(huge)) - spareSize},
	} {
		lines := max(3, 40*chunk/len(test.line))
		text := strings.Repeat(test.line, lines)
		want := readWith(strings.NewReader(text), Options{}, chunk)
		for _, jobs := range []int{1, 3} {
			file := &watchedFile{Reader: strings.NewReader(text)}
			compareReadings(t, Options{Jobs: jobs}, readWith(file, Options{Jobs: jobs}, chunk), want)
			if most := int64(lines) * (test.ahead + chunk); file.read != int64(len(text)) ||
				file.seen > most || test.ahead == 0 && file.seen > 0 {
				t.Errorf("%s, %d jobs: %d bytes of %d are read, and %d before", name, jobs, file.read, len(text), file.seen)
			}
		}
	}
}

// A file may become shorter, or unreadable, while it is read. What comes before is returned, even of a line whose whole
// length was seen.
func TestLocatedIsGone(t *testing.T) {
	broken := errors.New("broken")
	huge := `{"type":"user","content":"` + strings.Repeat("x", spareSize*3/2) + `"}` + "\n"
	for name, text := range map[string]string{
		"short lines": strings.Repeat(`{"type":"user","content":"x"}`+"\n", 4000),
		"huge lines":  huge + huge + huge,
	} {
		for i, cause := range []error{io.EOF, broken, io.EOF, broken} {
			file := &watchedFile{Reader: strings.NewReader(text), cut: len(text) / 2, cause: cause, seesAll: i > 1}
			for _, jobs := range []int{1, 3} {
				_, _ = file.Seek(0, io.SeekStart)
				got := readWith(file, Options{Jobs: jobs}, 4096)
				want := cause
				if cause == io.EOF {
					want = nil
				}
				if got.err != want || got.offset != int64(len(text)/2) {
					t.Errorf("%s, %v, %d jobs: %v after %d bytes, want %d", name, cause, jobs, got.err, got.offset,
						len(text)/2)
				}
			}
		}
	}
}

// The buffers of long lines are used again while others are checked, whatever their lines end with.
func TestLongLinesShareBuffers(t *testing.T) {
	for _, tail := range []string{"      \n", "\u00a0\n", "\n"} {
		b := strings.Builder{}
		b.WriteString(strings.Repeat(`{"type":"user","content":"x"}`+"\n", 10_000))
		for i := range 40 {
			line := strings.Repeat(string(rune('a'+i%26)), chunkSize+chunkSize/8+i*3000)
			b.WriteString(`{"type":"user","content":"` + line + `"}` + tail)
		}
		text := b.String()
		for range 3 {
			for rec, err := range Records(strings.NewReader(text), Options{Jobs: 2}) {
				if err != nil || string(rec.Raw) != text[rec.Offset:rec.Offset+int64(len(rec.Raw))] {
					t.Fatalf("tail %q: line %d differs, %v", tail, rec.Line, err)
				}
			}
		}
	}
}

// Whether the last line is trimmed does not depend on how many blank lines follow, or on the places of batches.
func TestBlankEnd(t *testing.T) {
	step := 20 / longtest.Rounds(t, "CLAWCTL_SHIFTS", 4, 20)
	for shift := 0; shift < 20; shift += step {
		text := strings.Repeat(`{"type":"user","content":"x"}`+"\n", 9000) +
			`{"a":"` + strings.Repeat("y", chunkSize*3/4+shift*15_000) + `"}` + "\n" +
			"{}\u00a0\n" + strings.Repeat("\n", 2*maxBlankEnd)
		for _, jobs := range []int{1, 3} {
			got := readWith(strings.NewReader(text), Options{Jobs: jobs}, chunkSize)
			if rec := got.records[9001]; rec.Damage != nil || got.offset != int64(len(text)) {
				t.Errorf("shift %d, %d jobs: %v", shift, jobs, rec.Damage)
			}
		}
		if text += "x"; readWith(strings.NewReader(text), Options{Jobs: 3}, chunkSize).records[9001].Damage == nil {
			t.Errorf("shift %d: trimmed before other text", shift)
		}
	}
}
