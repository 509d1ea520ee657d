// Command bench compares clawctl with other programs and prints one table of figures, each next to its targets.
//
//	go run ./scripts/bench                               everything, with transcripts of 1 GB
//	go run ./scripts/bench -size 50000000 -only search   some figures, with less text
//	go run ./scripts/bench -grow 10000000000             also the figures of one large file
//	go run ./scripts/bench -markdown docs/benchmarks.md  also replace the rows of the page
//
// The file table.txt has the figures. To add one, add an entry there.
//
// A missed target is not an error: only ratios within one run are meaningful, and two runs can differ by 30%. Programs
// and transcripts that it builds or downloads stay in a cache folder outside the repository.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// A bench is one run of this program.
type bench struct {
	notes    io.Writer // progress
	table    *table
	root     string // the folder of the module
	cache    string
	work     string // a folder that is removed at the end
	size     int64
	grow     int64
	rounds   int
	canPin   bool                // taskset can pin a program to some cores
	corpora  map[string]string   // paths by name
	programs map[string]*program // found or built in this run
}

func run(args []string, stdout, stderr io.Writer) int {
	b := &bench{notes: stderr, corpora: map[string]string{}, programs: map[string]*program{}}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("only", "", "measure only the figures with these `NAMES` or beginnings, separated by commas")
	markdown := flags.String("markdown", "", "replace the measured rows in this `FILE`")
	flags.Int64Var(&b.size, "size", 1e9, "`BYTES` of the transcripts")
	flags.Int64Var(&b.grow, "grow", 0, "`BYTES` of the large file of the figures that need one (default none)")
	flags.IntVar(&b.rounds, "rounds", 5, "number of `RUNS` of every program")
	flags.StringVar(&b.cache, "cache", defaultCache(),
		"`FOLDER` for transcripts and programs; CLAWCTL_BENCH_DIR sets the default")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	chosen, err := b.choose(*only)
	if err == nil && (b.rounds < 1 || b.size < 1 || b.grow < 0 || flags.NArg() > 0) {
		err = errors.New("-rounds and -size must be positive, and there are no arguments")
	}
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 2
	}
	if err := b.report(chosen, stdout, *markdown); err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

// choose reads the table and returns the figures to measure.
func (b *bench) choose(only string) (chosen []*figure, err error) {
	if b.table, err = parseTable(tableText); err != nil {
		return nil, err
	}
	return b.table.choose(only)
}

func defaultCache() string {
	if dir := os.Getenv("CLAWCTL_BENCH_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(os.TempDir(), "clawctl-bench")
}

// report measures the figures, prints them, and updates the page if there is one.
func (b *bench) report(chosen []*figure, stdout io.Writer, page string) error {
	begin, load := time.Now(), loadAverage()
	results, err := b.measureAll(chosen)
	if err != nil {
		return err
	}
	conditions := fmt.Sprintf("Transcripts of %s, rounds: %d, load average before the run: %.1f,\n%s.",
		byteText(float64(b.size)), b.rounds, load, machine())
	fmt.Fprintf(stdout, "%s\n\n%s", conditions, figureTable(results).text())
	var failed error
	for _, r := range results {
		switch {
		case errors.As(r.err, new(*skipError)):
			fmt.Fprintf(stdout, "skipped %s: %v\n", r.figure.name, r.err)
		case r.err != nil:
			failed = errors.Join(failed, fmt.Errorf("%s: %w", r.figure.name, r.err))
		}
	}
	b.note("took %s", time.Since(begin).Round(time.Second))
	if page != "" {
		failed = errors.Join(failed, b.updatePage(page, conditions, results))
	}
	return failed
}

// measureAll measures the figures in their order. A figure that fails does not stop the others.
func (b *bench) measureAll(chosen []*figure) ([]*result, error) {
	if err := b.prepare(); err != nil {
		return nil, err
	}
	defer os.RemoveAll(b.work)
	var results []*result
	for i, f := range chosen {
		b.note("%d of %d: %s", i+1, len(chosen), f.name)
		r := b.measure(f)
		if r.err != nil {
			b.note("%s: %v", f.name, r.err)
		}
		results = append(results, r)
	}
	return results, nil
}

// note prints progress to stderr.
func (b *bench) note(format string, args ...any) {
	fmt.Fprintf(b.notes, "bench: "+format+"\n", args...)
}
