package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// validate compares the speed of validate, with all rules for a single file, with plain parsing by jq, on one core.
func (b *bench) validate() error {
	args := []string{b.clawctl, "validate", "-q", "--summary", "--jobs", "1", b.corpus.path}
	list := []*contestant{{name: "clawctl validate", args: args, findings: true}}
	if program, err := exec.LookPath("jq"); err == nil {
		args := []string{program, "empty", b.corpus.path}
		list = append(list, &contestant{name: "jq empty", args: args, rounds: 3, must: 5})
	} else {
		b.note("skipping a rival: %v", err)
	}
	if _, err := b.time(list[0]); err != nil {
		return err
	}
	list, err := b.alternate(list)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "validate: %.0f MB, one core, medians of alternating runs\n", b.corpus.mb())
	b.printSpeeds(list, b.corpus)
	return nil
}

// A shape is a form of tree for which a naive program needs quadratic time or a deep stack.
type shape struct {
	name   string
	parent func(i, n int) int // the parent of entry i of n, -1 for none
}

var shapes = []shape{
	{"chain", func(i, _ int) int { return i - 1 }},
	{"fan", func(i, _ int) int { return min(i, 1) - 1 }},
	{"circle", func(i, n int) int { return (i + n - 1) % n }},
}

// trees measures how memory and time grow with the number of entries.
func (b *bench) trees() error {
	const small, large = 1_000_000, 4_000_000
	fmt.Fprintf(b.out, "trees: clawctl validate and rebuild, from %d to %d entries, one core\n", small, large)
	for _, s := range shapes {
		for _, command := range [][]string{{"validate", "-q", "--summary"}, {"rebuild", "-q", "--as", "native"}} {
			var peaks []int64
			var seconds []float64
			for _, n := range []int{small, large} {
				path, err := b.tree(s, n)
				if err != nil {
					return err
				}
				c := &contestant{args: append(append([]string{b.clawctl}, command...), path), findings: true}
				peak, took, err := b.peakAndTime(c)
				if err != nil {
					return err
				}
				peaks, seconds = append(peaks, peak), append(seconds, took)
			}
			fmt.Fprintf(b.out, "  %-8s %-8s %6.1f s %6.1f s   %4.1f times the time (linear: 4)   "+
				"%4d bytes per entry (required: at most 256)\n",
				s.name, command[0], seconds[0], seconds[1], seconds[1]/seconds[0], (peaks[1]-peaks[0])/(large-small))
		}
	}
	return nil
}

// peakAndTime runs a contestant once and returns its peak memory and its time.
func (b *bench) peakAndTime(c *contestant) (peak int64, seconds float64, err error) {
	cmd := b.pinned(c.args)
	took, err := c.run(cmd)
	if err != nil {
		return 0, 0, err
	}
	peak, err = peakMemory(cmd.ProcessState)
	return peak, took.Seconds(), err
}

// tree returns a transcript with this shape and number of entries, and writes it on first use.
func (b *bench) tree(s shape, entries int) (string, error) {
	path := filepath.Join(b.cache, fmt.Sprintf("tree-%s-%d.jsonl", s.name, entries))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	b.note("writing %s", path)
	file, err := os.Create(path + ".tmp")
	if err != nil {
		return "", err
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	fmt.Fprintln(w, `{"type":"session","version":3,"id":"11111111-2222-4333-8444-555555555555",`+
		`"timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}`)
	for i := range entries {
		parent := "null"
		if p := s.parent(i, entries); p >= 0 {
			parent = fmt.Sprintf(`"%08x"`, p)
		}
		fmt.Fprintf(w, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-05-01T10:00:00.000Z",`+
			`"message":{"role":"user","content":[{"type":"text","text":"entry %d"}]}}`+"\n", i, parent, i)
	}
	if err := w.Flush(); err != nil {
		return "", err
	}
	return path, os.Rename(path+".tmp", path)
}
