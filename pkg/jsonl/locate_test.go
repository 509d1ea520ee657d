package jsonl

import (
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"clawctl/internal/longtest"
)

// A watchedFile counts what is read in turn, and may fail to load a batch.
type watchedFile struct {
	*strings.Reader
	inTurn atomic.Int64
	loaded atomic.Int64
	fails  func(p []byte, offset int64) (int, error) // nil: never
}

func (f *watchedFile) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	f.inTurn.Add(int64(n))
	return n, err
}

func (f *watchedFile) ReadAt(p []byte, offset int64) (int, error) {
	f.loaded.Add(int64(len(p)))
	if f.fails != nil {
		if n, err := f.fails(p, offset); err != nil {
			return n, err
		}
	}
	return f.Reader.ReadAt(p, offset)
}

// Of a file, only the beginning and the end are read in turn, whether its lines fit into a buffer or not.
func TestLocated(t *testing.T) {
	const chunk = smallChunk
	long := `{"type":"user","content":"` + strings.Repeat("x", 2*chunk) + `"}`
	for name, line := range map[string]string{
		"short lines": `{"type":"user","content":"x"}` + "\n",
		"long lines":  long + "\r\n",
		"mixed":       strings.Repeat("{}  \n", 9000) + long + "\n",
	} {
		text := strings.Repeat(line, 40*chunk/len(line))
		want := readWith(strings.NewReader(text), Options{}, chunk)
		file := &watchedFile{Reader: strings.NewReader(text)}
		got := readWith(file, Options{Jobs: 3}, chunk)
		compareReadings(t, Options{Jobs: 3}, got, want)
		// The end of a line is looked for in what is then loaded.
		inTurn, loaded, all := file.inTurn.Load(), file.loaded.Load(), int64(len(text))
		if inTurn > all/8 || loaded < all*9/10 || loaded > all*3/2 {
			t.Errorf("%s: %d bytes are read in turn and %d loaded, of %d", name, inTurn, loaded, all)
		}
	}
}

// A file may become shorter, or unreadable, after a batch was located. The records before are returned.
func TestLocatedIsGone(t *testing.T) {
	const chunk, line = 4096, `{"type":"user","content":"x"}` + "\n"
	text := strings.Repeat(line, 4000)
	broken := errors.New("broken")
	for _, cause := range []error{io.EOF, broken} {
		file := &watchedFile{Reader: strings.NewReader(text), fails: func(p []byte, offset int64) (int, error) {
			if keep := int64(len(text)/2) - offset; len(p) > chunk/2 && keep < int64(len(p)) {
				n := copy(p[:max(0, keep)], text[min(offset, int64(len(text))):])
				return n, cause
			}
			return 0, nil
		}}
		got := readWith(file, Options{Jobs: 3}, chunk)
		want := cause
		if cause == io.EOF {
			want = nil
		}
		if got.err != want || got.offset != int64(len(text)/2) {
			t.Errorf("%v: %v after %d bytes, want %d", cause, got.err, got.offset, len(text)/2)
		}
	}
}

// A line that cannot be located, because it ends with white space, is read in turn. The buffers of the lines before it
// are used again meanwhile.
func TestLocatedAfterFill(t *testing.T) {
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
func TestLocatedBlankEnd(t *testing.T) {
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
