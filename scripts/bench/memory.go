package main

import (
	"fmt"
	"slices"
)

// memory shows whether the peak grows with the file.
func (b *bench) memory() error {
	samples, err := b.samples(10e6, 100e6)
	if err != nil {
		return err
	}
	var peaks []int64
	for _, c := range samples {
		peak, err := b.highestPeak(3, b.clawctl, "cat", "--type", "leaf", c.path)
		if err != nil {
			return err
		}
		peaks = append(peaks, peak)
	}
	fmt.Fprintln(b.out, "memory: clawctl cat --type leaf, one core, highest peak of three runs")
	for i, c := range samples {
		fmt.Fprintf(b.out, "  %6.1f MB (must: under 40)   reading %.0f MB\n", float64(peaks[i])/1e6, c.mb())
	}
	low, high := slices.Min(peaks), slices.Max(peaks)
	fmt.Fprintf(b.out, "  %6.1f %%  (must: within 10)  between the lowest and the highest\n", float64(high-low)/float64(low)*100)
	return b.printFloor()
}

// samples returns beginnings of the corpus and the corpus itself.
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

// printFloor prints the peak of a run that does nothing. It is there for the reader's doubt: on Linux a process starts
// with the peak of the one that started it, so no program can seem smaller than this one.
func (b *bench) printFloor() error {
	peak, err := b.highestPeak(1, b.clawctl, "--help")
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "  %6.1f MB                    for --help, the least that can be seen\n", float64(peak)/1e6)
	return nil
}

// highestPeak returns the most memory that a command held in several runs, in bytes.
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
