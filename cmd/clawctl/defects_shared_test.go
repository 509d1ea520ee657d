package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/failure"
)

// defect returns the path of a folder with files that were once handled wrongly.
func defect(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(sharedTranscripts, "defects", name)
	if _, err := os.Stat(path); err != nil {
		t.Skip("no defective transcripts here")
	}
	return path
}

// An old agent database without transcripts is named once, and is no error.
func TestDatabaseWithoutTranscripts(t *testing.T) {
	home := defect(t, "02-old-agent-db")
	own := filepath.Join(t.TempDir(), "store.db")
	for _, args := range [][]string{{"sessions", home}, {"stats", home}, {"validate", home}, {"import", home, "--to", own},
		{"import", home, "--to", own}, {"verify", home, "--against", own}} {
		exit, _, stderr := inProcess("", args...)
		if exit != failure.ExitOK || strings.Count(stderr, "openclaw-agent.sqlite: this OpenClaw database has no") != 1 {
			t.Errorf("%v: exit %d: %s", args, exit, stderr)
		}
	}
}

// Every archive is found and imported, whatever its name.
func TestArchiveNames(t *testing.T) {
	needsAllNames(t)
	home := defect(t, "03-archive-names")
	_, stdout, _ := inProcess("", "sessions", home, "--json")
	kinds := map[string]int{}
	for line := range strings.Lines(stdout) {
		var row struct{ ID, Kind string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if row.ID != "11111111-1111-4111-8111-111111111111" {
			t.Errorf("a session has the id %q", row.ID)
		}
		kinds[row.Kind]++
	}
	if kinds["reset"] != 2 || kinds["deleted"] != 3 || kinds["backup"] != 8 || kinds["archive"] != 3 || len(kinds) != 4 {
		t.Errorf("found %v", kinds)
	}
	own := filepath.Join(t.TempDir(), "store.db")
	if exit, _, stderr := inProcess("", "import", home, "--to", own); exit != failure.ExitOK ||
		!strings.Contains(stderr, "Imported 16 transcripts") {
		t.Errorf("import: exit %d: %s", exit, stderr)
	}
}

// Small oddities are read as OpenClaw reads them: the number of messages that it gives the model, -1 if it refuses.
func TestOddTranscripts(t *testing.T) {
	folder := defect(t, "06-native-small")
	for base, want := range map[string]int{
		"date-offset-25": -1, "date-slashes": 2, "nbsp-before-header": 2, "surrogate-ids": 2,
	} {
		exit, stdout, stderr := inProcess("", "rebuild", "--as", "native", filepath.Join(folder, base+".jsonl"))
		var messages []any
		if want < 0 {
			if exit == failure.ExitOK || !strings.Contains(stderr, "CL109") {
				t.Errorf("%s: exit %d: %s", base, exit, stderr)
			}
		} else if err := json.Unmarshal([]byte(stdout), &messages); err != nil || len(messages) != want {
			t.Errorf("%s: %d messages, want %d: %v %s", base, len(messages), want, err, stderr)
		}
	}
}

// What is not an image is reported and never sent. A real image is sent with its real type.
func TestImagesThatAreNone(t *testing.T) {
	folder := defect(t, "07-images")
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		base := filepath.Base(file)
		isImage := base == "img-nopad.jsonl" || base == "img-png-as-jpeg.jsonl"
		_, findings, _ := inProcess("", "validate", "--fail-on", "info", file)
		if strings.Contains(findings, "CL406") != (base != "img-nopad.jsonl") {
			t.Errorf("%s: %s", base, findings)
		}
		for form, sent := range map[string]string{
			"anthropic": `"media_type":"image/png"`, "openai": "data:image/png;base64,",
		} {
			_, stdout, _ := inProcess("", "rebuild", "--as", form, file)
			if strings.Contains(stdout, sent) != isImage || strings.Contains(stdout, "image/jpeg") {
				t.Errorf("%s as %s: %s", base, form, stdout)
			}
		}
	}
}
