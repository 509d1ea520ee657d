//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The system calls that fail, and the errors that they return. An import may make no call of a kind.
var (
	failingCalls = []string{
		"openat", "pwrite64", "pread64", "read", "fsync", "fdatasync", "ftruncate", "unlink", "rename,renameat,renameat2",
	}
	failingWith = []string{"ENOSPC", "EIO", "EMFILE"}
)

// failures makes the n-th system call of a kind fail, for n from the first call to the last. An import that reports
// success must be complete, and one that fails must be completed by the next import.
func (f *fault) failures() (string, error) {
	if err := canTrace(); err != nil {
		return "", err
	}
	folder, err := f.newFolder("failures")
	if err != nil {
		return "", err
	}
	runs, successes := 0, 0
	for _, call := range failingCalls {
		db := filepath.Join(folder, "count.db")
		calls, err := f.count(call, f.clawctl, "import", f.small.path, "--to", db)
		if err != nil {
			return "", err
		}
		os.Remove(db)
		for _, with := range failingWith {
			for i := range min(calls, f.sample) {
				n := 1 + i*calls/min(calls, f.sample)
				succeeded, err := f.fail(filepath.Join(folder, "store.db"), call, with, n)
				if err != nil {
					return "", fmt.Errorf("%s %d %s: %w", call, n, with, err)
				}
				if runs++; succeeded {
					successes++
				}
			}
		}
	}
	return fmt.Sprintf("%d failures: %d imports succeeded and are verified, %d failed and were completed later, "+
		"0 false successes", runs, successes, runs-successes), nil
}

// fail runs an import in which the n-th call of a thread fails. If the import reports success, it must be complete.
func (f *fault) fail(db, call, with string, n int) (succeeded bool, err error) {
	defer os.Remove(db)
	inject := fmt.Sprintf("inject=%s:error=%s:when=%d", call, with, n)
	ended := execute("strace", "-f", "-o", "/dev/null", "-e", "trace="+call, "-e", inject,
		f.clawctl, "import", f.small.path, "--to", db)
	switch {
	case ended.code == 0:
		return true, f.isComplete(db, f.small)
	case ended.code < 0 || strings.Contains(ended.stderr, "internal error"):
		return false, fmt.Errorf("%v", ended)
	}
	if err := f.complete(db, f.small); err != nil {
		return false, fmt.Errorf("%w, after %v", err, ended)
	}
	return false, nil
}

// canTrace returns why system calls cannot be made to fail on this machine, or nil.
func canTrace() error {
	if err := hasProgram("strace"); err != nil {
		return err
	}
	if ended := execute("strace", "-o", "/dev/null", "true"); ended.code != 0 {
		return skip("strace does not work here: " + strings.TrimSpace(ended.stderr))
	}
	return nil
}

// count returns how many calls of a kind a program makes.
func (f *fault) count(call, program string, args ...string) (int, error) {
	trace := filepath.Join(f.folder, "trace")
	options := []string{"-f", "-qq", "-o", trace, "-e", "trace=" + call, "-e", "signal=none", program}
	ended := execute("strace", append(options, args...)...)
	if ended.code != 0 {
		return 0, fmt.Errorf("count calls: %v", ended)
	}
	text, err := os.ReadFile(trace)
	calls := 0
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "(") { // not the second part of an interrupted call
			calls++
		}
	}
	return calls, err
}
