package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/longtest"
	"clawctl/internal/ui"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the collector run less often, in the tests and in the programs they start: both have little to keep.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	testscript.Main(halves{m}, map[string]func(){"clawctl": testMain, "sqlite3": sqlite3Main})
}

// Environment variables that the tests set for clawctl.
const (
	testClock    = "CLAWCTL_TEST_CLOCK"    // the current time
	testProgress = "CLAWCTL_TEST_PROGRESS" // when progress appears
	testPoll     = "CLAWCTL_TEST_POLL"     // how often followed sessions are looked at
	testPeak     = "CLAWCTL_TEST_PEAK"     // the file that gets the most memory that the run needed
)

// testMain is main with a setup that a test may change.
func testMain() {
	exit := runWith(os.Args, testSetup(os.Stdin, os.Stdout, os.Stderr))
	if file := os.Getenv(testPeak); file != "" {
		status, _ := os.ReadFile("/proc/self/status")
		if err := os.WriteFile(file, status, 0o600); err != nil {
			panic(err)
		}
	}
	os.Exit(exit)
}

// testSetup is the setup of a run, with a clock and a progress delay that the environment may set.
func testSetup(stdin io.Reader, stdout, stderr io.Writer) cli.Setup {
	stdout, stderr = likeUnix(stdout, stderr)
	s := cli.Setup{Stdin: stdin, Stdout: stdout, Stderr: stderr, Now: time.Now, Timing: ui.DefaultTiming(time.Now)}
	if at, err := time.Parse(time.RFC3339, os.Getenv(testClock)); err == nil {
		s.Now = func() time.Time { return at }
	}
	if delay, err := time.ParseDuration(os.Getenv(testProgress)); err == nil {
		s.Timing = ui.Timing{Delay: delay, Every: delay, Now: time.Now}
	}
	if every, err := time.ParseDuration(os.Getenv(testPoll)); err == nil {
		s.Poll = every
	}
	return s
}

// isScriptCondition knows the conditions of scripts: long is set in make long, for scripts with large inputs.
func isScriptCondition(condition string) (bool, error) {
	if condition == "long" {
		return longtest.IsLong(), nil
	}
	return false, fmt.Errorf("unknown condition %s", condition)
}

// TestScripts runs every script in testdata/script. UPDATE_SCRIPTS=1 rewrites their expected output.
func TestScripts(t *testing.T) {
	inUTC(t)
	testdata, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	// Scripts start while others run with an environment of their own (runInside), so they get these variables from here.
	outer := map[string]string{}
	for _, name := range []string{"PATH", "GORACE", "GOCOVERDIR"} {
		outer[name] = os.Getenv(name)
	}
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join(testdata, "script"),
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"run": newPasting(t).runCommand},
		Condition:     isScriptCondition,
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("WORK", scriptPath(env.WorkDir))
			env.Setenv("T", scriptPath(filepath.Join(testdata, "transcripts")))
			env.Setenv("H", scriptPath(filepath.Join(testdata, "home")))
			env.Setenv("S", scriptPath(filepath.Join(testdata, "..", "scripts")))
			env.Setenv("TZ", "UTC")
			env.Setenv("SHELL", "/bin/sh")                                   // hints are for this shell, on every system
			env.Setenv("XDG_DATA_HOME", filepath.Join(env.WorkDir, ".data")) // receipts are kept there
			for name, value := range outer {
				env.Setenv(name, value)
			}
			return nil
		},
	})
}
