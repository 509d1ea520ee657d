//go:build linux

package fault

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"clawctl/internal/rooted/rootedtest"
)

// reading are the system calls that open, describe, list or read a file.
const reading = "%file,read,pread64,readv,preadv,mmap,getdents64"

// outside runs commands that read folders which try to lead out of themselves. No call may be about a file outside,
// whatever is planted where a row, an index, a manifest or a configuration names a file.
func (f *fault) outside(folder string) (string, error) {
	if err := cmp.Or(canTrace(), f.seesReads(filepath.Join(folder, "seen"))); err != nil {
		return "", err
	}
	all, inside := rootedtest.Layouts(), 0
	count := min(f.layoutCount, len(all))
	for i := range count {
		n, err := f.tracedReads(filepath.Join(folder, strconv.Itoa(i)), all[i*len(all)/count])
		if err != nil {
			return "", err
		}
		inside += n
	}
	return fmt.Sprintf("%d layouts, %d calls, 0 reads outside", count, inside), nil
}

// seesReads makes sure that a read outside is noticed: of a file that is named.
func (f *fault) seesReads(base string) error {
	defer os.RemoveAll(base)
	path, trace := filepath.Join(base, "outside", "a.jsonl"), filepath.Join(base, "trace")
	text := []byte(`{"type":"session","version":3,"id":"a","cwd":"/"}` + "\n")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, text, 0o600)); err != nil {
		return err
	}
	f.traceReads(base, trace, "", "cat", path)
	if _, err := readsBelow(trace, filepath.Join(base, "inside"), filepath.Dir(path)); !errors.Is(err, errOutside) {
		return fmt.Errorf("a read outside was not noticed: %v", err)
	}
	return nil
}

var errOutside = errors.New("outside is read")

// tracedReads runs the commands on a layout and counts the calls that are about the folder.
func (f *fault) tracedReads(base string, layout rootedtest.Layout) (inside int, err error) {
	if err := os.Mkdir(base, 0o700); err != nil {
		return 0, err
	}
	defer os.RemoveAll(base)
	folder, err := layout.Make(base)
	if err != nil {
		return 0, err
	}
	out, trace := filepath.Join(base, "out"), filepath.Join(base, "trace")
	if err := os.Mkdir(out, 0o700); err != nil {
		return 0, err
	}
	for _, command := range rootedtest.Commands(folder, out) {
		ended := f.traceReads(base, trace, command.Stdin, command.Args...)
		n, err := readsBelow(trace, folder, filepath.Join(base, "outside"))
		if ended.code < 0 {
			err = errors.Join(err, fmt.Errorf("it did not end: %v", ended))
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %s: %w", layout, strings.Join(command.Args, " "), err)
		}
		inside += n
	}
	return inside, nil
}

// traceReads runs clawctl with everything in a folder, and traces what it reads.
func (f *fault) traceReads(base, trace, stdin string, args ...string) ending {
	options := []string{"-f", "-qq", "-y", "-o", trace, "-e", "trace=" + reading, f.clawctl}
	return executeWith(placeOf(base), stdin, "strace", append(options, args...)...)
}

// readsBelow counts the calls of a trace that are about a folder, and returns an error if one is about the folder
// outside or about a device. To read a link is to read a name that is in the folder.
func readsBelow(trace, folder, outside string) (inside int, err error) {
	text, err := os.ReadFile(trace)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.Contains(line, " readlink"):
		case strings.Contains(line, outside), strings.Contains(line, "</dev/zero"):
			return 0, fmt.Errorf("%w: %s", errOutside, strings.TrimSpace(line))
		case strings.Contains(line, folder):
			inside++
		}
	}
	if inside == 0 {
		return 0, errors.New("the trace has no call about the folder")
	}
	return inside, nil
}
