package repair

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild/rebuildtest"
	"clawctl/pkg/validate"
	"clawctl/pkg/validate/validatetest"
)

// checkRepair checks what must hold for any text: a repaired text needs no repair, no error is left that the plan does
// not name, and every intact line is still there.
func checkRepair(t testing.TB, text []byte) {
	t.Helper()
	plan, new := repaired(t, text)
	again, same := repaired(t, new)
	if !bytes.Equal(new, same) {
		t.Errorf("repaired twice:\n%s\n%s\nbecame\n%s\nand then\n%s", words(plan), words(again), new, same)
	}
	if len(plan.Mends) == 0 != bytes.Equal(text, new) {
		t.Errorf("%d changes of\n%s\nwhich became\n%s", len(plan.Mends), text, new)
	}
	have := map[string]bool{}
	for _, line := range intactLines(t, new, nil, plan) {
		have[line] = true
	}
	wrong := map[int64]bool{}
	for _, f := range findings(t, text).Findings {
		wrong[f.Line] = wrong[f.Line] || f.Severity > validate.Info || Mends(f.Rule.Code)
	}
	for _, m := range plan.Mends { // other repairs may have brought it into the context
		wrong[m.Line] = true
	}
	for _, line := range intactLines(t, text, wrong, plan) {
		if !have[line] {
			t.Errorf("lost %s\n%s", line, words(plan))
		}
	}
}

// intactLines returns the records without their links, except those of some lines.
func intactLines(t testing.TB, text []byte, except map[int64]bool, plan *Plan) (lines []string) {
	t.Helper()
	ignored := references
	for _, m := range plan.Mends {
		if m.Code == "CL404" || m.Code == "CL405" { // the names of results change with those of their calls
			ignored = append([]string{"message"}, references...)
		}
		if m.Code == "CL008" {
			return nil // nothing was a line
		}
	}
	for rec, err := range jsonl.Records(bytes.NewReader(text), jsonl.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if !rec.Legible() || rec.Damage != nil || except[rec.Line] || rec.Type() == jsonl.TypeSession {
			continue
		}
		value := jsonl.Value(bytes.Clone(rec.Value()))
		for _, key := range ignored {
			value = without(value, key)
		}
		lines = append(lines, string(value))
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
	rounds := 1500
	if testing.Short() {
		rounds = 200
	}
	for seed := range uint64(rounds) {
		dice := rand.New(rand.NewPCG(seed, 11))
		text := rebuildtest.Transcript(seed)
		if seed%2 == 0 {
			text = validatetest.Healthy(seed)
		}
		if seed%3 > 0 {
			text = damage(dice, text)
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) { checkRepair(t, text) })
		if t.Failed() {
			t.FailNow()
		}
	}
}

// The properties hold for every shared transcript.
func TestSharedTranscripts(t *testing.T) {
	const folder = "../../../shared/transcripts"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no real transcripts here:", err)
	}
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".jsonl") || strings.Contains(path, "trajectory") {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil {
			t.Run(strings.TrimPrefix(path, folder), func(t *testing.T) { checkRepair(t, text) })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// FuzzRepair checks the properties on any text.
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
