package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// sharedTranscripts is where real transcripts lie on the machines that have them.
const sharedTranscripts = "../../../shared/transcripts"

// inProcess runs clawctl in this process.
func inProcess(stdin string, args ...string) (exit int, stdout, stderr string) {
	var out, errs bytes.Buffer
	exit = run(append([]string{"clawctl"}, args...), strings.NewReader(stdin), &out, &errs)
	return exit, out.String(), errs.String()
}

var transcriptName = regexp.MustCompile(`\.jsonl($|\.(reset|deleted|bak|imported)|\.bak)`)

// cat of every real transcript is the file, byte for byte.
func TestCatIsExact(t *testing.T) {
	if _, err := os.Stat(sharedTranscripts); err != nil {
		t.Skip("no real transcripts here")
	}
	seen := 0
	err := filepath.WalkDir(sharedTranscripts, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !transcriptName.MatchString(entry.Name()) {
			return err
		}
		seen++
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		exit, got, stderr := inProcess("", "cat", path)
		if got != string(want) || exit != exitOK && exit != exitDamaged || (exit == exitOK) != (stderr == "") {
			t.Errorf("%s: exit %d, %d of %d bytes: %s", path, exit, len(got), len(want), stderr)
		}
		return nil
	})
	if err != nil || seen < 100 {
		t.Error(seen, "transcripts", err)
	}
}

// What the real OpenClaw reads from a converted claw0 transcript is what claw0 itself rebuilds. It needs the oracle of
// `make oracle`.
func TestOpenClawReadsConvertedClaw0(t *testing.T) {
	oracle := os.Getenv("CLAWCTL_ORACLE")
	if oracle == "" {
		t.Skip("CLAWCTL_ORACLE does not name the folder of the real OpenClaw")
	}
	files := map[string]string{ // expectation by transcript
		"claw0/flat/transcripts/main_cli_user_296e4ed563a7.jsonl":          "claw0/flat/main_cli_user_296e4ed563a7.jsonl.expected.json",
		"claw0/flat/transcripts/main_telegram_12345_660813d8d1fc.jsonl":    "claw0/flat/main_telegram_12345_660813d8d1fc.jsonl.expected.json",
		"claw0/guard/.sessions/agents/default/sessions/ea9e4c24d010.jsonl": "claw0/guard/ea9e4c24d010.expected.json",
		"claw0/guard/.sessions/agents/default/sessions/0ae36737cf9e.jsonl": "claw0/guard/0ae36737cf9e.expected.json",
	}
	for transcript, expectation := range files {
		exit, converted, stderr := inProcess("", "cat", "--as", "openclaw", filepath.Join(sharedTranscripts, transcript))
		if exit != exitOK {
			t.Fatalf("%s: exit %d: %s", transcript, exit, stderr)
		}
		var want []any
		data, err := os.ReadFile(filepath.Join(sharedTranscripts, expectation))
		if err == nil {
			err = json.Unmarshal(data, &want)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := askOpenClaw(t, oracle, converted); !reflect.DeepEqual(turns(got), turns(want)) {
			t.Errorf("%s: OpenClaw sees\n%v\nclaw0 rebuilds\n%v", transcript, turns(got), turns(want))
		}
	}
}

// askOpenClaw returns the messages that OpenClaw hands its model for a transcript.
func askOpenClaw(t *testing.T, oracle, transcript string) []any {
	t.Helper()
	file := filepath.Join(t.TempDir(), "session.jsonl")
	if err := os.WriteFile(file, []byte(transcript), 0o600); err != nil {
		t.Fatal(err)
	}
	answer, err := exec.Command("node", filepath.Join(oracle, "ask.mjs"), oracle, file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		Error       string
		LLMMessages []any
	}
	if err := json.Unmarshal(answer, &parsed); err != nil || parsed.Error != "" {
		t.Fatal(err, parsed.Error)
	}
	return parsed.LLMMessages
}

// turns brings the messages of both programs to one form: a list of [role, part...], a text as it stands, a call as
// [id, name, input], a result as [id, text].
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
