package migrate

import (
	"path"
	"testing"

	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// A session that no registration names is compared only with the transcripts of its size that have its digest, however
// many others have the same size.
func TestEqualSizes(t *testing.T) {
	c := newCatalog()
	for _, sum := range []string{"a", "b", "c", "", "d"} {
		c.add(&storedTranscript{Transcript: &store.Transcript{Key: "k" + sum, BaseKey: "k" + sum, SessionID: sum, Bytes: 9,
			Sum: sum}})
	}
	s := &source.Session{Key: source.RecoveredKey("main", "x"), ID: "x", Kind: source.Live, Bytes: 9}
	if !c.hasSize(s) || len(c.named(s)) > 0 {
		t.Fatal("it must be read because of its size alone")
	}
	for sum, want := range map[string]int{"a": 2, "e": 1, "": 1} { // one transcript has no digest
		if got := c.candidates(s, nil, sum); len(got) != want {
			t.Errorf("digest %q: %d candidates, want %d", sum, len(got), want)
		}
	}
	c.remove(c.byKey["ka"])
	if got := c.candidates(s, nil, "a"); len(got) != 1 {
		t.Errorf("%d candidates after one was removed", len(got))
	}
}

// Files whose names differ only in case do not replace each other on any system, and keep their names.
func TestNamesThatDifferInCase(t *testing.T) {
	items := uniquePaths([]Item{
		{Path: "a/con.jsonl"}, {Path: "a/CON.jsonl"}, {Path: "a/Con.jsonl"}, {Path: "a/con.jsonl"},
	})
	for i, want := range []string{"a/con.jsonl", "a/case-2/CON.jsonl", "a/case-3/Con.jsonl", "a/con.jsonl.2"} {
		if items[i].Path != want {
			t.Errorf("%s, want %s", items[i].Path, want)
		}
		if name, ok := source.ParseName(path.Base(items[i].Path)); i < 3 && (!ok || name.Kind != source.Live) {
			t.Errorf("%s is not the name of a live session", items[i].Path)
		}
	}
}
