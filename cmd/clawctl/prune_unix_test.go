//go:build unix

package main

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"clawctl/pkg/prune/prunetest"
)

// Whatever moment a prune, an undo or a restore is killed at, every file is in its place, or in the trash with a
// receipt. scripts/fault -only C8 does the same 500 times.
func TestKilledPrune(t *testing.T) {
	kills := 12
	if text := os.Getenv("CLAWCTL_KILLS"); text != "" {
		kills, _ = strconv.Atoi(text)
	}
	folder := t.TempDir()
	for name, value := range prunetest.Environment(folder) {
		t.Setenv(name, value)
	}
	dice := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 2))
	counts, err := prunetest.Kills(context.Background(), folder, runKilled, kills, dice)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(counts)
}
