package rebuild

import (
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
)

// A witness names the same program as an index of the same transcript.
func TestWitness(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/*/*.jsonl")
	more, _ := filepath.Glob("../../testdata/*.jsonl")
	writers := map[string]int{}
	for _, path := range append(files, more...) {
		text := testkit.Read(t, path)
		for _, known := range []Author{{}, {Folder: Pi}, {Forced: Pi}} {
			ix, err := ScanBy(known, jsonl.NewReader(strings.NewReader(string(text)), jsonl.Options{}), nil)
			if err != nil {
				t.Fatal(path, err)
			}
			if got, want := witnessed(t, string(text), known), ix.Writer(); got != want {
				t.Errorf("%s: %s, want %s", path, got, want)
			}
			writers[ix.Writer()]++
		}
	}
	if len(writers) < 4 {
		t.Errorf("only transcripts of %v", writers)
	}
}

func witnessed(t *testing.T, text string, known Author) string {
	var w Witness
	r := jsonl.NewReader(strings.NewReader(text), jsonl.Options{Jobs: 2})
	r.Prepare(w.Prepare(func() func(*jsonl.Record) any { return func(*jsonl.Record) any { return nil } }))
	for rec, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		w.Take(rec)
	}
	return w.Writer(known, r.Dialect())
}
