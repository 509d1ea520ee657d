package main

import (
	"fmt"
	"slices"
)

// memory shows that the peak does not grow with the file.
func (b *bench) memory() error {
	fmt.Fprintln(b.out, "memory: highest peak of three runs of clawctl cat --type leaf (must: under 40 MB, spread within 10 %)")
	var peaks []int64
	for _, size := range []int64{10e6, 100e6, b.corpus.size} {
		c, err := b.first(size)
		if err != nil {
			return err
		}
		peak, err := b.highestPeak(3, b.clawctl, "cat", "--type", "leaf", c.path)
		if err != nil {
			return err
		}
		fmt.Fprintf(b.out, "%8.0f MB of transcript: %6.1f MB\n", c.mb(), float64(peak)/1e6)
		peaks = append(peaks, peak)
	}
	low, high := slices.Min(peaks), slices.Max(peaks)
	fmt.Fprintf(b.out, "spread: %.1f %%\n", float64(high-low)/float64(low)*100)
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
