package rebuild

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/rebuild/rebuildtest"
)

// endingRounds is the number of random transcripts that endings are tried on. CLAWCTL_ROUNDS raises it.
func endingRounds(t *testing.T) uint64 {
	n, err := strconv.ParseUint(os.Getenv("CLAWCTL_ROUNDS"), 10, 32)
	if err != nil {
		return 120
	}
	t.Log(n, "rounds")
	return n
}

// An ending is the end of what a complete reading finds, on random transcripts that plain turns were added to.
func TestEndingOfRandomTranscripts(t *testing.T) {
	found := 0
	for seed := range endingRounds(t) {
		r := rand.New(rand.NewPCG(seed, 17))
		text := rebuildtest.Transcript(seed)
		if r.IntN(3) == 0 {
			text = rebuildtest.PiTranscript(seed)
		}
		text = addTurns(r, text)
		if hasOddReset(text) {
			continue
		}
		for _, turns := range []int{1, 2, 5} {
			if checkEnding(t, fmt.Sprint("seed ", seed), text, turns) {
				found++
			}
		}
	}
	if found < 30 {
		t.Error("only", found, "endings were read from the end")
	}
}

// hasOddReset reports whether there is a reset that is a side row, or that rows with a repeated id follow. No program
// writes them, and a fork at the end of such a transcript is read wrongly.
func hasOddReset(text []byte) bool {
	ids, reset := map[string]bool{}, false
	for rec := range jsonl.Records(bytes.NewReader(text), jsonl.Options{}) {
		if !rec.Legible() {
			continue
		}
		reset = reset || rec.Type() == jsonl.TypeReset
		if reset && (ids[rec.ID()] || rec.Type() == jsonl.TypeReset && rec.Get("appendMode").Exists()) {
			return true
		}
		ids[rec.ID()] = true
	}
	return false
}

// addTurns adds turns of plain rows. Some continue the leaf, others an id that nobody has. A few rows are not plain.
func addTurns(r *rand.Rand, text []byte) []byte {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	parent := "nobody"
	if ix, err := Scan(jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}), nil); err == nil {
		if c, err := ix.Context(""); err == nil && c.Leaf != "" && r.IntN(4) > 0 {
			parent = c.Leaf
		}
	}
	b := bytes.NewBuffer(bytes.Clone(text))
	ids := []string{parent, "missing"}
	for i := range 3 + r.IntN(30) {
		id := fmt.Sprintf("z%07d", i)
		role := []string{"user", "assistant", "assistant"}[i%3]
		body := fmt.Sprintf(`"message":{"role":%q,"content":[{"type":"text","text":"row %d"}]}`, role, i)
		kind := "message"
		if r.IntN(20) == 0 {
			kept := append(ids[max(0, len(ids)-6):], id, "missing")[r.IntN(min(len(ids), 6)+2)]
			kind, body = "compaction", `"summary":"s","tokensBefore":1,"firstKeptEntryId":"`+kept+`"`
		}
		if r.IntN(25) == 0 { // a branch that is left, or that something before the turns belongs to
			parent = ids[r.IntN(len(ids))]
		}
		fmt.Fprintf(b, `{"type":%q,"id":%q,"parentId":%q,"timestamp":"2026-05-04T14:53:00.000Z",%s}`+"\n", kind, id,
			jsonl.Value(jsonl.Quote(parent)).String(), body)
		parent = id
		ids = append(ids, id)
	}
	return b.Bytes()
}

// checkEnding compares an ending with a complete reading. It reports whether there is one.
func checkEnding(t *testing.T, name string, text []byte, turns int) bool {
	t.Helper()
	first := jsonl.FirstEnd
	jsonl.FirstEnd = 512
	defer func() { jsonl.FirstEnd = first }()
	e, err := ReadEnding(bytes.NewReader(text), int64(len(text)), turns, parts.StartsTurn)
	if err != nil {
		t.Fatal(name, err)
	}
	if e == nil {
		return false
	}
	for _, author := range []Author{{}, {Folder: Pi}} {
		want := lastTurns(t, text, turns, author)
		i := 0
		for rec := range e.Records() {
			mark := e.Marks()[rec.Line-1]
			if !mark.OnPath {
				continue
			}
			if i >= len(want) || want[i].Offset != rec.Offset || want[i].Shown != mark.Shown {
				t.Fatalf("%s: %d turns: row %d of %d differs", name, turns, i, len(want))
			}
			i++
		}
		if i != len(want) {
			t.Fatalf("%s: %d turns: %d of %d rows", name, turns, i, len(want))
		}
	}
	return true
}

// lastTurns returns the marks of the last turns of the path, by a complete reading.
func lastTurns(t *testing.T, text []byte, turns int, author Author) []Node {
	t.Helper()
	starts := map[int64]bool{}
	reader := jsonl.NewReader(bytes.NewReader(text), jsonl.Options{})
	ix, err := ScanBy(author, reader, func(rec *jsonl.Record) { starts[rec.Line] = parts.StartsTurn(rec) })
	if err != nil {
		t.Fatal(err)
	}
	c, err := ix.Context("")
	if err != nil {
		t.Fatal(err)
	}
	byLine := map[int64]Node{}
	for _, m := range c.Marks() {
		byLine[m.Line] = m
	}
	lines, _ := c.PathLines()
	var marks []Node
	for i := len(lines) - 1; i >= 0 && turns > 0; i-- {
		marks = append([]Node{byLine[lines[i]]}, marks...)
		if starts[lines[i]] {
			turns--
		}
	}
	return marks
}

// The same holds for all transcripts that there are.
func TestEndingOfRealTranscripts(t *testing.T) {
	found := 0
	for _, root := range []string{"../../testdata", "../../../shared/transcripts"} {
		_ = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !bytes.Contains([]byte(d.Name()), []byte(".jsonl")) {
				return nil
			}
			text := testkit.Read(t, path)
			for _, turns := range []int{1, 3} {
				if checkEnding(t, path, text, turns) {
					found++
				}
			}
			return nil
		})
	}
	if found == 0 {
		t.Error("no transcript was read from its end")
	}
}
