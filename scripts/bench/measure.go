package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"time"
)

// A contestant is one program that does the work of a section.
type contestant struct {
	name     string
	args     []string
	cores    int     // 0 for one, allCores for all
	rounds   int     // the most rounds it takes part in, 0 for all
	repeat   int     // how often a short run is repeated in each round, 0 for once
	must     float64 // how many times as fast clawctl must be, 0 for no target
	aim      float64 // how many times as fast clawctl should become
	ownClock bool    // it prints the seconds that its work took
	findings bool    // it exits 1 if it has findings, which is not a failure
	times    []time.Duration
	cpu      []time.Duration // the time of all cores together
}

const allCores = -1

// seconds returns the median time.
func (c *contestant) seconds() float64 { return median(c.times).Seconds() }

// onCores returns a command that runs on the first cores. GOMAXPROCS limits Go programs if nothing else pins them, and
// lets them work as on a machine with more cores than this one has.
func (b *bench) onCores(cores int, args []string) *exec.Cmd {
	if cores == allCores {
		return exec.Command(args[0], args[1:]...)
	}
	if b.canPin && cores <= runtime.NumCPU() {
		args = slices.Concat(pin(cores), args)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", cores))
	return cmd
}

// pinned returns a command that runs on one core.
func (b *bench) pinned(args []string) *exec.Cmd { return b.onCores(1, args) }

// pin returns the start of a command that pins another one to the first cores.
func pin(cores int) []string { return []string{"taskset", "-c", fmt.Sprintf("0-%d", cores-1)} }

// alternate runs the contestants in turn, so that a slow minute of the machine affects all of them. It drops one that
// fails, with a note. The first one is clawctl, which must not fail.
func (b *bench) alternate(list []*contestant) ([]*contestant, error) {
	for round := range b.rounds {
		for i, c := range list {
			if c == nil || c.rounds > 0 && round >= c.rounds {
				continue
			}
			b.note("round %d of %d: %s", round+1, b.rounds, c.name)
			took, err := medianOf(cmp.Or(c.repeat, 1), func() (time.Duration, error) { return b.time(c) })
			if err != nil && i == 0 {
				return nil, err
			}
			if err != nil {
				b.note("skipping %s: %v", c.name, err)
				list[i] = nil
				continue
			}
			c.times = append(c.times, took)
		}
	}
	return slices.DeleteFunc(list, func(c *contestant) bool { return c == nil }), nil
}

// time runs a contestant once, with the file it reads in the page cache. Its output is discarded, or is the time it
// measured itself.
func (b *bench) time(c *contestant) (time.Duration, error) {
	loadIntoCache(c.args[len(c.args)-1])
	cmd := b.onCores(cmp.Or(c.cores, 1), c.args)
	if c.ownClock {
		watch := startStopwatch()
		printed, err := output(cmd)
		if err != nil {
			return 0, err
		}
		share := watch.stolenShare(cmp.Or(c.cores, 1), time.Since(watch.start))
		seconds, err := strconv.ParseFloat(printed, 64)
		return time.Duration((1 - share) * seconds * float64(time.Second)), err
	}
	return c.run(cmd)
}

// loadIntoCache reads a file once: some systems drop pages that nobody used for a while. What is no file is left alone.
func loadIntoCache(path string) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return
	}
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer file.Close()
	_, _ = io.CopyBuffer(onlyWriter{io.Discard}, file, make([]byte, 1<<20))
}

// onlyWriter hides the other methods of a writer, so that a copy uses the buffer it was given.
type onlyWriter struct{ io.Writer }

// run runs a command of the contestant and returns how long it took.
func (c *contestant) run(cmd *exec.Cmd) (time.Duration, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	watch := startStopwatch()
	err := cmd.Run()
	took := watch.elapsed(cmp.Or(c.cores, 1))
	if err != nil && !(c.findings && cmd.ProcessState.ExitCode() == 1) {
		return 0, fmt.Errorf("%w: %s", err, lastLine(stderr.Bytes()))
	}
	c.cpu = append(c.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	return took, nil
}

// median returns the middle of several times, or the mean of the two in the middle.
func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
