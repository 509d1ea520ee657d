package main

import (
	"encoding/json"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/internal/ui"
)

// hostileName controls terminals and begins a line that a CI runner would obey.
const hostileName = "no\u009b31m\u202e\u2066\u200e\u061c\u2028file\n::error::forged"

// Every JSON that clawctl writes about hostile names is free of control characters, and has the same values.
func TestJSONIsSafe(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, hostileName+".jsonl")
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such names")
	}
	lines := `{"type":"session","version":3,"id":"a"}` + "\n" + `{"type":"message","id":"` +
		strings.ReplaceAll(hostileName, "\n", `\n`) + `","parentId":"x","message":{"role":"user","content":7}}` + "\n"
	testkit.Write(t, path, lines)
	for _, args := range [][]string{
		{"cat", hostileName}, {"sessions", folder}, {"validate", path}, {"stats", path, "--by", "session"},
		{"tokens", path}, {"cat", path + "#none"}, {"rebuild", folder, "--session", hostileName},
		{"sessions", folder, "--agent", hostileName},
	} {
		_, stdout, stderr := inProcess("", append(args, "--json")...)
		for _, text := range []string{stdout, stderr} {
			if strings.ContainsFunc(text, ui.IsUnsafe) {
				t.Errorf("%q prints %q", args, text)
			}
			for line := range strings.Lines(text) {
				if !json.Valid([]byte(line)) {
					t.Errorf("%q prints %q, which is not JSON", args, line)
				}
			}
		}
	}
	_, stdout, _ := inProcess("", "sessions", folder, "--json")
	var row struct{ Path string }
	if err := json.Unmarshal([]byte(stdout), &row); err != nil || row.Path != path {
		t.Errorf("the path became %q: %v", row.Path, err)
	}
}

// No name begins a line of a message, a finding or a report.
func TestNamesStayOnTheirLine(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such names")
	}
	folder := t.TempDir()
	for _, name := range []string{hostileName, hostileName + "2"} {
		testkit.Write(t, filepath.Join(folder, name+".jsonl"), "{}\nx\n")
	}
	path := filepath.Join(folder, hostileName+".jsonl")
	for _, args := range [][]string{
		{"cat", hostileName}, {"cat", path}, {"sessions", folder}, {"validate", folder, "--all", "-v"},
		{"validate", folder, "--format", "github"}, {"validate", folder, "--format", "sarif"},
		{"validate", folder, "--brief"}, {"validate", folder, "--unknown"},
		{"stats", folder, "--by", "session"}, {"tokens", folder},
		{"rebuild", folder, "--session", "no"}, {"context", folder, "--session", hostileName},
		{"validate", path, "--baseline", path}, {"import", folder, "--to", path},
		{"sessions", folder, "--format", "markdown"}, {"cat", "--type", hostileName}, {hostileName},
		{"compact", folder, "--session", "no"}, {"verify", folder, "--against", path},
		{"export", "--from", path}, {"stats", "--fail-if", hostileName},
	} {
		_, stdout, stderr := inProcess("", args...)
		for _, text := range []string{stdout, stderr} {
			if args[0] == "cat" && text == stdout {
				continue // records are printed as they are
			}
			if strings.HasPrefix(text, "::error::forged") || strings.Contains(text, "\n::error::forged") {
				t.Errorf("%q prints %q", args, text)
			}
		}
	}
}
