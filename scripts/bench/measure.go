package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A sample is what one run took.
type sample struct {
	wall, cpu time.Duration // the processor time is that of all cores together
	bytes     int64         // the peak memory, or the size of a file
}

// A result is what a figure comes to.
type result struct {
	figure      *figure
	ours, rival sample // medians, and the highest peak of memory
	err         error
}

// A comparison says what of two samples counts.
type comparison struct {
	needsRival bool
	atLeast    bool // a larger value is better
	value      func(ours, rival sample) float64
	cell       func(sample) string // what the table shows of each of two
	unit       string
}

var comparisons = map[string]comparison{
	"cpu": {needsRival: true, cell: cpuCell,
		value: func(ours, rival sample) float64 { return ours.cpu.Seconds() / rival.cpu.Seconds() }},
	"time": {needsRival: true, cell: wallCell,
		value: func(ours, rival sample) float64 { return ours.wall.Seconds() / rival.wall.Seconds() }},
	"speed": {needsRival: true, atLeast: true, cell: wallCell,
		value: func(ours, rival sample) float64 { return rival.wall.Seconds() / ours.wall.Seconds() }},
	"size": {needsRival: true, cell: byteCell,
		value: func(ours, rival sample) float64 { return float64(ours.bytes) / float64(rival.bytes) }},
	"peak": {unit: "MB", value: func(ours, _ sample) float64 { return float64(ours.bytes) / 1e6 }},
	"wait": {unit: "ms", value: func(ours, _ sample) float64 { return ours.wall.Seconds() * 1e3 }},
}

// A contestant is a command that is measured.
type contestant struct {
	args, env []string
	stdin     string // a file, or "" for none
	cores     int
	ownClock  bool
	mayExit1  bool // 1 is a finding of clawctl and no hit of ripgrep, not a failure
	samples   []sample
}

func (b *bench) measure(f *figure) *result {
	r := &result{figure: f}
	if f.compare == "size" {
		r.err = b.compareSizes(r)
		return r
	}
	list, err := b.contestants(f)
	if err == nil {
		err = b.alternate(list, cmp.Or(f.rounds, b.rounds))
	}
	if err != nil {
		r.err = err
		return r
	}
	r.ours = typical(list[0].samples)
	if f.compare == "peak" && r.ours.bytes == 0 {
		r.err = &skipError{errors.New("this system does not tell the peak memory")}
	}
	if len(list) > 1 {
		r.rival = typical(list[1].samples)
	}
	return r
}

func (b *bench) compareSizes(r *result) error {
	paths, err := b.resolve([]string{r.figure.ours[0], r.figure.rival[0]}, nil)
	if err != nil {
		return err
	}
	if r.ours.bytes, err = sizeOf(paths[0]); err != nil {
		return err
	}
	r.rival.bytes, err = sizeOf(paths[1])
	return err
}

// contestants prepares clawctl and the rival, with everything that they read in the page cache.
func (b *bench) contestants(f *figure) (list []*contestant, err error) {
	for i, words := range [][]string{f.ours, f.rival} {
		if words == nil {
			continue
		}
		resolved, err := b.resolve(words, map[string]string{"new": filepath.Join(b.work, "new", "out")})
		if err != nil {
			return nil, err
		}
		c, err := b.contestant(resolved)
		if err != nil {
			return nil, err
		}
		c.cores = f.cores[i]
		list = append(list, c)
	}
	for _, c := range list {
		for _, word := range append(c.args, c.stdin) {
			if filepath.IsAbs(word) {
				_ = eachFile(word, loadIntoCache) // what does not exist is made by the command
			}
		}
	}
	return list, nil
}

// contestant reads a command like a shell: settings of the environment, the program, its arguments, and < FILE.
func (b *bench) contestant(words []string) (*contestant, error) {
	c := &contestant{}
	for strings.Contains(words[0], "=") {
		c.env, words = append(c.env, words[0]), words[1:]
	}
	if n := len(words); n > 2 && words[n-2] == "<" {
		c.stdin, words = words[n-1], words[:n-2]
	}
	p, err := b.program(words[0])
	if err != nil {
		return nil, err
	}
	c.args, c.ownClock = slices.Concat(p.args, words[1:]), p.ownClock
	c.mayExit1 = words[0] == "clawctl" || words[0] == "rg"
	return c, nil
}

