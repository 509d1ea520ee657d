//go:build unix

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"clawctl/pkg/store/session/sessiontest"
)

// runKilled runs clawctl and kills it after a delay, unless that is 0.
func runKilled(delay time.Duration, args ...string) (killed bool, took time.Duration, err error) {
	cmd := exec.Command("clawctl", args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return false, 0, err
	}
	if delay > 0 {
		timer := time.AfterFunc(delay, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	err = cmd.Wait()
	took = time.Since(begun)
	if cmd.ProcessState.ExitCode() == -1 {
		return true, took, nil
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", args[0], err)
	}
	return false, took, err
}

// Whatever moment a command is killed at, the store has the state before it or the one after it, and everything that
// was acknowledged. R8 of scripts/fault kills them at each of their calls.
func TestKilledLife(t *testing.T) {
	t.Parallel()
	kills := 12
	if text := os.Getenv("CLAWCTL_KILLS"); text != "" {
		kills, _ = strconv.Atoi(text)
	}
	dice := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	counts, err := killAtRandom(context.Background(), filepath.Join(t.TempDir(), "s.db"), kills, dice)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(counts)
}

// Eight processes append to one session, and to one each. Nothing is lost, and the order of each is kept.
func TestCrowd(t *testing.T) {
	t.Parallel()
	const appenders, each = 8, 3
	for _, isOne := range []bool{true, false} {
		db := filepath.Join(t.TempDir(), "s.db")
		err := sessiontest.Crowd(context.Background(), db, appenders, each, isOne, func(key, name string) error {
			for n := range each {
				if _, _, err := runKilled(0, "append", key, "--role", "user", fmt.Sprintf("%s %d", name, n), "--quiet",
					"--store", db, "--lock-timeout", "5m"); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
