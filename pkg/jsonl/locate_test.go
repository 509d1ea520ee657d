package jsonl

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
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
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d records, want %d", name, len(got.records), len(want.records))
		}
		// A long line is read twice, the first time to find its end.
		inTurn, loaded, all := file.inTurn.Load(), file.loaded.Load(), int64(len(text))
		if inTurn > all/8 || loaded < all*9/10 || loaded > all*5/2 {
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
				n := copy(p[:max(0, keep)], text[offset:])
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
