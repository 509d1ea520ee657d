package rebuild

import (
	"bytes"
	"fmt"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild/rebuildtest"
)

// What has not left at any boundary is what the model still sees, on random transcripts of both programs.
func TestBoundariesOfRandomTranscripts(t *testing.T) {
	boundaries := 0
	for seed := range uint64(120) {
		text := rebuildtest.Transcript(seed)
		if seed%3 == 0 {
			text = rebuildtest.PiTranscript(seed)
		}
		c := contextOf(t, text)
		b := c.Boundaries()
		boundaries += len(b.List)
		seen := map[int32]bool{}
		for _, it := range c.items {
			seen[c.ix.rowOf(it.entry)] = true
		}
		for at, i := range c.path {
			e := c.ix.at(i)
			isBefore := at < c.boundary && !e.isSystem() && c.ix.rules.isShown(e, true, false)
			if isBefore && b.left[i] == 0 && !seen[i] && !c.omitted[i] {
				t.Errorf("seed %d: line %d has not left, but the model does not see it", seed, e.line)
			}
		}
	}
	if boundaries < 50 {
		t.Error("only", boundaries, "boundaries")
	}
}

// Every entry leaves at most once, and a boundary that names an old entry again brings nothing back.
func TestBoundaries(t *testing.T) {
	const head = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z"}` + "\n"
	message := func(id, parent string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-01T00:00:00Z",`+
			`"message":{"role":"user","content":"x"}}`+"\n", id, parent)
	}
	compaction := func(id, parent, kept string) string {
		return fmt.Sprintf(`{"type":"compaction","id":%q,"parentId":%q,"timestamp":"2026-01-01T00:00:00Z",`+
			`"summary":"s.","firstKeptEntryId":%q,"tokensBefore":1}`+"\n", id, parent, kept)
	}
	reset := `{"type":"reset","id":"r","parentId":"c","timestamp":"2026-01-01T00:00:00Z","reason":"new"}` + "\n"
	for _, c := range []struct {
		name, text string
		want       string // for each line of the path, the boundary at which it left
		late       bool
	}{
		{"one", head + message("a", "null") + message("b", `"a"`) + compaction("c", "b", "b") + message("d", `"c"`),
			"1000", false},
		{"two", head + message("a", "null") + message("b", `"a"`) + compaction("c", "b", "b") + message("d", `"c"`) +
			compaction("e", "d", "d"), "12000", false},
		{"back again", head + message("a", "null") + message("b", `"a"`) + compaction("c", "b", "c") +
			compaction("e", "c", "a"), "1100", false},
		{"a reset", head + message("a", "null") + message("b", `"a"`) + compaction("c", "b", "b") + reset, "1200", false},
		{"late", head + message("a", "null") + message("b", `"a"`) + compaction("c", "a", "a"), "00", true},
	} {
		b := contextOf(t, []byte(c.text)).Boundaries()
		got := ""
		for _, i := range b.entries {
			got += fmt.Sprint(b.left[i])
		}
		if got != c.want || b.List[0].Late != c.late {
			t.Errorf("%s: got %s, late %t; want %s, late %t", c.name, got, b.List[0].Late, c.want, c.late)
		}
	}
}

// contextOf returns the context of a transcript.
func contextOf(t *testing.T, text []byte) *Context {
	t.Helper()
	r := jsonl.NewReader(bytes.NewReader(text), jsonl.Options{})
	ix, err := Scan(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ix.Context("")
	if err != nil {
		t.Fatal(err)
	}
	return c
}
