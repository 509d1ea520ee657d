//go:build unix

package main

import (
	"testing"
	"time"

	"clawctl/internal/longtest"
)

// processorTime runs a command in a process of its own.
func processorTime(args []string) time.Duration {
	cmd := clawctl(args...)
	_ = cmd.Run() // many inputs are damaged
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// No command takes more time than in proportion to its input, whatever the input repeats. CLAWCTL_FRAGMENT sets the
// kilobytes of the smaller input. If a command needs no time for that, the larger input is harmless too. All 6,688
// combinations take more than an hour, so make long tries every tenth: each fragment and each command several times.
// CLAWCTL_STEP=1 tries all.
func TestFragmentsTakeTimeInProportion(t *testing.T) {
	kilobytes := longtest.Rounds(t, "CLAWCTL_FRAGMENT", 0, 1000)
	if kilobytes == 0 || raceDetector {
		t.Skip("runs every command on many large inputs; see make long")
	}
	step := longtest.Rounds(t, "CLAWCTL_STEP", 10, 10)
	for i := range fragments {
		f := &fragments[i]
		folders := []string{fragmentFolder(t, f, 1000*kilobytes), fragmentFolder(t, f, 4000*kilobytes)}
		for number, command := range fragmentCommands {
			if (i+max(number, storeCommands))%step != 0 {
				continue
			}
			few := processorTime(fragmentArguments(command, folders[0], number))
			if few < 100*time.Millisecond && number > 0 {
				continue
			}
			many := processorTime(fragmentArguments(command, folders[1], number))
			if many > 5*few+200*time.Millisecond {
				t.Errorf("%s: %s: %v for %d kB, %v for %d kB", f.name, command, few, kilobytes, many, 4*kilobytes)
			}
		}
		removeFolders(t, folders)
	}
}
