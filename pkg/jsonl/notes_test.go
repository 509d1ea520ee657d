package jsonl

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// notedText returns lines that take several batches.
func notedText() []byte {
	var b bytes.Buffer
	for i := range 200 {
		fmt.Fprintf(&b, `{"type":"message","id":"%d","message":{"role":"user","content":[{"type":"text","text":"%s"}]}}`+"\n",
			i, strings.Repeat("x", i%50))
	}
	return b.Bytes()
}

// noted returns the notes of a text.
func noted(t *testing.T, text []byte, opts Options) *Notes {
	t.Helper()
	opts.Notes = &Notes{}
	if got := readWith(bytes.NewReader(text), opts, 1000); got.err != nil || !opts.Notes.areWhole() {
		t.Fatal("no notes", got.err)
	}
	return opts.Notes
}

// A second reading relies on the notes, unless the stream is no longer the same.
func TestNotesAreUsed(t *testing.T) {
	text := notedText()
	for _, jobs := range []int{1, 3} {
		opts := Options{Jobs: jobs}
		opts.Notes = noted(t, text, opts)
		changed := bytes.Replace(text, []byte("xxxxx"), []byte("xx\"xx"), 1) // of the same length, but not JSON
		for _, rec := range readWith(bytes.NewReader(changed), opts, 1000).records {
			if rec.Damage != nil {
				t.Errorf("%d jobs: line %d was checked again", jobs, rec.Line)
			}
		}
		opts.Notes.IsSame = func() bool { return false }
		got := readWith(bytes.NewReader(changed), opts, 1000)
		if damaged := got.records[5].Damage; damaged == nil || damaged.Code != BadJSON || len(got.records) != 200 {
			t.Errorf("%d jobs: damage %v in %d records", jobs, damaged, len(got.records))
		}
	}
}

// A stream that became shorter, or whose lines moved, is read as it is now.
func TestNotesOfAnotherStream(t *testing.T) {
	text := notedText()
	for name, now := range map[string][]byte{
		"shorter": text[:len(text)/2], "empty": nil, "moved": append([]byte("\n"), text...), "longer": append(text, text...),
	} {
		for _, jobs := range []int{1, 3} {
			opts := Options{Jobs: jobs}
			notes := noted(t, text, opts)
			want := readWith(bytes.NewReader(now[:min(len(now), len(text))]), opts, 1000)
			opts.Notes = notes
			got := readWith(bytes.NewReader(now), opts, 1000)
			if name == "moved" { // batches end in the middle of a line
				got.records, want.records = got.records[:1], want.records[:1]
			}
			t.Run(fmt.Sprint(name, jobs), func(t *testing.T) { compareRecords(t, got.records, want.records) })
		}
	}
}

// Notes take less memory than what they are notes of.
func TestNotesAreSmall(t *testing.T) {
	size := 0
	for _, b := range noted(t, notedText(), Options{}).batches {
		size += len(b.text)
	}
	if most := 200 * 45; size > most {
		t.Errorf("%d bytes of notes, want at most %d", size, most)
	}
}

// A second reading may begin at any record. It uses the notes if a batch begins there.
func TestNotesOfTheRest(t *testing.T) {
	text := notedText()
	for _, jobs := range []int{1, 3} {
		opts := Options{Jobs: jobs}
		all := readWith(bytes.NewReader(text), opts, 1000).records
		notes := noted(t, text, opts)
		spoilt := bytes.ReplaceAll(text, []byte("xxxxx"), []byte("xx\"xx")) // which only a checked line shows
		starts := 0
		for i, first := range all[1:] {
			opts.Notes, opts.LinesBefore, opts.BytesBefore = notes, first.Line-1, first.Offset
			got := readWith(bytes.NewReader(text[first.Offset:]), opts, 1000)
			compareRecords(t, got.records, all[i+1:])
			start, _ := notes.StartBefore(first.Offset)
			rest := readWith(bytes.NewReader(spoilt[first.Offset:]), opts, 1000).records
			if used := rest[len(rest)-1].Damage == nil; used != (start == first.Offset) {
				t.Errorf("%d jobs, line %d: notes used: %v, a batch begins at %d", jobs, first.Line, used, start)
			}
			if start == first.Offset {
				starts++
			}
		}
		if starts < 10 {
			t.Errorf("%d jobs: only %d batches", jobs, starts)
		}
	}
}

// Notes of the rest of a stream would be taken for those of all of it.
func TestNoNotesAreTakenOfTheRest(t *testing.T) {
	text := notedText()
	rest := bytes.IndexByte(text, '\n') + 1
	opts := Options{Notes: &Notes{}, LinesBefore: 1, BytesBefore: int64(rest)}
	if readWith(bytes.NewReader(text[rest:]), opts, 1000); opts.Notes.areWhole() {
		t.Error("they are whole")
	}
}
