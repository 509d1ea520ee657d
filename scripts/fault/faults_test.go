//go:build linux

package fault

import (
	"errors"
	"flag"
	"os"
	"testing"
	"time"
)

// theRun is what the flags set.
var theRun fault

// TestMain runs a part of this program if its name is the first argument, and the tests otherwise.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && parts[os.Args[1]] != nil {
		os.Exit(parts[os.Args[1]](os.Args[2:]))
	}
	f := &theRun
	flag.StringVar(&f.writerName, "writers", "", "of R6 to R9, only the writers with this `TEXT` in their names")
	flag.IntVar(&f.killCount, "kills", 200, "`TIMES` to kill an import, and each other writer")
	flag.IntVar(&f.recordCount, "records", 10_000, "`NUMBER` of records that eight processes append")
	flag.IntVar(&f.cutCount, "cuts", 25, "`TIMES` to cut the power")
	flag.IntVar(&f.stateCount, "states", 2000, "`NUMBER` of disks to build after simulated power cuts")
	flag.IntVar(&f.rounds, "rounds", 100, "`TIMES` to start four imports at once")
	flag.IntVar(&f.exportCount, "exports", 200, "`TIMES` to export beside imports")
	flag.DurationVar(&f.crowdTime, "crowd", 4*time.Minute, "`TIME` for which eight processes import")
	flag.IntVar(&f.layoutCount, "layouts", 40, "`NUMBER` of hostile folders to read")
	flag.IntVar(&f.sample, "sample", 24, "number of `CALLS` of each kind that fail")
	flag.Uint64Var(&f.seed, "seed", uint64(time.Now().UnixNano()), "`SEED` of the random numbers")
	os.Exit(m.Run())
}

// parts are the tasks that this program runs in another process, which it can then interrupt.
var parts = map[string]func(args []string) int{"import": importPart, "hold": holdPart, "content": contentPart,
	"append": appendPart}

// A check tests one promise. Its function gets an empty folder, and returns a summary of what it did.
type check struct {
	name, title string
	run         func(f *fault, folder string) (string, error)
}

var checks = []check{
	{"R1", "random kills", (*fault).kills},
	{"R3", "power cuts", (*fault).powerCuts},
	{"R6", "cuts of imports", func(f *fault, _ string) (string, error) { return f.powerStates("R6") }},
	{"R7", "cuts of writers", func(f *fault, _ string) (string, error) { return f.powerStates("R7") }},
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

func TestFaults(t *testing.T) {
	if os.Getenv("CLAWCTL_FAULT") == "" {
		t.Skip("it takes up to 40 minutes; make fault sets CLAWCTL_FAULT")
	}
	f := &theRun
	f.prepare(t)
	t.Logf("seed %d, in %s", f.seed, f.folder)
	ran := 0
	for _, c := range checks {
		t.Run(c.name+" "+c.title, func(t *testing.T) {
			ran++
			folder, err := f.newFolder(c.name)
			if err != nil {
				t.Fatal(err)
			}
			summary, err := c.run(f, folder)
			switch {
			case errors.As(err, new(skip)):
				t.Skip(err)
			case err != nil:
				t.Fatal(err)
			}
			t.Log(summary)
		})
	}
	if ran == 0 {
		t.Error("-run names no check")
	}
}
