// Command bench measures clawctl beside the programs it has to beat, and prints what it found next to what was asked for.
//
//	go run ./scripts/bench                        everything, on a corpus of 1 GiB
//	go run ./scripts/bench -size 100000000 -only read
//
// It judges nothing and never fails for slowness: only ratios inside one run mean something, and one run can differ from
// the next by 30 %. What it builds and downloads stays in a cache folder outside the repository.
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

// sections are run in this order; a new one is a file with a method and a line here.
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
	out, notes io.Writer // the report; what is happening meanwhile
	root       string    // of the module
	cache      string
	rounds     int
	pin        []string // the command that keeps another on one core
	clawctl    string   // the program
	corpus     corpus
}

func run(args []string, stdout, stderr io.Writer) int {
	b := &bench{out: stdout, notes: stderr}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	size := flags.Int64("size", 1<<30, "`BYTES` of the corpus")
	only := flags.String("only", "", "run only these `SECTIONS`, separated by commas: "+strings.Join(names(sections), ","))
	flags.IntVar(&b.rounds, "rounds", 5, "`TIMES` that every contestant reads the corpus")
	flags.StringVar(&b.cache, "cache", defaultCache(), "`FOLDER` for the corpus and the programs; CLAWCTL_BENCH_DIR sets the default")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	chosen, err := choose(*only)
	if err != nil || b.rounds < 1 || *size < 1 {
		fmt.Fprintln(stderr, "bench: -rounds and -size must be positive, -only names of", strings.Join(names(sections), ","))
		return 2
	}
	if err := b.runAll(chosen, *size); err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

// runAll runs the sections one after the other. What this system cannot measure is left out with a sentence.
func (b *bench) runAll(chosen []section, size int64) error {
	if err := b.prepare(size); err != nil {
		return err
	}
	for _, s := range chosen {
		err := s.run(b)
		if errors.Is(err, errors.ErrUnsupported) {
			b.note("without %s: %v", s.name, err)
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

// choose returns the sections of a list like "read,start", and all of them for an empty one.
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

// note says on stderr what the run is busy with.
func (b *bench) note(format string, args ...any) {
	fmt.Fprintf(b.notes, "bench: "+format+"\n", args...)
}
