package main

import (
	"bufio"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// start measures how long a user waits for the first output. These runs are not pinned to one core, because the time of
// the program that pins would count.
func (b *bench) start() error {
	fmt.Fprintln(b.out, "start: medians of 21 runs on all cores")
	for _, wait := range []struct {
		name string
		must time.Duration
		once func() (time.Duration, error)
	}{
		{fmt.Sprintf("clawctl cat of %.0f MB, first line", b.corpus.mb()), 20 * time.Millisecond, b.firstLine},
		{"clawctl --help", 10 * time.Millisecond, b.help},
		{"echo hi | clawctl tokens -", 20 * time.Millisecond, b.countWord},
	} {
		took, err := medianOf(21, wait.once)
		if err != nil {
			return err
		}
		fmt.Fprintf(b.out, "  %6.1f ms (required: under %d)   %s\n",
			float64(took.Microseconds())/1000, wait.must.Milliseconds(), wait.name)
	}
	return nil
}

func medianOf(runs int, once func() (time.Duration, error)) (time.Duration, error) {
	var times []time.Duration
	for range runs {
		took, err := once()
		if err != nil {
			return 0, err
		}
		times = append(times, took)
	}
	return median(times), nil
}

// firstLine measures `clawctl cat CORPUS | head -1`. It closes the pipe after one line, so the exit code of clawctl
// does not matter.
func (b *bench) firstLine() (time.Duration, error) {
	cmd := exec.Command(b.clawctl, "cat", b.corpus.path)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	_, err = bufio.NewReader(pipe).ReadSlice('\n')
	took := time.Since(start)
	pipe.Close()
	_ = cmd.Wait()
	return took, err
}

func (b *bench) countWord() (time.Duration, error) {
	cmd := exec.Command(b.clawctl, "tokens", "-q", "-")
	cmd.Stdin = strings.NewReader("hi\n")
	start := time.Now()
	err := cmd.Run()
	return time.Since(start), err
}

func (b *bench) help() (time.Duration, error) {
	start := time.Now()
	err := exec.Command(b.clawctl, "--help").Run()
	return time.Since(start), err
}
