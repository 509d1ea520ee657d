package main

import "fmt"

// read compares the speed of reading: every line checked as JSON and five fields taken, on one core. All contestants look
// for a type that the corpus does not have, so that nobody's output is measured.
func (b *bench) read() error {
	list := b.readers()
	if _, err := b.time(list[0]); err != nil { // brings the corpus into memory
		return err
	}
	list, err := b.alternate(list)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "read: %.0f MB, every line checked and five fields taken, one core, medians of alternated runs\n", b.corpus.mb())
	b.printSpeeds(list)
	return nil
}

// printSpeeds prints how fast the contestants were, and how many times as fast the first of them was.
func (b *bench) printSpeeds(list []*contestant) {
	const row = "  %-28s %5v %9v %7v %14v %6v %6v\n"
	fmt.Fprintf(b.out, row, "who", "runs", "seconds", "MB/s", "clawctl to it", "must", "aim")
	own := median(list[0].times).Seconds()
	for _, c := range list {
		took := median(c.times).Seconds()
		speed, ratio := fmt.Sprintf("%.0f", b.corpus.mb()/took), fmt.Sprintf("%.2f", took/own)
		fmt.Fprintf(b.out, row, c.name, len(c.times), fmt.Sprintf("%.3f", took), speed, ratio, asked(c.must), asked(c.aim))
	}
}

// asked writes a target, and nothing where there is none.
func asked(target float64) string {
	if target == 0 {
		return ""
	}
	return fmt.Sprint(target)
}
