package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"
)

// A contestant is one program that does the work of a section.
type contestant struct {
	name     string
	args     []string
	rounds   int     // takes part in at most so many, 0 for all
	must     float64 // how many times as fast clawctl has to be, 0 if nothing is asked
	aim      float64 // how many times as fast it would like to be
	ownClock bool    // prints the seconds that its work took
	findings bool    // exits 1 where it found something, which is no failure
	times    []time.Duration
}

// pinned is a command on one core. The variable is for Go programs where nothing else holds them there.
func (b *bench) pinned(args []string) *exec.Cmd {
	args = slices.Concat(b.pin, args)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	return cmd
}

// alternate lets the contestants run in turn, so that a slow minute of the machine hits all of them. One that fails is
// out, with a sentence; the first is clawctl, without which there is nothing to compare.
func (b *bench) alternate(list []*contestant) ([]*contestant, error) {
	for round := range b.rounds {
		for i, c := range list {
			if c == nil || c.rounds > 0 && round >= c.rounds {
				continue
			}
			b.note("round %d of %d: %s", round+1, b.rounds, c.name)
			took, err := b.time(c)
			if err != nil && i == 0 {
				return nil, err
			}
			if err != nil {
				b.note("without %s: %v", c.name, err)
				list[i] = nil
				continue
			}
			c.times = append(c.times, took)
		}
	}
	return slices.DeleteFunc(list, func(c *contestant) bool { return c == nil }), nil
}

// time runs a contestant once. Its output goes to the null device, or is its own time.
func (b *bench) time(c *contestant) (time.Duration, error) {
	cmd := b.pinned(c.args)
	if c.ownClock {
		printed, err := output(cmd)
		if err != nil {
			return 0, err
		}
		seconds, err := strconv.ParseFloat(printed, 64)
		return time.Duration(seconds * float64(time.Second)), err
	}
	return c.run(cmd)
}

// run runs a command of the contestant's and returns how long it took.
func (c *contestant) run(cmd *exec.Cmd) (time.Duration, error) {
	var said bytes.Buffer
	cmd.Stderr = &said
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil && !(c.findings && cmd.ProcessState.ExitCode() == 1) {
		return 0, fmt.Errorf("%w: %s", err, lastLine(said.Bytes()))
	}
	return took, nil
}

// median returns the middle of several times, or between the two in the middle.
func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
