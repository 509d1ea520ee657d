package openclaw

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestStateDir(t *testing.T) {
	home := t.TempDir()
	get := func(env map[string]string) func(string) string { return func(name string) string { return env[name] } }
	check := func(env map[string]string, want, from string) {
		t.Helper()
		got, _ := FindStateDir(get(env), home)
		if got.Path != filepath.Join(home, want) || !strings.HasPrefix(got.From, from) {
			t.Errorf("%v: %+v, want %s", env, got, want)
		}
	}
	check(nil, ".openclaw", "the default")
	check(map[string]string{"OPENCLAW_STATE_DIR": " undefined "}, ".openclaw", "the default")
	check(map[string]string{"OPENCLAW_STATE_DIR": "~/elsewhere"}, "elsewhere", "OPENCLAW_STATE_DIR")
	check(map[string]string{"OPENCLAW_PROFILE": "work"}, ".openclaw-work", "OPENCLAW_PROFILE")
	for _, name := range []string{".clawdbot", ".moltbot", ".openclaw-work"} {
		if err := os.Mkdir(filepath.Join(home, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	check(nil, ".clawdbot", "the older name")
	if _, others := FindStateDir(get(nil), home); len(others) != 2 || filepath.Base(others[0].Path) != ".moltbot" ||
		others[1].From != "a profile" {
		t.Errorf("other roots: %v", others)
	}
}

// pi's sessions are the default if there is no state folder of OpenClaw.
func TestPiIsTheDefault(t *testing.T) {
	home := t.TempDir()
	get := func(string) string { return "" }
	pi := filepath.Join(home, ".pi", "agent", "sessions")
	if err := os.MkdirAll(pi, 0o700); err != nil {
		t.Fatal(err)
	}
	if current, others := FindStateDir(get, home); current.Path != pi || !current.Exists || len(others) != 0 {
		t.Errorf("%+v, others %v", current, others)
	}
	openClaw := filepath.Join(home, ".openclaw")
	if err := os.Mkdir(openClaw, 0o700); err != nil {
		t.Fatal(err)
	}
	if current, others := FindStateDir(get, home); current.Path != openClaw || len(others) != 1 || others[0].Path != pi {
		t.Errorf("%+v, others %v", current, others)
	}
}
