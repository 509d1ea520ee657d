//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/testkit"
)

// A terminal asks for the password of a page twice, and never shows it.
func TestPasswordOnScreen(t *testing.T) {
	folder := t.TempDir()
	transcript := filepath.Join(folder, "talk.jsonl")
	line := `{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"What should I sow?"}}` + "\n"
	testkit.Write(t, transcript, line)
	for i, test := range []struct {
		first, second string
		exit          int
		says          string
	}{
		{"swordfish", "swordfish", failure.ExitOK, ""},
		{"swordfish", "sawfish", failure.ExitUsage, "the two passwords differ; nothing was written"},
		{"", "", failure.ExitUsage, "the password is empty; nothing was written"},
		{"\x03", "", failure.ExitInterrupted, ""},
	} {
		page := filepath.Join(folder, strconv.Itoa(i)+".html")
		s := startScreen(t, 120, false, inHome(folder, "show", transcript, "--format", "html", "--encrypt", "-o", page))
		s.waitFor(t, "Password for the page:")
		if press(t, s, test.first+"\n"); test.exit != failure.ExitInterrupted {
			s.waitFor(t, "The same password again:")
			press(t, s, test.second+"\n")
		}
		exit := s.wait(t)
		if shown := s.String(); exit != test.exit || !strings.Contains(shown, test.says) || strings.Contains(shown, "fish") ||
			strings.Contains(shown, "u000d") {
			t.Errorf("%q, %q: exit %d:\n%s", test.first, test.second, exit, shown)
		}
		if _, err := os.Stat(page); (err == nil) != (test.exit == failure.ExitOK) {
			t.Errorf("%q, %q: %v", test.first, test.second, err)
		}
	}
}
