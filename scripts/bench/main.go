// Command bench compares the speed and memory of clawctl with other programs, and prints each result next to its
// target.
//
//	go run ./scripts/bench                        everything, on a corpus of 1 GiB
//	go run ./scripts/bench -size 100000000 -only read
//
// It never fails because of a missed target: only ratios within one run are meaningful, and two runs can differ by 30%.
// Programs and data that it builds or downloads stay in a cache folder outside the repository.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	{"memory", (*bench).memory},
	{"start", (*bench).start},
	{"sessions", (*bench).sessions},
	{"validate", (*bench).validate},
	{"trees", (*bench).trees},
	{"tokens", (*bench).tokens},
	{"import", (*bench).imports},
}

// A bench is one run of this program.
type bench struct {
	out, notes io.Writer // the report, and the progress
	root       string    // of the module
	cache      string
	rounds     int
	pin        []string // the command that pins another to one core
	clawctl    string   // the program
	corpus     corpus
}

func run(args []string, stdout, stderr io.Writer) int {
	b := &bench{out: stdout, notes: stderr}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	size := flags.Int64("size", 1<<30, "`BYTES` of the corpus")
	only := flags.String("only", "", "run only these `SECTIONS`, separated by commas: "+strings.Join(names(sections), ","))
	flags.IntVar(&b.rounds, "rounds", 5, "number of `RUNS` of every program")
	flags.StringVar(&b.cache, "cache", defaultCache(),
		"`FOLDER` for the corpus and the programs; CLAWCTL_BENCH_DIR sets the default")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	chosen, err := choose(*only)
	if err != nil || b.rounds < 1 || *size < 1 {
		fmt.Fprintln(stderr, "bench: -rounds and -size must be positive, -only a list of", strings.Join(names(sections), ","))
		return 2
	}
	if err := b.runAll(chosen, *size); err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

// runAll runs the sections one after the other. It skips those that this system does not support, with a note.
func (b *bench) runAll(chosen []section, size int64) error {
	if err := b.prepare(size); err != nil {
		return err
	}
	for _, s := range chosen {
		err := s.run(b)
		if errors.Is(err, errors.ErrUnsupported) {
			b.note("skipping %s: %v", s.name, err)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintln(b.out)
	}
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
