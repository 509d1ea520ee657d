package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// secondHalf are the tests that a run of all tests gives to a second process. Most tests set the working folder and the
// environment of their process, so that they cannot run side by side in one.
const secondHalf = "^Test[S-Z]"

// testHalf marks the second process.
const testHalf = "CLAWCTL_TEST_HALF"

// halves runs all tests in two processes at a time.
type halves struct{ *testing.M }

// Run runs the tests, and returns the exit status. No test uses the store or the settings of whoever runs them.
func (h halves) Run() int {
	flag.Parse()
	for _, name := range []string{"CLAWCTL_DB", "CLAWCTL_CONFIG"} {
		os.Unsetenv(name)
	}
	if !runsAllTests() {
		return h.M.Run()
	}
	var output bytes.Buffer
	second := exec.Command(os.Args[0], slices.DeleteFunc(slices.Clone(os.Args[1:]), func(arg string) bool {
		return strings.HasPrefix(arg, "-test.testlogfile=") // the log of the first half
	})...)
	second.Args = append(second.Args, "-test.run="+secondHalf)
	second.Env = append(os.Environ(), testHalf+"=2")
	second.Stdout, second.Stderr = &output, &output
	if err := second.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	noteInputs()
	check(flag.Set("test.skip", secondHalf))
	exit := h.M.Run()
	err := second.Wait()
	if err != nil || testing.Verbose() {
		os.Stdout.Write(output.Bytes())
	}
	if err != nil {
		fmt.Println("the second half of the tests:", err)
		return 1
	}
	return exit
}

// runsAllTests reports whether this run is neither a part of the tests nor measured.
func runsAllTests() bool {
	for _, name := range []string{"run", "skip", "list", "bench", "fuzz", "coverprofile", "cpuprofile", "memprofile",
		"blockprofile", "mutexprofile", "trace"} {
		if f := flag.Lookup("test." + name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	return os.Getenv(testHalf) == ""
}

// noteInputs looks at the files that the second process reads. The go tool keeps the result of this process until a
// file that it looked at changes.
func noteInputs() {
	check(filepath.WalkDir("../../testdata", func(path string, _ fs.DirEntry, err error) error {
		check(err)
		_, err = os.Stat(path)
		return err
	}))
}

// check ends the run because of an error outside the tests.
func check(err error) {
	if err != nil {
		panic(err)
	}
}
