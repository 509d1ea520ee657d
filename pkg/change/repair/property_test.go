package repair

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
	"clawctl/pkg/change"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild/rebuildtest"
	"clawctl/pkg/validate/validatetest"
)

// checkRepair checks what must hold for any text: a repaired text needs no repair, no error is left that the plan does
// not name, and every intact line that the plan does not name is still there, byte for byte.
func checkRepair(t testing.TB, text []byte) {
	t.Helper()
	plan, new := repaired(t, text)
	again, same := planned(t, new)
	if !bytes.Equal(new, same) {
		t.Errorf("repaired twice:\n%s\n%s\nbecame\n%s\nand then\n%s", words(plan), words(again), new, same)
	}
	if len(plan.Mends) == 0 != bytes.Equal(text, new) {
		t.Errorf("%d changes of\n%s\nwhich became\n%s", len(plan.Mends), text, new)
	}
	have := map[string]int{}
	for _, line := range intactLines(t, new, nil) {
		have[line]++
	}
	for _, line := range intactLines(t, text, namedLines(plan)) {
		if have[line]--; have[line] < 0 {
			t.Errorf("lost %s\n%s\n%s\nbecame\n%s", line, words(plan), text, new)
		}
	}
}

// checkUndo checks that undoing a repair on disk restores the text.
func checkUndo(t *testing.T, text []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.jsonl")
	testkit.Write(t, path, text)
	plan, new := planned(t, text)
	snapshot, err := change.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	journal := &change.Journal{Folder: t.TempDir(), Now: testOptions.Now}
	receipt, err := journal.Write(change.Change{Snapshot: snapshot, Edits: plan.Edits, Command: "repair"})
	if err != nil {
		t.Fatal(err)
	}
	if written, err := os.ReadFile(path); err != nil || !bytes.Equal(written, new) {
		t.Errorf("the repaired file is not what was planned: %v", err)
	}
	if err := journal.Undo(receipt); err != nil {
		t.Fatal(err)
	}
	if restored, err := os.ReadFile(path); err != nil || !bytes.Equal(restored, text) {
		t.Errorf("undo restored\n%s\n(%v), want\n%s", restored, err, text)
	}
}

// namedLines returns the lines that a plan says it changes. A conversion from UTF-16 changes all of them.
func namedLines(plan *Plan) func(line int64) bool {
	named, isConverted := map[int64]bool{}, false
	for _, m := range plan.Mends {
		named[m.Line] = true
		for _, line := range m.AlsoLines {
			named[line] = true
		}
		isConverted = isConverted || m.Code == jsonl.WrongCoded
	}
	return func(line int64) bool { return named[line] || isConverted }
}

// intactLines returns the lines that are records, except those that a plan names.
func intactLines(t testing.TB, text []byte, isNamed func(line int64) bool) (lines []string) {
	t.Helper()
	for rec, err := range jsonl.Records(bytes.NewReader(text), jsonl.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Legible() && rec.Damage == nil && (isNamed == nil || !isNamed(rec.Line)) {
			lines = append(lines, string(rec.Text()))
		}
	}
	return lines
}

// damage breaks a text at a few random places.
func damage(dice *rand.Rand, text []byte) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	for range 1 + dice.IntN(3) {
		at := dice.IntN(len(lines))
		switch line := lines[at]; dice.IntN(9) {
		case 0: // torn
			lines[at] = line[:dice.IntN(len(line)+1)]
		case 1: // lost
			lines[at] = nil
		case 2: // repeated
			lines = append(lines, line)
		case 3: // moved
			other := dice.IntN(len(lines))
			lines[at], lines[other] = lines[other], lines[at]
		case 4: // glued to the next one
			lines[at] = bytes.TrimRight(line, "\n")
		case 5: // a page of NULs
			lines[at] = append(bytes.Repeat([]byte{0}, dice.IntN(30)), line...)
		case 6: // a flipped byte
			if len(line) > 0 {
				line = bytes.Clone(line)
				line[dice.IntN(len(line))] ^= 1 << dice.IntN(8)
				lines[at] = line
			}
		case 7: // another name
			lines[at] = bytes.ReplaceAll(line, []byte("toolu_0"), []byte("toolu|0"))
		case 8:
			lines[at] = bytes.ReplaceAll(line, []byte(`"parentId":"0`), []byte(`"parentId":"1`))
		}
	}
	return bytes.Join(lines, nil)
}

// The properties hold for random transcripts, whole and damaged.
func TestProperties(t *testing.T) {
	for seed := range uint64(longtest.Rounds(t, "CLAWCTL_ROUNDS", 400, 20_000)) {
		dice := rand.New(rand.NewPCG(seed, 11))
		text := rebuildtest.Transcript(seed)
		if seed%2 == 0 {
			text = validatetest.Healthy(seed)
		}
		if seed%3 > 0 {
			text = damage(dice, text)
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			checkRepair(t, text)
			if seed%10 == 2 {
				checkUndo(t, text)
			}
		})
		if t.Failed() {
			t.FailNow()
		}
	}
}

// The properties hold for every shared transcript.
func TestSharedTranscripts(t *testing.T) {
	const folder = "../../../../shared/transcripts"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no real transcripts here:", err)
	}
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".jsonl") || strings.Contains(path, "trajectory") {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && isWritten(text) {
			t.Run(strings.TrimPrefix(path, folder), func(t *testing.T) { checkRepair(t, text) })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// isWritten reports whether clawctl writes the dialect of a text. Other transcripts are left to their programs.
func isWritten(text []byte) bool {
	found, err := new(jsonl.Reader).Recognize(bytes.NewReader(text), nil)
	return err == nil && found.Dialect.CheckOwner() == nil
}

// FuzzRepair checks the properties on any text. The coverage of a run varies with the seeds of hash tables, so without
// -fuzzminimizetime 10x, as in the Makefile, most of the time goes into making inputs smaller.
func FuzzRepair(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(rebuildtest.Transcript(seed))
	}
	for k, fault := range validatetest.Faults {
		text, _ := fault.Plant(uint64(k))
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkRepair(t, text) })
}
