// Command bench compares the speed and memory of clawctl with other programs, and prints each result next to its
// target.
//
//	go run ./scripts/bench                        everything, on a corpus of 1 GiB
//	go run ./scripts/bench -size 100000000 -only read
//	go run ./scripts/bench -plots docs/benchmarks  and save the results, draw plots and update the page
//	go run ./scripts/bench -redraw                 draw the plots again from the saved results
//
// The report ends with a table of figures. Any section adds rows to it with figure and limit.
//
// It never fails because of a missed target: only ratios within one run are meaningful, and two runs can differ by 30%.
// Programs and data that it builds or downloads stay in a cache folder outside the repository.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// A section is one table of the report.
type section struct {
	name string
	run  func(*bench) error
}

// sections run in this order. To add one, write a file with a method and add a line here.
var sections = []section{
	{"read", (*bench).read},
	{"cores", (*bench).cores},
	{"memory", (*bench).memory},
	{"start", (*bench).start},
	{"growth", (*bench).growth},
	{"show", (*bench).show},
	{"sessions", (*bench).sessions},
	{"validate", (*bench).validate},
	{"census", (*bench).census},
	{"dialects", (*bench).dialects},
	{"trees", (*bench).trees},
	{"redact", (*bench).redact},
	{"tokens", (*bench).tokens},
	{"import", (*bench).imports},
	{"few", (*bench).importFew},
	{"search", (*bench).search},
	{"append", (*bench).appends},
	{"doctor", (*bench).doctor},
	{"parquet", (*bench).parquet},
	{"bundle", (*bench).bundle},
}

// A bench is one run of this program.
type bench struct {
	out, notes io.Writer // the report, and the progress
	root       string    // of the module
	cache      string
	rounds     int
	grow       int64  // the largest file of the growth section
	plots      string // the folder for results and plots, "" for none
	canPin     bool   // taskset can pin a program to some cores
	clawctl    string // the program
	corpus     corpus
	load       float64 // the load average before the run
	results    results
	section    *outcome // of the section that is running
}

func run(args []string, stdout, stderr io.Writer) int {
	b := &bench{out: stdout, notes: stderr}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	size := flags.Int64("size", 1<<30, "`BYTES` of the corpus")
	only := flags.String("only", "", "run only these `SECTIONS`, separated by commas: "+strings.Join(names(sections), ","))
	again := flags.Bool("redraw", false, "draw the plots again from the saved results, without measuring")
	b.addFlags(flags)
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	chosen, err := choose(*only)
	if err != nil || b.rounds < 1 || *size < 1 || b.grow < smallestGrowth {
		fmt.Fprintf(stderr, "bench: -rounds and -size must be positive, -grow at least %d, -only a list of %s\n",
			smallestGrowth, strings.Join(names(sections), ","))
		return 2
	}
	if *again {
		err = redraw(cmp.Or(b.plots, defaultPlots))
	} else {
		err = b.runAll(chosen, *size)
	}
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

const defaultPlots = "docs/benchmarks"

func (b *bench) addFlags(flags *flag.FlagSet) {
	flags.IntVar(&b.rounds, "rounds", 5, "number of `RUNS` of every program")
	flags.StringVar(&b.cache, "cache", defaultCache(),
		"`FOLDER` for the corpus and the programs; CLAWCTL_BENCH_DIR sets the default")
	flags.Int64Var(&b.grow, "grow", 1e9, "`BYTES` of the largest file of the section growth, for example 10000000000")
	flags.StringVar(&b.plots, "plots", "",
		"save the results and plots in this `FOLDER`, and update the tables in FOLDER.md; -redraw uses "+defaultPlots)
}

// runAll runs the sections one after the other, then prints the table of figures. If a section fails, the others still
// run.
func (b *bench) runAll(chosen []section, size int64) error {
	b.load = loadAverage()
	if err := b.prepare(size); err != nil {
		return err
	}
	b.results = results{Machine: machine(), Sections: map[string]*outcome{}}
	var failed error
	for _, s := range chosen {
		if err := errors.Join(b.runSection(s), b.saveAndDraw()); err != nil {
			b.note("%s failed: %v", s.name, err)
			failed = errors.Join(failed, fmt.Errorf("%s: %w", s.name, err))
		}
	}
	b.printFigures()
	return failed
}

// saveAndDraw saves the results so far and draws their plots, if there is a folder for them. An interrupted run then
// keeps what it has measured.
func (b *bench) saveAndDraw() error {
	if b.plots == "" || len(b.results.Sections) == 0 {
		return nil
	}
	if err := b.results.save(b.plots); err != nil {
		return err
	}
	return redraw(b.plots)
}

// runSection runs one section. It skips one that this system does not support, with a note.
func (b *bench) runSection(s section) error {
	begun := time.Now()
	b.section = &outcome{CorpusMB: math.Round(b.corpus.mb()), Rounds: b.rounds, Load: b.load}
	err := s.run(b)
	if errors.Is(err, errors.ErrUnsupported) {
		b.note("skipping %s: %v", s.name, err)
		return nil
	}
	if err != nil {
		return err
	}
	b.results.Sections[s.name] = b.section
	b.note("%s took %s", s.name, time.Since(begun).Round(time.Second))
	fmt.Fprintln(b.out)
	return nil
}

func defaultCache() string {
	if dir := os.Getenv("CLAWCTL_BENCH_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(os.TempDir(), "clawctl-bench")
}

// choose returns the sections in a list such as "read,start", or all sections if the list is empty.
func choose(only string) ([]section, error) {
	if only == "" {
		return sections, nil
	}
	var chosen []section
	for name := range strings.SplitSeq(only, ",") {
		i := slices.Index(names(sections), name)
		if i < 0 {
			return nil, fmt.Errorf("no section %q", name)
		}
		chosen = append(chosen, sections[i])
	}
	return chosen, nil
}

func names(list []section) []string {
	var all []string
	for _, s := range list {
		all = append(all, s.name)
	}
	return all
}

// note prints progress to stderr.
func (b *bench) note(format string, args ...any) {
	fmt.Fprintf(b.notes, "bench: "+format+"\n", args...)
}
