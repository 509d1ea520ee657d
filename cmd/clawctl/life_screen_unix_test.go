//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

// On a terminal, delete asks first, and show and rebuild without a source use the session of the configuration.
func TestLifeOnTerminal(t *testing.T) {
	home := t.TempDir()
	config := filepath.Join(home, "config.json")
	testkit.Write(t, config, `{"session":{"defaultKey":"me"}}`)
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command("clawctl", args...)
		cmd.Env = append(os.Environ(), "HOME="+home, "CLAWCTL_DB="+filepath.Join(home, "s.db"), "CLAWCTL_CONFIG="+config,
			"OPENCLAW_STATE_DIR=", "PAGER=cat", "CLAWCTL_PAGER=cat")
		return cmd
	}
	on := func(answer string, args ...string) (string, int) {
		t.Helper()
		s := startScreen(t, 80, false, command(args...))
		if answer != "" {
			s.waitFor(t, "[y/N]")
			press(t, s, answer+"\n")
		}
		exit := s.wait(t)
		checkSafe(t, s)
		return s.String(), exit
	}
	if out, err := command("append", "--role", "user", "What should I sow?").CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	for _, test := range []struct {
		answer string
		args   []string
		exit   int
		want   string
	}{
		{"", []string{"show"}, 0, "What should I sow?"},
		{"", []string{"rebuild"}, 0, "What should I sow?"},
		{"n", []string{"delete", "me"}, 1, "nothing was changed"},
		{"n", []string{"delete", "me", "--purge"}, 1, "nothing was changed"},
		{"n", []string{"delete", "me", "--json"}, 1, `"code":"CL954"`},
		{"", []string{"restore", "me"}, 2, "me is live already"},
		{"y", []string{"delete", "me"}, 0, "moved to the trash"},
		{"", []string{"restore", "me"}, 0, "restored"},
		{"", []string{"delete", "me", "-y"}, 0, "moved to the trash"},
		{"", []string{"restore", "--list"}, 0, "just now"},
		{"y", []string{"delete", "me", "--purge"}, 0, "deleted for good"},
	} {
		screen, exit := on(test.answer, test.args...)
		words := strings.Join(strings.Fields(screen), " ") // a long path breaks lines elsewhere
		if exit != test.exit || !strings.Contains(words, test.want) {
			t.Errorf("%s: exit %d\n%s", strings.Join(test.args, " "), exit, screen)
		}
	}
}
