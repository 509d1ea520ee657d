package source

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

const harness = "../../testdata/harness"

// describeAll returns what is known of sessions by their names.
func describeAll(sessions []*Session) map[string]string {
	all := map[string]string{}
	for _, s := range sessions {
		all[s.Name()] = strings.Join([]string{s.Agent, string(s.Kind), s.SpawnedBy(), s.ReadTitle(context.Background())}, "|")
	}
	return all
}

// Sessions of programs that OpenClaw lets work are called by their ids. Earlier states, archives and subagents are told
// apart, and files that belong to sessions are not skipped as something else.
func TestHarnessSessions(t *testing.T) {
	const garden = "c0ffee00-2222-4222-8333-444455556666"
	const thread = "01a1e6b8-0000-7000-8000-00000000000"
	p := find(t, harness)
	got := describeAll(p.Sessions)
	for name, want := range map[string]string{
		"c0ffee00-1111-4222-8333-444455556666": "claude-code|live||Old notes",
		garden:                                 "claude-code|live||Plan the garden",
		"a0a0a0a0a0a0a0a01":                    "claude-code|live|" + garden + "|Count the tulips",
		"a0a0a0a0a0a0a0a02":                    "claude-code|live|" + garden + "|Count the roses",
		thread + "a":                           "codex|live||Counting",
		thread + "a@reverted." + thread + "a":  "codex|reset||Counting",
		thread + "a@reverted." + thread + "b":  "codex|reset||Counting",
		thread + "d@archived":                  "codex|archive||",
		thread + "2":                           "codex|live||",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	if n, counts := p.SkippedCounts(); n > 0 {
		t.Errorf("%v were skipped", counts)
	}
	if len(got) != len(p.Sessions) {
		t.Errorf("%d names of %d sessions", len(got), len(p.Sessions))
	}
}

// A title is a name if nothing else is.
func TestSelectByTitle(t *testing.T) {
	p := find(t, harness)
	for name, want := range map[string]string{
		"plan the garden": "c0ffee00-2222-4222-8333-444455556666", "counting": "01a1e6b8-0000-7000-8000-00000000000a",
		"a0a0a0a0a0a0a0a02": "a0a0a0a0a0a0a0a02", "nothing": "",
	} {
		found, err := Select(p.Sessions, Filter{Session: name}, []Kind{Live})
		key := ""
		if len(found) > 0 {
			key = found[0].Key
		}
		if err != nil || key != want {
			t.Errorf("%s: %s, %v", name, key, err)
		}
	}
}

// A thread that was reverted twice begins with what is left of the states before it.
func TestRevertedTwice(t *testing.T) {
	const last = "rollout-2026-11-02T11-00-00-01a1e6b8-0000-7000-8000-00000000000a_01a1e6b8-0000-7000-8000-00000000000c"
	text := contextText(t, filepath.Join(harness, "codex/sessions/2026/11/02", last+".jsonl"))
	for said, want := range map[string]int{"Say one.": 1, "Say two.": 0, "Say three.": 1, "Say four.": 0, "Say five.": 1} {
		if got := strings.Count(text, said); got != want {
			t.Errorf("%s occurs %d times", said, got)
		}
	}
}

// What a session keeps beside its file is found there, and only there.
func TestBeside(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "projects", "-home-ada")
	results := filepath.Join(folder, "s1", "tool-results")
	if err := os.MkdirAll(results, 0o700); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret.txt")
	for path, text := range map[string]string{
		filepath.Join(folder, "s1.jsonl"): "", filepath.Join(results, "a.txt"): "all of it", secret: "elsewhere",
	} {
		testkit.Write(t, path, text)
	}
	if err := os.Symlink(secret, filepath.Join(results, "link.txt")); err != nil {
		t.Skip(err)
	}
	s := File(filepath.Join(folder, "s1.jsonl"))
	for name, want := range map[string]string{
		"/home/ada/x/a.txt": "all of it", "link.txt": "", "../../s1.jsonl": "", "..": "", "missing.txt": "", secret: "",
	} {
		text := "<persisted-output>\nToo large. Full output saved to: " + name + "\n\nPreview:\n"
		if got, ok := s.StoredResult(text); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %t", name, got, ok)
		}
	}
	if _, ok := s.StoredResult("saved to: a.txt\n"); ok {
		t.Error("a result that only mentions a file is not one")
	}
	if got := s.StoredResults(); len(got) != 1 || got[0].Shown != filepath.Join(results, "a.txt") {
		t.Errorf("%v", got)
	}
}

// In the folder in which a program keeps everything, only sessions are read. The rest may hold credentials.
func TestHomesOfPrograms(t *testing.T) {
	home := t.TempDir()
	names := `{"thread_name":"N","id":"` + strings.TrimSuffix(exampleThread, suffix) + `"}`
	for name, text := range map[string]string{
		".codex/auth.json":                                      `{"type":"session","id":"a","cwd":"/"}`,
		".codex/history.jsonl":                                  `{"type":"session","version":3,"id":"b","cwd":"/"}`,
		".codex/log/c.jsonl":                                    `{"type":"session","version":3,"id":"c","cwd":"/"}`,
		".codex/session_index.jsonl":                            names,
		".claude/projects/-home-ada/s1.jsonl":                   `{"type":"user","uuid":"u","sessionId":"s1","message":{}}`,
		".claude/plugins/-x/p.jsonl":                            `{"type":"user","uuid":"u","sessionId":"p","message":{}}`,
		".codex/sessions/2026/11/01/rollout-T-" + exampleThread: `{"timestamp":"T","type":"session_meta","payload":{}}`,
	} {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		testkit.Write(t, path, text+"\n")
	}
	for folder, want := range map[string]string{
		".codex": "01a1e6b8-0000-7000-8000-000000000001: N", ".claude": "s1: ",
	} {
		p := find(t, filepath.Join(home, folder))
		if len(p.Sessions) != 1 || p.Sessions[0].Key+": "+p.Sessions[0].ReadTitle(t.Context()) != want {
			t.Errorf("%s: %v", folder, describeAll(p.Sessions))
		}
		if n, counts := p.SkippedCounts(); n > 0 {
			t.Errorf("%s: %v", folder, counts)
		}
	}
}

const exampleThread = "01a1e6b8-0000-7000-8000-000000000001.jsonl"
