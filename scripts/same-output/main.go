// Command same-output compares two clawctl binaries: every script for the transcripts and folders of the given paths
// must give the same output, the same messages on stderr and the same exit status, and leave the same files and rows.
//
// Usage:
//
//	go run ./scripts/same-output [-only TEXT] [-every N] OLD NEW PATH...
//
// It prints every difference with its script, and a count. The exit status is 1 if there is a difference. Scripts that
// write run for one transcript in N. browse needs a terminal, and its screens are compared by tests.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"clawctl/internal/parallel"
)

// A run is a script with its source.
type run struct {
	script script
	source string
}

func main() {
	only := flag.String("only", "", "run only the scripts that contain this text")
	every := flag.Int("every", 20, "run scripts that write for one transcript in `N`")
	flag.Parse()
	if flag.NArg() < 3 {
		fmt.Fprintln(os.Stderr, "usage: same-output [-only TEXT] [-every N] OLD NEW PATH...")
		os.Exit(2)
	}
	before, after := flag.Arg(0), flag.Arg(1)
	runs, err := runsOf(after, flag.Args()[2:], *every)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	runs = slices.DeleteFunc(runs, func(r run) bool { return !strings.Contains(string(r.script), *only) })
	different, err := compareAll(before, after, runs)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Printf("%d scripts, %d differences, %s\n", len(runs), different, time.Since(started).Round(time.Second))
	if different > 0 {
		os.Exit(1)
	}
}

// runsOf returns the scripts for every file and folder below some paths, and those without a source.
func runsOf(program string, paths []string, every int) (runs []run, err error) {
	help, err := helpScripts(program)
	if err != nil {
		return nil, err
	}
	forms, err := exportScripts(program)
	if err != nil {
		return nil, err
	}
	add := func(source string, lists ...[]script) {
		for _, s := range slices.Concat(lists...) {
			runs = append(runs, run{s, source})
		}
	}
	add("", loneScripts, help)
	files := 0
	for _, path := range paths {
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		add(path, folderScripts, folderWriters, forms)
		err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() && isTranscript(name) {
				add(name, fileScripts)
				if files++; files%every == 0 {
					add(name, fileWriters)
				}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// isTranscript reports whether a file may be a transcript or a database of them.
func isTranscript(name string) bool {
	base := filepath.Base(name)
	return strings.Contains(base, ".jsonl") || strings.HasSuffix(base, ".zst") || strings.HasSuffix(base, ".sqlite")
}

// compareAll runs all scripts with both programs, and returns how many differ.
func compareAll(before, after string, runs []run) (different int64, err error) {
	folder, err := os.MkdirTemp("", "same-output-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	var count atomic.Int64
	compare := func(_ context.Context, _ struct{}, i int) error {
		old := box{before, filepath.Join(folder, fmt.Sprint("a", i))}
		now := box{after, filepath.Join(folder, fmt.Sprint("b", i))}
		defer os.RemoveAll(old.folder)
		defer os.RemoveAll(now.folder)
		a, err := old.answer(runs[i].script, runs[i].source)
		if err != nil {
			return fmt.Errorf("%s with %s: %w", runs[i].script, runs[i].source, err)
		}
		b, err := now.answer(runs[i].script, runs[i].source)
		if err != nil {
			return fmt.Errorf("%s with %s: %w", runs[i].script, runs[i].source, err)
		}
		if what := difference(a, b, runs[i].script.writes()); what != "" {
			count.Add(1)
			fmt.Printf("clawctl %s\n  SOURCE %s\n%s\n", runs[i].script, runs[i].source, what)
		}
		return nil
	}
	err = parallel.Run(context.Background(), len(runs), 0, func() struct{} { return struct{}{} }, compare)
	return count.Load(), err
}

// difference describes how two answers differ, or returns "".
func difference(a, b answer, isMasked bool) string {
	if a == b {
		return ""
	}
	if isMasked {
		all, others := a.printed+a.left, b.printed+b.left
		a = answer{masked(a.printed, others), masked(a.left, others)}
		b = answer{masked(b.printed, all), masked(b.left, all)}
	}
	switch {
	case a.printed != b.printed:
		return differentLine("printed", []byte(a.printed), []byte(b.printed))
	case a.left != b.left:
		return differentLine("left", []byte(a.left), []byte(b.left))
	}
	return ""
}

// differentLine shows the first line that differs.
func differentLine(stream string, a, b []byte) string {
	before, after := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	at := 0
	for at < min(len(before), len(after)) && bytes.Equal(before[at], after[at]) {
		at++
	}
	before, after = append(before, nil), append(after, nil)
	return fmt.Sprintf("  %s, line %d\n  - %s\n  + %s", stream, at+1,
		around(before[min(at, len(before)-1)], after[min(at, len(after)-1)]),
		around(after[min(at, len(after)-1)], before[min(at, len(before)-1)]))
}

// around returns the part of a text where it begins to differ from another.
func around(text, other []byte) []byte {
	at := 0
	for at < min(len(text), len(other)) && text[at] == other[at] {
		at++
	}
	return text[max(0, at-80):min(len(text), at+160)]
}
