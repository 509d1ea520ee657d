//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/cli"
)

// pagerScreens are commands on a low terminal, each with a pager and the rows of the screen.
var pagerScreens = []struct {
	name, pager string
	rows        int
	color       bool
	args        []string
}{
	{"long", "cat; echo '-- that was the pager'", 10, true, []string{"sessions"}},
	{"fits", "sed 's/^/| /'", 24, false, []string{"overview"}},
	{"messages", "sed 's/^/| /'", 5, false, []string{
		"validate", "transcripts/bad-line.jsonl", "transcripts/missing.jsonl", "transcripts/bad-utf8.jsonl",
	}},
	{"left", "head -n 3", 24, false, []string{"help"}},
	{"off", "sed 's/^/| /'", 8, false, []string{"help", "sources", "--no-pager"}},
	{"off-for-help", "sed 's/^/| /'", 8, false, []string{"env", "--help", "--no-pager"}},
	{"cat", "cat", 8, false, []string{"explain", "CL301", "CL302"}},
	{"missing", "no-such-pager -x", 10, false, []string{"help", "sources"}},
	{"streams", "sed 's/^/| /'", 8, false, []string{"cat", "transcripts/bad-line.jsonl"}},
}

// Long reports go through the pager, and what is said on stderr comes after them.
func TestPagerScreens(t *testing.T) {
	folder := aHome(t)
	for _, c := range pagerScreens {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cmd := inHome(folder, c.args...)
			cmd.Env = append(cmd.Env, "PAGER="+c.pager)
			s := startScreenOf(t, 80, c.rows, c.color, cmd)
			exit := s.wait(t)
			checkSafe(t, s)
			prompt := fmt.Sprintf("$ PAGER=%q clawctl %s", c.pager, strings.Join(c.args, " "))
			checkScreen(t, "pager-"+c.name, fmt.Sprintf("%s\n%s[exit %d]\n", prompt, s, exit))
		})
	}
}

// Whoever quits a pager has seen enough: a command that is still printing ends without an error.
func TestQuitPager(t *testing.T) {
	s := startScreenOf(t, 80, 12, false, manyFindings(t, "head -n 1"))
	if exit := s.wait(t); exit != 0 || s.String() != "torn.jsonl\n" {
		t.Errorf("exit %d:\n%s", exit, s)
	}
}

// Ctrl-C belongs to the pager: clawctl ends after it, quietly, however often it is pressed.
func TestInterruptedPager(t *testing.T) {
	s := startScreenOf(t, 80, 12, false, manyFindings(t,
		`trap : INT; head -n 1; echo ready; until read key </dev/tty; do :; done; echo "key $key"`))
	s.waitFor(t, "ready")
	press(t, s, "\x03\x03")
	press(t, s, "q\n")
	s.waitFor(t, "key q")
	if exit := s.wait(t); exit != 0 || strings.Contains(s.String(), "clawctl:") {
		t.Errorf("exit %d:\n%s", exit, s)
	}
}

// manyFindings is a command that prints more than a pipe holds.
func manyFindings(t *testing.T, pager string) *exec.Cmd {
	t.Helper()
	folder := t.TempDir()
	text := []byte(strings.Repeat(tornLine, 5000))
	if err := os.WriteFile(filepath.Join(folder, "torn.jsonl"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := inHome(folder, "validate", "--all", "torn.jsonl")
	cmd.Env = append(cmd.Env, "PAGER="+pager)
	return cmd
}

// less gets colours through and leaves the screen as a user expects it.
func TestLess(t *testing.T) {
	if _, err := exec.LookPath(cli.DefaultPager); err != nil {
		t.Skip("no less here")
	}
	s := startScreenOf(t, 80, 12, true, inHome(aHome(t), "validate", "transcripts"))
	s.waitFor(t, "\n:")
	if shown := s.String(); !strings.Contains(shown, "⟦red error⟧") || strings.Contains(shown, "ESC") {
		t.Errorf("less shows\n%s", shown)
	}
	press(t, s, "q")
	if exit := s.wait(t); exit > 1 || strings.Contains(s.String(), "CL9") {
		t.Errorf("exit %d:\n%s", exit, s)
	}
}

func press(t *testing.T, s *screen, keys string) {
	t.Helper()
	if _, err := s.file.WriteString(keys); err != nil {
		t.Fatal(err)
	}
}
