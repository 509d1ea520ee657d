//go:build unix

package main

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Whatever moment a prune, an undo or a restore is killed at, every file is in its place, or in the trash with a
// receipt. R8 of scripts/fault kills them at each of their calls.
func TestKilledPrune(t *testing.T) {
	kills := 12
	if text := os.Getenv("CLAWCTL_KILLS"); text != "" {
		kills, _ = strconv.Atoi(text)
	}
	folder := t.TempDir()
	for name, value := range killEnvironment(folder) {
		t.Setenv(name, value)
	}
	dice := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 2))
	counts, err := killPrunes(context.Background(), folder, runKilled, kills, dice)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(counts)
}

// On a terminal, prune asks before it moves or deletes anything.
func TestPruneOnTerminal(t *testing.T) {
	t.Parallel()
	folder := aHome(t)
	data := "XDG_DATA_HOME=" + filepath.Join(folder, "data")
	run := func(answer string, args ...string) (string, int) {
		t.Helper()
		cmd := inHome(folder, args...)
		cmd.Env = append(cmd.Env, data)
		s := startScreen(t, 80, false, cmd)
		if answer != "" {
			s.waitFor(t, "[y/N]")
			press(t, s, answer+"\n")
		}
		exit := s.wait(t)
		checkSafe(t, s)
		return s.String(), exit
	}
	if _, exit := run("", "import", "home", "-q"); exit != 0 {
		t.Fatal("the import failed")
	}
	for _, test := range []struct {
		answer string
		args   string
		exit   int
		want   string
	}{
		{"n", "prune --older 1d --write", 1, "nothing was changed"},
		{"y", "prune --older 1d --write", 1, "moved 4 files (10.5 kB) to the trash, left 1 file alone"},
		{"", "prune --empty-trash --older 0m", 0, "Nothing to prune"}, // nobody is asked about nothing
		{"n", "undo", 1, "nothing was changed"},
		{"y", "undo", 0, "undone"},
		{"", "prune --older 1d --write -y", 1, "moved 4 files"},
		{"n", "prune --store --older 1d --write", 1, "nothing was changed"},
		{"y", "prune --store --older 1d --write", 1, "moved 7 sessions"},
		{"n", "prune --empty-trash --older 2028-01-01", 1, "nothing was changed"},
		{"y", "prune --empty-trash --older 2028-01-01", 0, "deleted 4 files (10.5 kB) for good"},
		{"n", "prune --store --empty-trash --older 2028-01-01", 1, "nothing was changed"},
		{"y", "prune --store --empty-trash --older 2028-01-01", 0, "deleted 7 sessions"},
	} {
		screen, exit := run(test.answer, strings.Fields(test.args)...)
		if exit != test.exit || !strings.Contains(strings.Join(strings.Fields(screen), " "), test.want) {
			t.Errorf("%s: exit %d\n%s", test.args, exit, screen)
		}
	}
}
