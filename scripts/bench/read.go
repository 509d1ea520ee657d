package main

import (
	"fmt"
	"text/tabwriter"
)

// read compares the speed of reading: every line checked as JSON and five fields taken, on one core. All contestants look
// for a type that the corpus does not have, so that nobody's output is measured.
func (b *bench) read() error {
	list := b.readers()
	if _, err := b.time(&contestant{name: "warm-up", args: list[0].args}); err != nil {
		return err
	}
	list, err := b.alternate(list)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "read: %.0f MB, every line checked, one core, medians of %d alternated rounds\n", b.corpus.mb(), b.rounds)
	return b.speedTable(list)
}

// speedTable prints the contestants' speeds, and by how much the first of them is faster.
func (b *bench) speedTable(list []*contestant) error {
	w := tabwriter.NewWriter(b.out, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "seconds\tMB/s\tclawctl to it\tmust\taim\t  who")
	own := median(list[0].times).Seconds()
	for i, c := range list {
		took := median(c.times).Seconds()
		ratio := ""
		if i > 0 {
			ratio = fmt.Sprintf("%.2f", took/own)
		}
		fmt.Fprintf(w, "%.3f\t%.0f\t%s\t%s\t%s\t  %s\n", took, b.corpus.mb()/took, ratio, asked(c.must), asked(c.aim), c.name)
	}
	return w.Flush()
}

// asked writes a target, and nothing where there is none.
func asked(target float64) string {
	if target == 0 {
		return ""
	}
	return fmt.Sprint(target)
}
