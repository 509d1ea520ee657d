package rebuild

import (
	"bytes"
	"errors"
	"iter"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild/rebuildtest"
)

// nativeText returns the messages of a context from a second reading.
func nativeText(c *Context, records iter.Seq2[*jsonl.Record, error]) (text []byte, err error) {
	err = c.Native(records, func(m []byte) error {
		text = append(append(text, m...), '\n')
		return nil
	})
	return text, err
}

// A second reading that begins where the context starts finds the same as one of the complete transcript.
func TestReadingFromTheStart(t *testing.T) {
	skipped := 0
	for seed := range uint64(1000) {
		text := rebuildtest.Transcript(seed)
		if seed%2 == 1 {
			text = rebuildtest.PiTranscript(seed)
		}
		_, c := read(t, text, "")
		want, wantErr := nativeText(c, jsonl.Records(bytes.NewReader(text), jsonl.Options{}))
		at, opts := c.Start(), jsonl.Options{}
		if at.Line > 0 {
			opts.LinesBefore, opts.BytesBefore = at.Line-1, at.Offset
			skipped++
		}
		got, gotErr := nativeText(c, jsonl.Records(bytes.NewReader(text[at.Offset:]), opts))
		if !bytes.Equal(got, want) || (gotErr == nil) != (wantErr == nil) {
			t.Fatalf("seed %d: got %s, %v, want %s, %v", seed, got, gotErr, want, wantErr)
		}
	}
	if skipped < 100 {
		t.Errorf("only %d contexts start later than the transcript", skipped)
	}
}

// A record that changed between the readings is noticed even if no line changed its length.
func TestChangedRecord(t *testing.T) {
	const text = `{"type":"session","version":3,"id":"s","timestamp":"2026-11-01T10:00:00.000Z","cwd":"/w"}` + "\n" +
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-11-01T10:00:00.000Z",` +
		`"message":{"role":"user","content":"one"}}` + "\n"
	_, c := read(t, []byte(text), "")
	again := func(text string) error {
		_, err := nativeText(c, jsonl.Records(bytes.NewReader([]byte(text)), jsonl.Options{}))
		return err
	}
	if err := again(text); err != nil {
		t.Error(err)
	}
	for _, changed := range []string{
		string(bytes.Replace([]byte(text), []byte("one"), []byte("two"), 1)), text[:len(text)-20], "\n" + text, "",
	} {
		if err := again(changed); !errors.Is(err, ErrChanged) {
			t.Errorf("%q: got %v", changed, err)
		}
	}
}

// An index does not depend on the number of goroutines that read the records.
func TestScanOnManyCores(t *testing.T) {
	var text []byte
	for seed := range uint64(400) {
		text = append(text, rebuildtest.Transcript(seed)...)
		text = append(text, rebuildtest.PiTranscript(seed)...)
	}
	for _, head := range []string{"", `{"role":"user","type":"user","content":"x","ts":1.5}` + "\n"} {
		text := append([]byte(head), text...)
		var want []Fault
		for _, jobs := range []int{1, 2, 8} {
			ix, err := Scan(jsonl.NewReader(bytes.NewReader(text), jsonl.Options{Jobs: jobs}), nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []Fault
			ix.Check(func(f Fault) { got = append(got, f) })
			if jobs == 1 {
				want = got
			}
			if len(got) == 0 || len(got) != len(want) {
				t.Fatalf("%d jobs find %d faults, one finds %d", jobs, len(got), len(want))
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%d jobs find %v, one finds %v", jobs, got[i], want[i])
				}
			}
		}
	}
}
