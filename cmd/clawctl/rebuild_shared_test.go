package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/longtest"
	"clawctl/pkg/rebuild/apicheck"
)

// An expectation is what a real program reads from a transcript: the fields of OpenClaw, those of both, and pi's.
type expectation struct {
	Error       string
	LeafID      *string
	LLMMessages []any
	Manager     *expectation

	Path          *[]string
	Model         *struct{ Provider, ModelID string }
	ThinkingLevel string
	Features      []string

	Leaf        *string
	Messages    []any
	Errors      []string
	UsageTotals *struct {
		Tokens struct{ Input, Output, CacheRead, CacheWrite int64 }
		Cost   *float64 // nil if a price is missing
	}
	UsageByModel []struct {
		Key    string
		Tokens int64
	}
}

// reference returns what the turn reads, or the session manager if the turn refuses the transcript or finds nothing.
func (e *expectation) reference() *expectation {
	isEmpty := e.Path != nil && len(*e.Path) == 0 || e.Path == nil && len(e.LLMMessages) == 0
	if e.Manager != nil && (e.Error != "" || isEmpty && e.Manager.Error == "") {
		return e.Manager
	}
	return e
}

// messages returns the messages of the turn, or the session manager's if the turn refuses the transcript.
func (e *expectation) messages() (list []any, refused bool) {
	if e.Manager != nil && (e.Error != "" || len(e.LLMMessages) == 0) {
		e = e.Manager
	}
	if e.LLMMessages == nil {
		e.LLMMessages = []any{}
	}
	return e.LLMMessages, e.Error != ""
}

// For every real transcript, rebuild --as native returns the messages that OpenClaw or claw0 would send.
func TestNativeIsWhatTheModelSaw(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(sharedTranscripts); err != nil {
		t.Skip("no real transcripts here")
	}
	compared := 0
	compare := func(transcript string, want []any) {
		t.Helper()
		exit, stdout, stderr := inProcess("", "rebuild", "--as", "native", transcript)
		if exit != failure.ExitOK && exit != failure.ExitDamaged {
			t.Errorf("%s: exit %d: %s", transcript, exit, stderr)
			return
		}
		var got []any
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Errorf("%s: %v", transcript, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: clawctl rebuilds %d messages, the real program %d, or they differ", transcript, len(got), len(want))
		}
		compared++
	}
	for _, file := range glob(t, "cases/*.openclaw.json") {
		transcript := strings.TrimSuffix(file, ".openclaw.json") + ".jsonl"
		want, refused := readExpectation(t, file).messages()
		if refused {
			t.Logf("%s: refused by OpenClaw", transcript)
			continue
		}
		compare(transcript, want)
	}
	for _, file := range glob(t, "expected/*.json") {
		folder, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), ".")
		transcript := filepath.Join(sharedTranscripts, "openclaw-jsonl/agents", folder, "sessions", name)
		if folder == "pi" {
			transcript = filepath.Join(sharedTranscripts, "pi", name+".jsonl")
		}
		want, refused := readExpectation(t, file).messages()
		if refused {
			t.Errorf("%s: refused by OpenClaw", transcript)
			continue
		}
		compare(transcript, want)
	}
	for transcript, expected := range claw0Expectations {
		var want []any
		readJSON(t, filepath.Join(sharedClaw0, expected), &want)
		compare(filepath.Join(sharedClaw0, transcript), want)
	}
	if compared < 80 {
		t.Errorf("only %d transcripts compared", compared)
	}
	t.Logf("%d transcripts compared", compared)
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(sharedTranscripts, pattern))
	if err != nil || len(files) == 0 {
		t.Fatal(pattern, err)
	}
	return slices.DeleteFunc(files, func(path string) bool { return !isTaken(path) })
}

func readExpectation(t *testing.T, file string) *expectation {
	t.Helper()
	e := &expectation{}
	readJSON(t, file, e)
	return e
}

func readJSON(t *testing.T, file string, v any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatal(file, err)
	}
}

// rebuild turns every real transcript into a conversation that the API accepts, or refuses it with a reason.
func TestRebuiltConversationsAreAccepted(t *testing.T) {
	t.Parallel()
	accepted, refused, every := 0, 0, 9
	if longtest.IsLong() {
		every = 1
	}
	for i, path := range sharedFiles(t) {
		if i%every > 0 {
			continue
		}
		for as, check := range map[string]func([]byte) error{"anthropic": apicheck.Anthropic, "openai": apicheck.OpenAI} {
			exit, stdout, stderr := inProcess("", "rebuild", "--as", as, path)
			switch {
			case (exit == failure.ExitFindings || exit == failure.ExitNothing) && strings.Contains(stderr, "CL9"):
				refused++
			case exit != failure.ExitOK && exit != failure.ExitDamaged:
				t.Errorf("%s: exit %d: %s", path, exit, stderr)
			case check([]byte(stdout)) != nil:
				t.Errorf("%s as %s: %v", path, as, check([]byte(stdout)))
			default:
				accepted++
			}
		}
	}
	if accepted < 300/every || refused > 30 {
		t.Error(accepted, "accepted,", refused, "refused")
	}
	t.Logf("%d accepted, %d refused", accepted, refused)
}
