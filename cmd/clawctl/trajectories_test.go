package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/longtest"
	"clawctl/internal/reading"
	"clawctl/pkg/export/trajectory/atifcheck"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

// trajectoriesOf exports sessions as trajectories, and checks each against the rules of the format.
func trajectoriesOf(t *testing.T, args ...string) (documents [][]byte) {
	t.Helper()
	exit, stdout, stderr := inProcess("", append([]string{"export", "--as", "atif"}, args...)...)
	if exit != failure.ExitOK && exit != failure.ExitDamaged && exit != failure.ExitNothing {
		t.Fatalf("%v: exit %d: %s", args, exit, stderr)
	}
	for line := range strings.Lines(stdout) {
		for _, problem := range atifcheck.Check([]byte(line)) {
			t.Errorf("%v: %s", args, problem)
		}
		documents = append(documents, []byte(line))
	}
	return documents
}

// examplesOf exports sessions as examples, and checks that each is a line of JSON that ends with an answer.
func examplesOf(t *testing.T, args ...string) (examples int) {
	t.Helper()
	_, stdout, _ := inProcess("", append([]string{"export", "--as", "openai-finetune"}, args...)...)
	for line := range strings.Lines(stdout) {
		var example struct{ Messages []struct{ Role string } }
		err := json.Unmarshal([]byte(line), &example)
		if n := len(example.Messages); err != nil || n == 0 || example.Messages[n-1].Role != "assistant" {
			t.Errorf("%v: example %d: %v", args, examples, err)
		}
		examples++
	}
	return examples
}

// Every real transcript, damaged ones among them, becomes a valid trajectory. The large folders are for make long.
func TestTrajectoriesOfSharedTranscripts(t *testing.T) {
	needsAllNames(t)
	t.Parallel()
	if _, err := os.Stat(sharedTranscripts); err != nil {
		t.Skip("no real transcripts here")
	}
	trajectories, examples, least := 0, 0, 60
	folders := []string{"cases", "claw0", "defects", "pi1", "openclaw-sqlite-24"}
	if longtest.IsLong() {
		folders, least = append(folders, "openclaw-jsonl", "pi", "openclaw-sqlite"), 150
	}
	for _, folder := range folders {
		path := filepath.Join(sharedTranscripts, folder)
		trajectories += len(trajectoriesOf(t, path))
		examples += examplesOf(t, path)
	}
	if trajectories < least || examples < least*2/3 {
		t.Error(trajectories, "trajectories and", examples, "examples")
	}
}

// The totals of a trajectory are those of stats for the records of the active path.
func TestTrajectoryTotals(t *testing.T) {
	t.Parallel()
	folders := []string{"../../testdata/home"}
	if _, err := os.Stat(sharedTranscripts); err == nil {
		folders = append(folders, filepath.Join(sharedTranscripts, "openclaw-jsonl"), filepath.Join(sharedTranscripts, "pi1"))
	}
	compared := 0
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && transcriptName.MatchString(entry.Name()) && !strings.Contains(entry.Name(), "trajectory") {
				compared += compareTrajectory(t, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if compared < 10 {
		t.Error(compared, "sessions compared")
	}
}

// compareTrajectory compares the totals of one session, and returns 1 if it has any.
func compareTrajectory(t *testing.T, path string) int {
	t.Helper()
	documents := trajectoriesOf(t, path)
	if len(documents) == 0 {
		return 0
	}
	var document struct {
		Final struct {
			Prompt     int64   `json:"total_prompt_tokens"`
			Completion int64   `json:"total_completion_tokens"`
			Cached     int64   `json:"total_cached_tokens"`
			Cost       float64 `json:"total_cost_usd"`
		} `json:"final_metrics"`
	}
	if err := json.Unmarshal(documents[0], &document); err != nil {
		t.Fatal(err)
	}
	exit, stdout, stderr := inProcess(pathText(t, path), "stats", "--json", "-")
	var want struct {
		Recorded struct {
			Input, Output int64
			CacheRead     int64   `json:"cache_read"`
			CacheWrite    int64   `json:"cache_write"`
			Cost          float64 `json:"cost_usd"`
		}
	}
	if err := json.Unmarshal([]byte(stdout), &want); err != nil || exit != failure.ExitOK {
		t.Fatalf("stats of %s: exit %d, %v: %s", path, exit, err, stderr)
	}
	r, f := want.Recorded, document.Final
	if f.Prompt != r.Input+r.CacheRead+r.CacheWrite || f.Completion != r.Output || f.Cached != r.CacheRead ||
		math.Abs(f.Cost-r.Cost) > 1e-9 {
		t.Errorf("%s: %+v, stats has %+v", path, f, r)
	}
	return 1
}

// pathText returns the header of a transcript and the lines of its active path.
func pathText(t *testing.T, path string) string {
	t.Helper()
	_, text, _ := inProcess("", "cat", "-q", path)
	author := (&reading.ProgramOption{}).AuthorOf(source.File(path))
	index, err := rebuild.ScanBy(author, jsonl.NewReader(strings.NewReader(text), jsonl.Options{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	context, err := index.Context("")
	if err != nil {
		t.Fatal(err)
	}
	onPath := map[int64]bool{index.HeaderLine(): true}
	for _, place := range context.PathPlaces() {
		onPath[place.Line] = true
	}
	var kept bytes.Buffer
	number := int64(0)
	for line := range strings.Lines(text) {
		if number++; onPath[number] {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
