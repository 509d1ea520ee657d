//go:build linux

// Command fault breaks imports in every way that a machine can, and makes sure that nothing is lost: it kills them, cuts
// the power, fills the disk, lets system calls fail, changes the source, and runs several at once.
//
//	go run ./scripts/fault                      every figure, within 15 minutes
//	go run ./scripts/fault -only R1 -kills 1000
//
// An uninterrupted import of the same corpus is the reference: what is resumed after a fault must have the same content,
// pass SQLite's integrity check, and be verified by clawctl. Each figure is one line; it exits 1 if one is missed. What
// the machine cannot do, such as mounting without root, is skipped with words.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

func main() {
	if len(os.Args) > 1 && parts[os.Args[1]] != nil {
		os.Exit(parts[os.Args[1]](os.Args[2:]))
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// parts are what this program does as a process of its own, under a fault.
var parts = map[string]func(args []string) int{"import": importPart, "hold": holdPart, "content": contentPart}

// A figure is one promise and the way to prove it. What it returns are the numbers.
type figure struct {
	name, title string
	prove       func(*fault) (string, error)
}

var figures = []figure{
	{"R1", "kill -9", (*fault).kills},
	{"R2", "kill at writes", (*fault).killsAtWrites},
	{"R3", "power cuts", (*fault).powerCuts},
	{"R4", "disk full", (*fault).diskFull},
	{"R5", "failing calls", (*fault).failures},
	{"F5", "source changes", (*fault).changes},
	{"F6", "source untouched", (*fault).untouched},
	{"C1", "locked target", (*fault).locked},
	{"C2", "four importers", (*fault).together},
}

// A skip says why this machine cannot prove a figure.
type skip string

func (s skip) Error() string { return string(s) }

func run(args []string, stdout, stderr io.Writer) int {
	f := &fault{notes: stderr}
	flags := flag.NewFlagSet("fault", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("only", "", "prove only these `FIGURES`, separated by commas")
	flags.IntVar(&f.killCount, "kills", 200, "`TIMES` to kill an import")
	flags.IntVar(&f.cutCount, "cuts", 25, "`TIMES` to cut the power")
	flags.IntVar(&f.rounds, "rounds", 100, "`TIMES` to start four importers at once")
	flags.IntVar(&f.sample, "sample", 24, "`CALLS` of each kind to fail")
	flags.Uint64Var(&f.seed, "seed", uint64(time.Now().UnixNano()), "`SEED` of everything random")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	chosen := strings.Split(*only, ",")
	known := func(name string) bool {
		return slices.ContainsFunc(figures, func(g figure) bool { return g.name == name })
	}
	if *only != "" && !slices.ContainsFunc(chosen, known) {
		fmt.Fprintln(stderr, "fault: -only names no figure")
		return 2
	}
	return f.proveAll(stdout, func(name string) bool { return *only == "" || slices.Contains(chosen, name) })
}

// proveAll proves the wanted figures, one after the other.
func (f *fault) proveAll(out io.Writer, wanted func(name string) bool) (code int) {
	defer f.cleanUp()
	if err := f.prepare(); err != nil {
		fmt.Fprintln(out, "fault:", err)
		return 1
	}
	fmt.Fprintf(f.notes, "fault: seed %d, in %s\n", f.seed, f.folder)
	for _, g := range figures {
		if !wanted(g.name) {
			continue
		}
		begun := time.Now()
		numbers, err := g.prove(f)
		var skipped skip
		switch {
		case errors.As(err, &skipped):
			numbers = "skipped: " + skipped.Error()
		case err != nil:
			code = 1
			numbers = "FAILED: " + err.Error()
		}
		fmt.Fprintf(out, "%s  %-17s %s (%.0f s)\n", g.name, g.title, numbers, time.Since(begun).Seconds())
	}
	return code
}
