package main

import (
	"cmp"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// inside is held while a command runs in the test process with an environment and a working folder of its own. A
// process has one of each, so such commands run one after the other.
var inside sync.Mutex

// runInside runs clawctl in the test process as if it was started in a folder with these variables and no others. It is
// ten milliseconds cheaper than a process, and most tests run only a few milliseconds of clawctl. Signals, limits and
// kills need a process.
func runInside(folder string, env, args []string, stdin io.Reader, stdout, stderr io.Writer) (status int, err error) {
	inside.Lock()
	defer inside.Unlock()
	before, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	if err := os.Chdir(cmp.Or(folder, ".")); err != nil {
		return 0, err
	}
	variables := os.Environ()
	replaceEnvironment(append([]string{"TZ=UTC"}, env...)) // the zone of the machine must not matter
	status = runWith(append([]string{"clawctl"}, args...), testSetup(stdin, stdout, stderr))
	replaceEnvironment(variables)
	return status, os.Chdir(before)
}

// inUTC makes UTC the local time of commands that run in the test process.
func inUTC(t *testing.T) {
	t.Helper()
	local := time.Local
	time.Local = time.UTC
	t.Cleanup(func() { time.Local = local })
}

// replaceEnvironment makes a list of settings the whole environment.
func replaceEnvironment(list []string) {
	os.Clearenv()
	for _, setting := range list {
		if name, value, _ := strings.Cut(setting, "="); name != "" {
			os.Setenv(name, value)
		}
	}
}

// scriptVariables are what clawctl, and the programs that it starts, read from the environment of a script.
var scriptVariables = append([]string{"WORK", "PATH", "HOME", "SHELL", "USERPROFILE", "TMPDIR", "TMP", "T", "H", "S",
	"GORACE", "KEEP", "SUMMARIZER", "TIMEOUT", "WINDOW", testClock, testProgress, testPoll}, envVariables...)

// runCommand is the command run of scripts. `run clawctl ARGUMENT...` is `exec clawctl ARGUMENT...` without a process
// of its own. Its stdin is empty. The hints that it prints are pasted.
func (p *pasting) runCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || args[0] != "clawctl" {
		ts.Fatalf("usage: run clawctl [argument...]")
	}
	var env []string
	for _, name := range scriptVariables {
		if value := ts.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	var stderr strings.Builder
	status, err := runInside(ts.MkAbs("."), env, args[1:], strings.NewReader(""), ts.Stdout(),
		io.MultiWriter(ts.Stderr(), &stderr))
	ts.Check(err)
	p.try(ts, env, stderr.String())
	if (status == 0) == neg {
		ts.Fatalf("unexpected exit status %d", status)
	}
}
