//go:build unix

package main

import (
	"os/exec"
	"strings"
	"testing"
)

// The recipe of the README works in the real fzf: it shows the session under the cursor, and prints its name.
func TestFzfRecipe(t *testing.T) {
	if _, err := exec.LookPath("fzf"); err != nil {
		t.Skip("no fzf here")
	}
	cmd := inHome(aHome(t), "sessions")
	cmd.Args = []string{"sh", "-c",
		`name=$(clawctl sessions home --format names | fzf --preview 'clawctl show {} --last 3') && echo "chose $name"`}
	s := startScreenOf(t, 120, 30, false, cmd)
	s.waitFor(t, "10/10")
	press(t, s, "agent:main:main")
	s.waitFor(t, "Valve opens twice") // by the preview
	press(t, s, "\r")
	if exit := s.wait(t); exit != 0 || !strings.Contains(s.String(), "chose agent:main:main@live") {
		t.Errorf("exit %d:\n%s", exit, s)
	}
}
