package rank

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clawctl/internal/testkit"
	"clawctl/internal/textid"
)

// A turn is a message of the test set.
type turn struct {
	ID        string
	Timestamp time.Time
	Message   struct{ Content []struct{ Text string } }
}

func readLines[T any](t *testing.T, path string) (rows []T) {
	text := testkit.Read(t, path)
	for line := range strings.Lines(string(text)) {
		var row T
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// The test set has its own description of how it is scored.
func TestRecall(t *testing.T) {
	const set = "../../../../shared/recall"
	if _, err := os.Stat(set); err != nil {
		t.Skip("no test set here")
	}
	var turns []turn
	paths, _ := filepath.Glob(set + "/home/agents/main/sessions/*.jsonl")
	for _, path := range paths {
		turns = append(turns, readLines[turn](t, path)[1:]...)
	}
	type fact struct{ Query, Entry, Kind string }
	facts := readLines[fact](t, set+"/facts.jsonl")
	at1, at5 := map[string]int{}, map[string]int{}
	n := map[string]int{}
	for _, f := range facts {
		board := &Board{Query: NewQuery(f.Query), Texts: len(turns)}
		for i, m := range turns {
			text := m.Message.Content[0].Text
			if w := board.Query.Weigh(text); w.Mask != 0 {
				board.Add(Text{ID: i, Time: m.Timestamp, Digest: textid.Of([]byte(text)), Weight: w})
			}
		}
		for _, kind := range []string{"all", f.Kind} {
			n[kind]++
			for rank, best := range board.Best(5) {
				if turns[best.ID].ID == f.Entry {
					at5[kind]++
					if rank == 0 {
						at1[kind]++
					}
				}
			}
		}
	}
	if at1["all"] < 47 || at5["all"] < 64 { // what SQLite's bm25 finds, and five more at the top
		t.Errorf("only %d of %d at 1, %d at 5", at1["all"], n["all"], at5["all"])
	}
	for kind := range n {
		t.Logf("%s: %d of %d at 1, %d at 5", kind, at1[kind], n[kind], at5[kind])
	}
}
