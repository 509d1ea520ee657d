package showing

import (
	"slices"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

// Entries that say nothing take no memory, and the others keep their lines.
func TestTreeFactsOfEmptyRecords(t *testing.T) {
	text := strings.Repeat("{}\n", 1000) + `{"type":"message","message":{"role":"user","content":"hi"}}` + "\n"
	var facts treeFacts
	for rec, err := range jsonl.Records(strings.NewReader(text), jsonl.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		facts.take(rec, nil)
	}
	if len(facts.entries) != 1 || facts.entries[0].line != 1001 || facts.entries[0].text != "hi" {
		t.Errorf("%+v", facts.entries)
	}
}

func TestTreeChildren(t *testing.T) {
	parents := []int32{-1, 0, 0, 4, 2, 2, -1}
	c := newTreeChildren(len(parents), func(i int32) int32 { return parents[i] })
	want := [][]int32{{1, 2}, {}, {4, 5}, {}, {3}, {}, {}}
	for i := range parents {
		if got := c.of(int32(i)); !slices.Equal(got, want[i]) {
			t.Errorf("children of %d: %v, want %v", i, got, want[i])
		}
	}
}