// alternate runs the contestants in turn, so that a slow minute of the machine affects all of them.
func (b *bench) alternate(list []*contestant, rounds int) error {
	for range rounds {
		for _, c := range list {
			fresh := filepath.Join(b.work, "new")
			if err := errors.Join(os.RemoveAll(fresh), os.Mkdir(fresh, 0o755)); err != nil {
				return err
			}
			s, err := b.runOnce(c)
			if err != nil {
				return fmt.Errorf("%s: %w", filepath.Base(c.args[0]), err)
			}
			c.samples = append(c.samples, s)
		}
	}
	return nil
}

// runOnce runs a contestant and returns what it took.
func (b *bench) runOnce(c *contestant) (s sample, err error) {
	var stdout, stderr bytes.Buffer
	cmd, stdin, err := b.command(c)
	if err != nil {
		return s, err
	}
	defer stdin.Close()
	cmd.Stderr = &stderr
	if c.ownClock {
		cmd.Stdout = &stdout
	}
	begin := time.Now()
	err = cmd.Run()
	s.wall = time.Since(begin)
	if err != nil && !(c.mayExit1 && cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 1) {
		return s, withLastLine(err, stderr.Bytes())
	}
	if c.ownClock {
		seconds, err := strconv.ParseFloat(strings.TrimSpace(stdout.String()), 64)
		s.wall = time.Duration(seconds * float64(time.Second))
		return s, err
	}
	s.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	s.bytes = peakMemory(cmd.ProcessState)
	return s, nil
}

// command returns a command that runs on some cores and that knows no store and no configuration of the user, and its
// input, which must be closed.
// GOMAXPROCS limits Go programs where nothing pins them, and lets them work as on a machine with more cores.
func (b *bench) command(c *contestant) (*exec.Cmd, io.Closer, error) {
	stdin, err := os.Open(cmp.Or(c.stdin, os.DevNull))
	if err != nil {
		return nil, nil, err
	}
	args := c.args
	if c.cores > 0 && b.canPin && c.cores <= runtime.NumCPU() {
		args = slices.Concat([]string{"taskset", "-c", fmt.Sprintf("0-%d", c.cores-1)}, args)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+filepath.Join(b.work, "data"),
		"XDG_CONFIG_HOME="+filepath.Join(b.work, "config"), "CLAWCTL_DB="+filepath.Join(b.work, "none.db"))
	if c.cores > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("GOMAXPROCS=%d", c.cores))
	}
	cmd.Stdin, cmd.Env = stdin, append(cmd.Env, c.env...)
	return cmd, stdin, nil
}

// output runs a command of a recipe, whose output may go to a file, and returns what it prints otherwise.
func (b *bench) output(words []string) (string, error) {
	var stdout, stderr bytes.Buffer
	into := io.Writer(&stdout)
	if n := len(words); n > 2 && words[n-2] == ">" {
		file, err := os.Create(words[n-1])
		if err != nil {
			return "", err
		}
		defer file.Close()
		into, words = file, words[:n-2]
	}
	c, err := b.contestant(words)
	if err != nil {
		return "", err
	}
	cmd, stdin, err := b.command(c)
	if err != nil {
		return "", err
	}
	defer stdin.Close()
	cmd.Stdout, cmd.Stderr = into, &stderr
	err = cmd.Run()
	return stdout.String(), withLastLine(err, stderr.Bytes())
}

// pieceBuffer is shared, because programs inherit the peak memory of this one.
var pieceBuffer = make([]byte, 256<<10)

// loadIntoCache reads a file once: some systems drop pages that nobody used for a while.
func loadIntoCache(path string, _ fs.FileInfo) {
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer file.Close()
	for err == nil {
		_, err = file.Read(pieceBuffer)
	}
}

// typical returns the median times and the highest peak.
func typical(samples []sample) sample {
	var wall, cpu []time.Duration
	var highest int64
	for _, s := range samples {
		wall, cpu, highest = append(wall, s.wall), append(cpu, s.cpu), max(highest, s.bytes)
	}
	return sample{median(wall), median(cpu), highest}
}

// median returns the middle of several times, or the mean of the two in the middle.
func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
