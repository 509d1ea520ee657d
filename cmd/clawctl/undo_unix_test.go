//go:build unix

package main

import (
	"math/rand/v2"
	"testing"
	"time"

	"clawctl/internal/longtest"
)

// Whatever moment a change to a home is killed at, undo restores every file byte for byte, and leaves no other.
func TestUndoAfterKills(t *testing.T) {
	home := homeToChange(t)
	before := filesOf(t, home)
	dice := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 3))
	for _, line := range homeChanges {
		took := time.Duration(0)
		for kill := range longtest.Rounds(t, "CLAWCTL_KILLS", 4, 100) {
			delay := time.Duration(0) // the first run is not killed, to see how long it takes
			if kill > 0 {
				delay = time.Duration(dice.Int64N(int64(took)) + 1)
			}
			killed, duration, _ := runKilled(delay, changeWords(line, home)...)
			if kill == 0 {
				took = duration
			}
			for _, undo := range [][]string{{"undo", "--finish"}, {"undo", "-y"}} { // each in a process of its own
				runKilled(0, undo...) // there may be nothing to undo
			}
			if left := otherFiles(before, filesOf(t, home)); len(left) > 0 {
				t.Fatalf("%s, killed %v after %v: undo left %q", line, killed, delay, left)
			}
		}
	}
}
