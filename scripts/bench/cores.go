package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// tokenSample is the size of the transcript whose tokens are counted. Counting is slower than reading.
const tokenSample = 100e6

// A command is a command of clawctl that reads one file.
type command struct {
	name     string
	args     []string
	file     corpus
	ofCat    [2]float64 // the required and the desired speed on one core, as a share of cat's; 0 for no target
	twoCores [2]float64 // the required and the desired speed on two cores, as a multiple of one core's
	ofDuckDB [2]float64 // the required and the desired speed on all cores, as a multiple of DuckDB's
	one, two *contestant
	all      *contestant
}

// commands returns what to measure on one, two and all cores.
func (b *bench) commands() ([]*command, error) {
	sample, err := b.samples(tokenSample)
	return []*command{
		{name: "cat --type leaf", args: []string{"cat", "--type", "leaf"}, file: b.corpus,
			ofCat: [2]float64{0.15, 0.19}, twoCores: [2]float64{1.5, 1.8}, ofDuckDB: [2]float64{2.5, 4}},
		{name: "validate", args: []string{"validate", "-q", "--summary"}, file: b.corpus,
			ofCat: [2]float64{0.075, 0.1}, twoCores: [2]float64{1.4, 1.8}},
		{name: "stats", args: []string{"stats", "-q"}, file: b.corpus,
			ofCat: [2]float64{0.1, 0.14}, twoCores: [2]float64{1.4, 1.8}, ofDuckDB: [2]float64{1.5, 2.5}},
		{name: "rebuild", args: []string{"rebuild", "-q"}, file: b.corpus, ofCat: [2]float64{0.065, 0.09}},
		{name: "tokens", args: []string{"tokens", "-q"}, file: sample[0], twoCores: [2]float64{1.4, 1.8}},
	}, err
}

// cores compares one file on one, two and all cores with cat, which copies bytes without looking at them, and with
// DuckDB on all threads. From the times it estimates what more cores bring.
func (b *bench) cores() error {
	list, err := b.commands()
	if err != nil {
		return err
	}
	cat, err := b.cat()
	if err != nil {
		return fmt.Errorf("nothing to compare with: %w (%w)", err, errors.ErrUnsupported)
	}
	runs := append(b.runsOf(list), cat)
	ducks := b.allThreadsDuckDB()
	runs = append(runs, ducks...)
	if _, err := b.time(list[0].one); err != nil { // loads the corpus into the page cache
		return err
	}
	if runs, err = b.alternate(runs); err != nil {
		return err
	}
	ducks = slices.DeleteFunc(ducks, func(c *contestant) bool { return !slices.Contains(runs, c) })
	b.reportCores(list, cat, ducks)
	return nil
}

// allThreadsDuckDB returns DuckDB's runs: the one for the figures, which extracts the fields of every record, and its
// quickest one. There are none if it cannot be installed.
func (b *bench) allThreadsDuckDB() (runs []*contestant) {
	for _, query := range []struct{ name, words string }{
		{"fields", "five fields of every record"}, {"leaf", "records of one type"}} {
		run, err := b.duckDB("0", query.name)
		if err != nil {
			b.note("skipping a rival: %v", err)
			return nil
		}
		run.name, run.cores = "DuckDB read_json, all threads, "+query.words, allCores
		runs = append(runs, run)
	}
	return runs
}

// runsOf returns the runs of the commands, and stores them in the commands.
func (b *bench) runsOf(list []*command) []*contestant {
	var runs []*contestant
	for _, c := range list {
		run := func(cores int, words string) *contestant {
			args := slices.Concat([]string{b.clawctl}, c.args, []string{c.file.path})
			run := &contestant{name: "clawctl " + c.name + ", " + words, args: args, cores: cores, findings: true}
			runs = append(runs, run)
			return run
		}
		c.one = run(1, "one core")
		if c.twoCores[0] > 0 && runtime.NumCPU() > 1 {
			c.two = run(2, "two cores")
		}
		if c.ofDuckDB[0] > 0 {
			c.all = run(allCores, "all cores")
		}
	}
	return runs
}

// reportCores prints the speeds and adds the figures, the plots and the estimate.
func (b *bench) reportCores(list []*command, cat *contestant, ducks []*contestant) {
	speeds := b.speedTable(list, cat, ducks)
	fmt.Fprintf(b.out, "cores: %.0f MB, tokens: %.0f MB, medians of alternating runs\n%s", b.corpus.mb(),
		list[len(list)-1].file.mb(), speeds.text())
	b.section.Tables = append(b.section.Tables, speeds)
	b.coreFigures(list, cat, ducks)
	b.plotAllCores(list, ducks)
	b.estimate(list)
}

