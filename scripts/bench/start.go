package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	return b.helpOrNothing()
}

// emptyProgram is the lower bound for the start of a Go program.
const emptyProgram = "package main\n\nfunc main() {}\n"

// helpRuns is the number of runs of programs that take a few milliseconds.
const helpRuns = 60

// helpOrNothing compares --help with a program that does nothing, in alternating runs.
func (b *bench) helpOrNothing() error {
	empty, err := b.buildEmpty()
	if err != nil {
		return err
	}
	list := []*contestant{{args: []string{b.clawctl, "--help"}, cores: allCores},
		{args: []string{empty}, cores: allCores}}
	for range helpRuns {
		for _, c := range list {
			took, err := c.run(b.onCores(allCores, c.args))
			if err != nil {
				return err
			}
			c.times = append(c.times, took)
		}
	}
	fmt.Fprintf(b.out, "  %6.2f ms   --help, %.2f ms for an empty Go program, medians of %d alternating runs\n",
		list[0].seconds()*1e3, list[1].seconds()*1e3, helpRuns)
	b.limit("--help, times an empty Go program", list[0].seconds()/list[1].seconds(), "", 4, 3)
	return nil
}

// buildEmpty compiles the empty program in the same way as clawctl.
func (b *bench) buildEmpty() (string, error) {
	folder := filepath.Join(b.cache, "empty")
	if err := errors.Join(os.MkdirAll(folder, 0o755),
		os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module empty\n"), 0o644),
		os.WriteFile(filepath.Join(folder, "main.go"), []byte(emptyProgram), 0o644)); err != nil {
		return "", err
	}
	return b.build(folder, "empty", ".")
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
