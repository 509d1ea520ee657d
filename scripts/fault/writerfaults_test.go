//go:build linux

package fault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"clawctl/internal/parallel"
)

// writeCalls are the system calls with which a writer changes the disk.
var writeCalls = []string{"write", "pwrite64", "ftruncate", "fsync", "fdatasync", "rename", "renameat", "renameat2",
	"link", "linkat", "unlink", "unlinkat", "mkdirat"}

// writerKills kills every writer at each of its calls that change the disk. If there are more than -kills of them, they
// are sampled evenly.
func (f *fault) writerKills(string) (string, error) {
	total, calls := 0, 0
	var summary []string
	err := f.injectAll(func(s *scene) ([]string, error) {
		return f.injections(s, writeCalls, "signal=SIGKILL", f.killCount)
	}, func(s *scene, ended ending, at interruption) (bool, error) {
		if ended.code != -1 && ended.code != 0 {
			return false, ended.failure()
		}
		return ended.code == -1, s.writer.check(f, s, at)
	}, func(s *scene, runs, kills int) {
		total, calls = total+kills, calls+runs
		summary = append(summary, fmt.Sprintf("%s %d", s.writer.name, kills))
	})
	if err != nil {
		return "", err
	}
	if total < calls/2 {
		return "", fmt.Errorf("only %d kills at %d calls", total, calls)
	}
	return fmt.Sprintf("%d kills at calls that change the disk (%s): 0 lost, 0 without a receipt, every interrupted "+
		"change closed, completed and undone", total, strings.Join(summary, ", ")), nil
}

// injectAll runs every writer once with each of its faults, and checks what it leaves. done gets the number of runs,
// and of how many check returned true.
func (f *fault) injectAll(faultsOf func(*scene) ([]string, error),
	check func(*scene, ending, interruption) (bool, error), done func(s *scene, runs, hits int),
) error {
	scenes, err := f.scenes("")
	if err != nil {
		return err
	}
	for _, s := range scenes {
		faults, err := faultsOf(s)
		if err != nil {
			return err
		}
		var hits atomic.Int64
		err = f.inject(s, faults, func(ended ending, at interruption) error {
			isHit, err := check(s, ended, at)
			if isHit {
				hits.Add(1)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", s.writer.name, err)
		}
		done(s, len(faults), int(hits.Load()))
	}
	return nil
}

// failures are the errors that calls return.
var failures = []struct {
	calls, errors []string
}{
	{slices.Concat(writeCalls, []string{"openat"}), []string{"EIO", "ENOSPC"}},
	{[]string{"openat"}, []string{"EMFILE"}},
	{[]string{"read", "pread64"}, []string{"EIO"}},
}

// writerFailures makes system calls of writers fail. A writer that reports success must be complete, with its receipt.
func (f *fault) writerFailures(string) (string, error) {
	runs, succeeded := 0, 0
	err := f.injectAll(f.failuresOf, func(s *scene, ended ending, at interruption) (bool, error) {
		if ended.code < 0 || strings.Contains(ended.stderr, "internal error") {
			return false, errors.New(ended.String())
		}
		at.isDone = ended.code == 0
		if err := s.writer.check(f, s, at); err != nil {
			return false, fmt.Errorf("%w, after %v", err, ended)
		}
		return at.isDone, nil
	}, func(_ *scene, n, successes int) {
		runs, succeeded = runs+n, succeeded+successes
	})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d failing calls: %d writers succeeded and are complete, %d failed and left the old or the new "+
		"text, 0 false successes, 0 without a receipt, all completed and undone", runs, succeeded, runs-succeeded), nil
}

// failuresOf returns every failure of some calls of each kind.
func (f *fault) failuresOf(s *scene) (faults []string, err error) {
	for _, kind := range failures {
		for _, with := range kind.errors {
			for _, call := range kind.calls {
				some, err := f.injections(s, []string{call}, "error="+with, f.sample)
				if err != nil {
					return nil, err
				}
				faults = append(faults, some...)
			}
		}
	}
	return faults, nil
}

// injections returns faults for strace: at each of the calls that a writer makes, or at some of them.
func (f *fault) injections(s *scene, calls []string, what string, most int) ([]string, error) {
	counts, err := f.callsOf(s)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, call := range calls {
		for n := range counts[call] {
			list = append(list, fmt.Sprintf("inject=%s:%s:when=%d", call, what, n+1))
		}
	}
	if len(list) <= most {
		return list, nil
	}
	sampled := make([]string, most)
	for i := range sampled {
		sampled[i] = list[i*len(list)/most]
	}
	return sampled, nil
}

// callsOf counts the calls of each kind that a writer makes on the thread with most of them, because strace counts them
// by thread.
func (f *fault) callsOf(s *scene) (map[string]int, error) {
	if s.calls != nil {
		return s.calls, nil
	}
	folder, err := f.stage(s)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	trace, kinds := filepath.Join(f.folder, "trace"), append(slices.Clone(writeCalls), "openat", "read", "pread64")
	ended := f.strace(folder, s.writer, "-e", "signal=none", "-o", trace, "-e", "trace="+strings.Join(kinds, ","))
	if ended.code != 0 {
		return nil, fmt.Errorf("count calls: %v", ended)
	}
	text, err := os.ReadFile(trace)
	byThread := map[string]int{}
	s.calls = map[string]int{}
	for line := range strings.Lines(string(text)) {
		thread, rest, _ := strings.Cut(line, " ")
		if name, _, isCall := strings.Cut(strings.TrimSpace(rest), "("); isCall {
			byThread[thread+name]++
			s.calls[name] = max(s.calls[name], byThread[thread+name])
		}
	}
	return s.calls, err
}

// stage writes the folder of a scene as it is before the writer.
func (f *fault) stage(s *scene) (string, error) {
	folder, err := os.MkdirTemp(f.statesFolder(), "stage-*")
	if err != nil {
		return "", err
	}
	return folder, writeState(folder, relocate(s.before, s.base, folder), f.dice)
}

// inject runs a writer once with each fault, and checks what it leaves.
func (f *fault) inject(s *scene, faults []string, check func(ending, interruption) error) error {
	newWorker := func() struct{} { return struct{}{} }
	return parallel.Run(context.Background(), len(faults), 0, newWorker, func(_ context.Context, _ struct{}, i int) error {
		folder, err := f.stage(s)
		if err != nil {
			return err
		}
		call, _, _ := strings.Cut(strings.TrimPrefix(faults[i], "inject="), ":")
		ended := f.strace(folder, s.writer, "-o", "/dev/null", "-e", "trace="+call, "-e", faults[i])
		at := interruption{folder: folder, printed: ended.stdout + ended.stderr}
		at.isDone = s.writer.isDone(at.printed)
		if err := check(ended, at); err != nil {
			return fmt.Errorf("%s: %w (the folder is kept in %s)", faults[i], err, keep(folder))
		}
		return os.RemoveAll(folder)
	})
}

// keep moves a folder out of those that are removed at the end, and returns its new path.
func keep(folder string) string {
	to, err := os.MkdirTemp("", "clawctl-state-*")
	if err == nil {
		err = errors.Join(os.Remove(to), os.CopyFS(to, os.DirFS(folder)))
	}
	if err != nil {
		return err.Error()
	}
	return to
}
