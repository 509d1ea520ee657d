package main

import (
	"cmp"
	"fmt"
	"slices"
)

// read compares the speed of reading on one core: check every line as JSON and extract five fields. All contestants
// look for a type that the corpus does not have, so that the time for output is not measured.
func (b *bench) read() error {
	list := b.readers()
	if _, err := b.time(list[0]); err != nil { // loads the corpus into the page cache
		return err
	}
	list, err := b.alternate(list)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "read: %.0f MB, check every line and extract five fields, one core, medians of alternating runs\n",
		b.corpus.mb())
	b.printSpeeds(list, b.corpus)
	b.section.Bars = append(b.section.Bars, barChart{File: "read.svg", Title: "Reading on one core", Unit: "MB/s",
		Note: fmt.Sprintf("%.0f MB, every line checked, five fields extracted. Longer is faster.", b.corpus.mb()),
		Bars: speedBars(list, b.corpus, "")})
	return nil
}

// speedBars returns the speeds for a plot, the highest first, without cat, which is not a rival.
func speedBars(list []*contestant, file corpus, group string) []bar {
	var bars []bar
	for i, c := range list {
		if c.name != catName {
			bars = append(bars, bar{Group: group, Name: c.name, Value: file.mb() / c.seconds(), Own: i == 0})
		}
	}
	slices.SortStableFunc(bars, func(a, b bar) int { return cmp.Compare(b.Value, a.Value) })
	return bars
}

// printSpeeds prints the speed of the contestants for a file, and how many times as fast clawctl is.
func (b *bench) printSpeeds(list []*contestant, file corpus) {
	const row = "  %-28s %5v %9v %7v %14v %9v %6v\n"
	fmt.Fprintf(b.out, row, "program", "runs", "seconds", "MB/s", "clawctl's lead", "required", "goal")
	own := list[0].seconds()
	for _, c := range list {
		took := c.seconds()
		speed, ratio := number(file.mb()/took), fmt.Sprintf("%.2f", took/own)
		fmt.Fprintf(b.out, row, c.name, len(c.times), fmt.Sprintf("%.3f", took), speed, ratio,
			targetText(c.must), targetText(c.aim))
	}
}

// targetText returns a target, or "" if there is none.
func targetText(target float64) string {
	if target == 0 {
		return ""
	}
	return fmt.Sprint(target)
}
