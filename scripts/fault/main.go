//go:build linux

// Command fault interrupts imports, repairs, prunes and other writers in every way that a machine can, and checks that
// nothing is lost.
//
//	go run ./scripts/fault                      every check, within 20 minutes
//	go run ./scripts/fault -only R1 -kills 1000
//
// The checks, by their names for -only:
//
//	R1  kills an import at random moments
//	R3  cuts the power of the disk
//	R6  builds disks that a power cut may leave during an import or export, with any part of what was not synced
//	R7  does the same for the other writers: repair, undo, prune, append, delete, restore, new, slim -o, redact -o,
//	    redact --in-place, and prune --archive
//	R8  kills imports, exports and the other writers at each of their calls that change the disk
//	R9  makes system calls of all these fail
//	R4  fills the disk
//	F5  replaces or truncates a session while an import reads it
//	F6  checks that an import never writes to its source
//	F7  checks that nothing outside of hostile folders is read by mcp, show, search and export
//	C1  imports into a store that another process has locked
//	C2  runs four imports into one store at once
//	C3  exports a store while four processes import into it
//	C4  runs eight imports of files that are rewritten meanwhile
//	C7  runs eight processes that append to one session, and to eight
//	C9  runs four processes that repair, prune and undo the same files, beside programs that append to them
//
// An uninterrupted import of the same corpus is the reference. An import that is resumed after a fault must have the
// same content, pass SQLite's integrity check, and pass clawctl verify. Each check prints one line. The command exits 1
// if a check fails, and skips checks that need what the machine lacks, such as root or strace.
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

// parts are the tasks that this program runs in another process, which it can then interrupt.
var parts = map[string]func(args []string) int{"import": importPart, "hold": holdPart, "content": contentPart,
	"append": appendPart}

// A check tests one promise. Its function returns a summary of what it did.
type check struct {
	name, title string
	run         func(*fault) (string, error)
}

var checks = []check{
	{"R1", "random kills", (*fault).kills},
	{"R3", "power cuts", (*fault).powerCuts},
	{"R6", "cuts of imports", func(f *fault) (string, error) { return f.powerStates("R6") }},
	{"R7", "cuts of writers", func(f *fault) (string, error) { return f.powerStates("R7") }},
	{"R8", "kills of writers", (*fault).writerKills},
	{"R9", "failing writers", (*fault).writerFailures},
	{"R4", "full disk", (*fault).diskFull},
	{"F5", "source changes", (*fault).changes},
	{"F6", "read-only source", (*fault).untouched},
	{"F7", "reads outside", (*fault).outside},
	{"C1", "locked store", (*fault).locked},
	{"C2", "four imports", (*fault).together},
	{"C3", "exports beside", (*fault).exportsBeside},
	{"C4", "eight imports", (*fault).crowded},
	{"C7", "eight appenders", (*fault).crowdedAppends},
	{"C9", "writers at once", (*fault).writersAtOnce},
}

// A skip is the reason why this machine cannot run a check.
type skip string

func (s skip) Error() string { return string(s) }

func run(args []string, stdout, stderr io.Writer) int {
	f := &fault{notes: stderr}
	flags := flag.NewFlagSet("fault", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("only", "", "run only these `CHECKS`, separated by commas, such as R1,C2")
	flags.StringVar(&f.writerName, "writers", "", "of R6 to R9, only the writers with this `TEXT` in their names")
	flags.IntVar(&f.killCount, "kills", 200, "`TIMES` to kill an import, and each other writer")
	flags.IntVar(&f.recordCount, "records", 10_000, "`NUMBER` of records that eight processes append")
	flags.IntVar(&f.cutCount, "cuts", 25, "`TIMES` to cut the power")
	flags.IntVar(&f.stateCount, "states", 2000, "`NUMBER` of disks to build after simulated power cuts")
	flags.IntVar(&f.rounds, "rounds", 100, "`TIMES` to start four imports at once")
	flags.IntVar(&f.exportCount, "exports", 200, "`TIMES` to export beside imports")
	flags.DurationVar(&f.crowdTime, "crowd", 4*time.Minute, "`TIME` for which eight processes import")
	flags.IntVar(&f.layoutCount, "layouts", 40, "`NUMBER` of hostile folders to read")
	flags.IntVar(&f.sample, "sample", 24, "number of `CALLS` of each kind that fail")
	flags.Uint64Var(&f.seed, "seed", uint64(time.Now().UnixNano()), "`SEED` of the random numbers")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	chosen := strings.Split(*only, ",")
	known := func(name string) bool {
		return slices.ContainsFunc(checks, func(c check) bool { return c.name == name })
	}
	if *only != "" && !slices.ContainsFunc(chosen, known) {
		fmt.Fprintln(stderr, "fault: -only must name a check")
		return 2
	}
	return f.runAll(stdout, func(name string) bool { return *only == "" || slices.Contains(chosen, name) })
}

// runAll runs the wanted checks one after the other.
func (f *fault) runAll(out io.Writer, wanted func(name string) bool) int {
	var code int
	defer f.cleanUp()
	if err := f.prepare(); err != nil {
		fmt.Fprintln(out, "fault:", err)
		return 1
	}
	fmt.Fprintf(f.notes, "fault: seed %d, in %s\n", f.seed, f.folder)
	for _, c := range checks {
		if !wanted(c.name) {
			continue
		}
		begun := time.Now()
		summary, err := c.run(f)
		var skipped skip
		switch {
		case errors.As(err, &skipped):
			summary = "skipped: " + skipped.Error()
		case err != nil:
			code = 1
			summary = "FAILED: " + err.Error()
		}
		fmt.Fprintf(out, "%s  %-17s %s (%.0f s)\n", c.name, c.title, summary, time.Since(begun).Seconds())
	}
	return code
}
