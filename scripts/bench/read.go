package main

import "fmt"

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
	b.printSpeeds(list)
	return nil
}

// printSpeeds prints the speed of the contestants, and how many times as fast clawctl is.
func (b *bench) printSpeeds(list []*contestant) {
	const row = "  %-28s %5v %9v %7v %14v %9v %6v\n"
	fmt.Fprintf(b.out, row, "program", "runs", "seconds", "MB/s", "clawctl's lead", "required", "goal")
	own := median(list[0].times).Seconds()
	for _, c := range list {
		took := median(c.times).Seconds()
		speed, ratio := fmt.Sprintf("%.0f", b.corpus.mb()/took), fmt.Sprintf("%.2f", took/own)
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
