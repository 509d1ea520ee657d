package main

import (
	"fmt"
	"slices"
	"strings"
)

// memory prints the peak memory for files of several sizes, for the commands whose memory must not grow.
func (b *bench) memory() error {
	samples, err := b.samples(10e6, 100e6)
	if err != nil {
		return err
	}
	for _, command := range [][]string{
		{"cat", "--type", "leaf"}, {"tokens", "-q", "--encoding", "heuristic"}, {"stats", "-q"},
	} {
		if err := b.peaks(command, samples); err != nil {
			return err
		}
	}
	return b.printFloor()
}

// peaks prints the peak memory of one command for each sample.
func (b *bench) peaks(command []string, samples []corpus) error {
	var peaks []int64
	for _, c := range samples {
		peak, err := b.highestPeak(3, append(append([]string{b.clawctl}, command...), c.path)...)
		if err != nil {
			return err
		}
		peaks = append(peaks, peak)
	}
	fmt.Fprintf(b.out, "memory: clawctl %s, one core, highest peak of three runs\n", strings.Join(command, " "))
	for i, c := range samples {
		fmt.Fprintf(b.out, "  %6.1f MB (required: under 40)   reading %.0f MB\n", float64(peaks[i])/1e6, c.mb())
	}
	low, high := slices.Min(peaks), slices.Max(peaks)
	fmt.Fprintf(b.out, "  %6.1f %%  (required: within 10)  between the lowest and the highest\n",
		float64(high-low)/float64(low)*100)
	return nil
}

// samples returns prefixes of the corpus with these sizes, and the corpus itself.
func (b *bench) samples(sizes ...int64) ([]corpus, error) {
	var all []corpus
	for _, size := range sizes {
		if size >= b.corpus.size {
			break
		}
		c, err := b.first(size)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return append(all, b.corpus), nil
}

// printFloor prints the peak of a run that does nothing. On Linux a process inherits the peak of its parent, so no
// measured peak can be lower than this one.
func (b *bench) printFloor() error {
	peak, err := b.highestPeak(1, b.clawctl, "--help")
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "  %6.1f MB                        for --help, the lowest measurable peak\n", float64(peak)/1e6)
	return nil
}

// highestPeak returns the highest peak memory of a command in several runs, in bytes.
func (b *bench) highestPeak(runs int, args ...string) (int64, error) {
	var highest int64
	for range runs {
		cmd := b.pinned(args)
		if err := cmd.Run(); err != nil {
			return 0, err
		}
		peak, err := peakMemory(cmd.ProcessState)
		if err != nil {
			return 0, err
		}
		highest = max(highest, peak)
	}
	return highest, nil
}
