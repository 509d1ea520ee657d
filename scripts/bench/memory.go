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
	if err := b.peaksOfJobs(); err != nil {
		return err
	}
	return b.printFloor()
}

// peaksOfJobs measures the whole corpus with two and with eight jobs. GOMAXPROCS sets their number, as on a machine
// with so many cores.
func (b *bench) peaksOfJobs() error {
	fmt.Fprintln(b.out, "memory: several jobs for one file, highest peak of three runs")
	for _, jobs := range []struct {
		number         int
		word           string
		required, goal float64
	}{{2, "two", 40, 25}, {8, "eight", 80, 60}} {
		for _, command := range [][]string{{"cat", "--type", "leaf"}, {"stats", "-q"}, {"validate", "-q", "--summary"}} {
			args := slices.Concat([]string{b.clawctl}, command, []string{b.corpus.path})
			peak, err := b.highestPeak(3, jobs.number, args...)
			if err != nil {
				return err
			}
			fmt.Fprintf(b.out, "  %6.1f MB   %s, %s jobs\n", float64(peak)/1e6, command[0], jobs.word)
			if command[0] == "validate" {
				continue // its index grows with the entries: see the section growth
			}
			b.limit(fmt.Sprintf("peak memory of %s, %s jobs, %.0f MB", command[0], jobs.word, b.corpus.mb()),
				float64(peak)/1e6, "MB", jobs.required, jobs.goal)
		}
	}
	return nil
}

// peaks prints the peak memory of one command for each sample.
func (b *bench) peaks(command []string, samples []corpus) error {
	var peaks []int64
	for _, c := range samples {
		peak, err := b.highestPeak(3, 1, append(append([]string{b.clawctl}, command...), c.path)...)
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
	peak, err := b.highestPeak(1, 1, b.clawctl, "--help")
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "  %6.1f MB                        for --help, the lowest measurable peak\n", float64(peak)/1e6)
	return nil
}

// highestPeak returns the highest peak memory of a command with this many jobs in several runs, in bytes.
func (b *bench) highestPeak(runs, jobs int, args ...string) (int64, error) {
	var highest int64
	for range runs {
		cmd := b.onCores(jobs, args)
		if _, err := (&contestant{findings: true}).run(cmd); err != nil {
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
