package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"clawctl/internal/testkit"
)

// harnessFigures are the numbers of a session that several commands print.
type harnessFigures struct {
	Key       string `json:"key"`
	Messages  int64  `json:"messages"`
	Turns     int64  `json:"turns"`
	ToolCalls int64  `json:"tool_calls"`
	Recorded  struct {
		Total int64 `json:"total"`
	} `json:"recorded"`
}

// linkedHome is a copy of the home whose sessions were run by other programs, and lets their folders be found.
func linkedHome(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("../../testdata/linked")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CLAUDE_CONFIG_DIR", filepath.Join(folder, "claude"))
	t.Setenv("CODEX_HOME", filepath.Join(folder, "codex"))
	return folder
}

// readFigures runs a command that prints an object with numbers.
func readFigures(t *testing.T, args ...string) (f harnessFigures) {
	t.Helper()
	exit, out, errs := inProcess("", args...)
	if exit != 0 || json.Unmarshal([]byte(out), &f) != nil {
		t.Fatalf("%v: exit %d\n%s\n%s", args, exit, out, errs)
	}
	f.Key = ""
	return f
}

// The numbers of a session with what another program did for it are the same everywhere.
func TestHarnessNumbersAgree(t *testing.T) {
	home := filepath.Join(linkedHome(t), "home")
	var sum harnessFigures
	for _, key := range []string{"main", "stale", "other", "codex", "acp:review", "gemini", "work"} {
		session := home + "#agent:main:" + key
		listed := readFigures(t, "sessions", "-q", "--harness", "--json", session)
		if counted := readFigures(t, "stats", "-q", "--harness", "--json", session); counted != listed {
			t.Errorf("%s: sessions has %+v, stats %+v", key, listed, counted)
		}
		sum.Messages += listed.Messages
		sum.Turns += listed.Turns
		sum.ToolCalls += listed.ToolCalls
		sum.Recorded.Total += listed.Recorded.Total
	}
	if all := readFigures(t, "stats", "-q", "--harness", "--json", home); all != sum {
		t.Errorf("the sessions have %+v, all of them %+v", sum, all)
	}
}

// What several files have counts once: a backup has OpenClaw's copies, and the folders of the other programs have the
// originals.
func TestHarnessCountsOnce(t *testing.T) {
	folder := linkedHome(t)
	home := filepath.Join(folder, "home")
	want := readFigures(t, "stats", "-q", "--harness", "--json", home)
	live := filepath.Join(home, "agents/main/sessions/11111111-0000-4000-8000-000000000000.jsonl")
	text := testkit.Read(t, live)
	testkit.Write(t, live+".bak-1-1", text)
	for _, more := range [][]string{nil, {filepath.Join(folder, "claude"), filepath.Join(folder, "codex")}} {
		args := append([]string{"stats", "-q", "--harness", "--json", home}, more...)
		if got := readFigures(t, args...); got != want {
			t.Errorf("%v: got %+v, want %+v", more, got, want)
		}
	}
}

// Every place that prints a number of such a session prints the one of stats. Only du lists each file by itself.
func TestHarnessNumbersAgreeEverywhere(t *testing.T) {
	inUTC(t)
	folder := linkedHome(t)
	config := filepath.Join(folder, "config.json")
	testkit.Write(t, config, `{"sources":{"harness":true}}`)
	t.Setenv("CLAWCTL_CONFIG", config)
	compared := 0
	for _, key := range []string{"main", "codex"} {
		session := filepath.Join(folder, "home") + "#agent:main:" + key
		want, ok := figuresOfStats(t, session)
		if !ok || want["tool calls"] == "0" {
			t.Fatalf("%s: stats has %v", key, want)
		}
		for _, place := range numberPlaces {
			if place.name == "du --json" {
				continue
			}
			for name, got := range place.read(t, session) {
				compared++
				isNothing := got == "" && (want[name] == "0" || want[name] == "$0.00")
				if got != want[name] && !isNothing {
					t.Errorf("%s: %s has %s %q, stats has %q", key, place.name, name, got, want[name])
				}
			}
		}
	}
	if compared < 60 {
		t.Errorf("only %d numbers were compared", compared)
	}
}
