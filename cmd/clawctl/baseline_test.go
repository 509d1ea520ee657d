package main

import (
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/testkit"
)

// A baseline also knows the findings that are only counted. One more of them is new.
func TestBaselineCountsFindings(t *testing.T) {
	folder := t.TempDir()
	file, known := filepath.Join(folder, "a.jsonl"), filepath.Join(folder, "known.json")
	write := func(lines int) {
		t.Helper()
		testkit.Write(t, file, strings.Repeat(tornLine, lines))
	}
	write(10_500)
	if code, _, stderr := inProcess("", "validate", file, "--write-baseline", known); code != failure.ExitOK ||
		!strings.Contains(stderr, "wrote 10,500 findings") {
		t.Fatal(code, stderr)
	}
	if code, out, stderr := inProcess("", "validate", file, "--baseline", known); code != failure.ExitOK || out != "" {
		t.Error(code, out, stderr)
	}
	write(10_503)
	code, out, stderr := inProcess("", "validate", file, "--baseline", known)
	if code != failure.ExitFindings || !strings.Contains(stderr, "3 errors") {
		t.Error(code, out, stderr)
	}
}
