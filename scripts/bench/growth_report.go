package main

import "fmt"

// reportGrowth prints a table with a row for each command and size, and one with the verdicts.
func (b *bench) reportGrowth(list []*growing) {
	points := table{Name: "growth", Columns: []string{"command", "file", "entries", "seconds", "ns/byte", "peak memory"}}
	verdicts := table{Name: "growth verdicts", Columns: []string{"command", "time is linear", "memory is bounded",
		"memory per entry"}}
	for _, g := range list {
		for _, p := range g.points {
			points.Rows = append(points.Rows, []string{g.name, byteText(float64(p.size)), fmt.Sprint(p.entries),
				fmt.Sprintf("%.3f", p.seconds), fmt.Sprintf("%.2f", g.perByte(p)), byteText(float64(p.peak))})
		}
		verdicts.Rows = append(verdicts.Rows, g.verdictRow())
	}
	fmt.Fprintf(b.out, "growth: all cores; ns/byte without the start of the process\n%s%s"+
		"  (linear: no size takes %.2f times the ns/byte of a smaller one; bounded: the same for the memory of the last\n"+
		"  two sizes, and for validate at most %d bytes per entry)\n",
		points.text(), verdicts.text(), growthSlack, bytesPerEntry)
	b.section.Tables = append(b.section.Tables, points, verdicts)
	b.plotGrowth(list)
}

func (g *growing) verdictRow() []string {
	perEntry := ""
	if g.perEntry {
		perEntry = fmt.Sprintf("%d bytes", g.entryBytes())
	}
	return []string{g.name, g.linear(), g.flat(), perEntry}
}

// plotGrowth adds the plots of time and memory.
func (b *bench) plotGrowth(list []*growing) {
	times := lineChart{File: "growth-time.svg", Title: "Time by size of the transcript",
		X: axis{"size of the transcript", "bytes"}, Y: axis{"time", "seconds"},
		Note: "All cores. Both axes are logarithmic: a straight diagonal is linear growth."}
	memory := lineChart{File: "growth-memory.svg", Title: "Peak memory by size of the transcript", X: times.X,
		Y:    axis{"peak memory", "bytes"},
		Note: "All cores. Both axes are logarithmic. validate keeps an index of the entries."}
	for _, g := range list {
		var seconds, peaks []point
		for _, p := range g.points {
			seconds = append(seconds, point{X: float64(p.size), Y: p.seconds})
			peaks = append(peaks, point{X: float64(p.size), Y: float64(p.peak)})
		}
		times.Series = append(times.Series, series{g.name, seconds})
		if peaks[0].Y > 0 {
			memory.Series = append(memory.Series, series{g.name, peaks})
		}
	}
	b.section.Lines = append(b.section.Lines, times)
	if len(memory.Series) > 0 {
		b.section.Lines = append(b.section.Lines, memory)
	}
}