// speedTable compares all runs with cat.
func (b *bench) speedTable(list []*command, cat *contestant, ducks []*contestant) table {
	t := table{Name: "speeds", Columns: []string{"program", "runs", "seconds", "MB/s", "of cat's speed"}}
	add := func(c *contestant, file corpus) {
		if c == nil {
			return
		}
		speed := file.mb() / c.seconds()
		t.Rows = append(t.Rows, []string{c.name, fmt.Sprint(len(c.times)), fmt.Sprintf("%.3f", c.seconds()),
			number(speed), fmt.Sprintf("%.3f", speed/(b.corpus.mb()/cat.seconds()))})
	}
	add(cat, b.corpus)
	for _, c := range list {
		add(c.one, c.file)
		add(c.two, c.file)
		add(c.all, c.file)
	}
	for _, duck := range ducks {
		add(duck, b.corpus)
	}
	return t
}

// coreFigures adds the figures in groups: one core, two cores, and DuckDB.
func (b *bench) coreFigures(list []*command, cat *contestant, ducks []*contestant) {
	for _, c := range list {
		if c.ofCat[0] > 0 {
			b.figure(c.name+", one core, of cat's speed", cat.seconds()/c.one.seconds(), c.ofCat[0], c.ofCat[1])
		}
	}
	for _, c := range list {
		if c.two != nil {
			b.figure(c.name+", two cores, times one core", c.one.seconds()/c.two.seconds(), c.twoCores[0], c.twoCores[1])
		}
	}
	for _, c := range list {
		if c.all != nil && len(ducks) > 0 {
			b.figure(c.name+", times DuckDB, both on all cores", ducks[0].seconds()/c.all.seconds(),
				c.ofDuckDB[0], c.ofDuckDB[1])
		}
	}
}

// plotAllCores adds the plot that compares with DuckDB.
func (b *bench) plotAllCores(list []*command, ducks []*contestant) {
	chart := barChart{File: "all-cores.svg", Title: "One transcript on all cores", Unit: "MB/s",
		Note: fmt.Sprintf("%.0f MB. All check every line and extract fields. stats also adds up.", b.corpus.mb())}
	for _, c := range list {
		if c.all != nil {
			chart.Bars = append(chart.Bars, bar{Name: "clawctl " + c.name, Value: c.file.mb() / c.all.seconds(), Own: true})
		}
	}
	for _, duck := range ducks {
		_, query, _ := strings.Cut(duck.name, "all threads, ")
		chart.Bars = append(chart.Bars, bar{Name: "DuckDB, " + query, Value: b.corpus.mb() / duck.seconds()})
	}
	b.section.Bars = append(b.section.Bars, chart)
}

// A scaling is how a program gains from a second core. Times are in seconds.
type scaling struct {
	one, two float64 // the time on one and on two cores
	busy     float64 // the time of both cores together
}

// serialShare returns the share of the time on one core that a second core does not shorten (Amdahl's law).
func (s scaling) serialShare() float64 { return min(1, max(0, 2*s.two/s.one-1)) }

// byTimes estimates how many times as fast the program is on n cores, from the times on one and on two cores.
func (s scaling) byTimes(n float64) float64 {
	serial := s.serialShare()
	return 1 / (serial + (1-serial)/n)
}

// byUse estimates the same from the use of two cores: as long as only one core is busy, others do not help. It counts
// the work that only exists because there are two cores.
func (s scaling) byUse(n float64) float64 {
	both := min(1, max(0, s.busy/s.two-1)) // the share of the time in which both cores are busy
	return s.one / (s.two*(1-both) + 2*s.two*both/n)
}

// estimates returns the lower and the higher estimate.
func (s scaling) estimates(n float64) (low, high float64) {
	return min(s.byTimes(n), s.byUse(n)), max(s.byTimes(n), s.byUse(n))
}

// estimate prints and plots what more cores would bring.
func (b *bench) estimate(list []*command) {
	t := table{Name: "estimate", Columns: []string{"command", "serial share", "two cores", "8 cores (estimate)",
		"16 cores (estimate)"}}
	chart := lineChart{File: "cores.svg", Title: "What more cores bring", X: axis{"cores", "count"},
		Y: axis{"speed, times one core", "count"}, Ideal: true,
		Note: "One and two cores are measured. 8 and 16 are the lower of two estimates by Amdahl's law."}
	for _, c := range list {
		if c.two == nil {
			continue
		}
		s := scaling{c.one.seconds(), c.two.seconds(), median(c.two.cpu).Seconds()}
		low8, high8 := s.estimates(8)
		low16, high16 := s.estimates(16)
		t.Rows = append(t.Rows, []string{c.name, fmt.Sprintf("%.0f%%", s.serialShare()*100),
			fmt.Sprintf("%.2f", s.one/s.two), fmt.Sprintf("%.1f to %.1f", low8, high8),
			fmt.Sprintf("%.1f to %.1f", low16, high16)})
		chart.Series = append(chart.Series, series{Name: strings.Fields(c.name)[0], Points: []point{
			{X: 1, Y: 1}, {X: 2, Y: s.one / s.two}, {X: 8, Y: low8, Estimated: true}, {X: 16, Y: low16, Estimated: true}}})
	}
	fmt.Fprintf(b.out, "cores: speed on more cores, as a multiple of one core; estimates by Amdahl's law\n%s", t.text())
	b.section.Tables = append(b.section.Tables, t)
	b.section.Lines = append(b.section.Lines, chart)
}
