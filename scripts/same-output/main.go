// Command same-output compares two clawctl binaries: every transcript below the given paths must give the same output,
// the same messages on stderr and the same exit status.
//
// Usage:
//
//	go run ./scripts/same-output OLD NEW PATH...
//
// It prints every difference with its command, and a count. The exit status is 1 if there is a difference.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"clawctl/internal/parallel"
)

// fileCommands are the commands that read one transcript. SOURCE stands for it.
var fileCommands = []string{
	"cat SOURCE", "cat --as openclaw SOURCE", "cat --type message,tool_use SOURCE", "show SOURCE", "show --all SOURCE",
	"show --format json SOURCE", "show --tree SOURCE", "rebuild --as native SOURCE", "rebuild SOURCE",
	"rebuild --as openai SOURCE", "validate SOURCE", "validate --format ndjson SOURCE", "stats --json SOURCE",
	"stats --by tool,model,role --json SOURCE", "tokens --json SOURCE", "context --json SOURCE",
	"search --json e SOURCE", "tail SOURCE", "sessions --json SOURCE", "du --json SOURCE", "repair --dry-run SOURCE",
	"compact --plan SOURCE", "export --as atif SOURCE", "export --as openai-finetune SOURCE",
	"export --as openclaw SOURCE",
}

// folderCommands are the commands that read everything in a folder.
var folderCommands = []string{
	"sessions --json SOURCE", "stats --json SOURCE", "validate --summary SOURCE", "search --json --count e SOURCE",
	"doctor --json SOURCE", "export --as postgres SOURCE",
}

// A run is the arguments of one command.
type run []string

// An answer is what a program did.
type answer struct {
	stdout, stderr []byte
	status         int
}

func main() {
	only := flag.String("only", "", "run only the commands that contain this text")
	flag.Parse()
	if flag.NArg() < 3 {
		fmt.Fprintln(os.Stderr, "usage: same-output [-only TEXT] OLD NEW PATH...")
		os.Exit(2)
	}
	runs, err := runsOf(flag.Args()[2:], *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	started := time.Now()
	different := compareAll(flag.Arg(0), flag.Arg(1), runs)
	fmt.Printf("%d commands, %d differences, %s\n", len(runs), different, time.Since(started).Round(time.Second))
	if different > 0 {
		os.Exit(1)
	}
}

// runsOf returns the commands for every file and folder below some paths.
func runsOf(paths []string, only string) (runs []run, err error) {
	for _, path := range paths {
		runs = append(runs, runsFor(folderCommands, path, only)...)
		err := filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.Type().IsRegular() && isTranscript(name) {
				runs = append(runs, runsFor(fileCommands, name, only)...)
			}
			return nil
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

func runsFor(commands []string, source, only string) []run {
	var runs []run
	for _, command := range commands {
		if !strings.Contains(command, only) {
			continue
		}
		args := strings.Fields(command)
		for i := range args {
			if args[i] == "SOURCE" {
				args[i] = source
			}
		}
		runs = append(runs, args)
	}
	return runs
}

// compareAll runs all commands with both programs, and returns how many differ.
func compareAll(before, after string, runs []run) int {
	var different atomic.Int64
	compare := func(_ context.Context, _ struct{}, i int) error {
		a, b := ask(before, runs[i]), ask(after, runs[i])
		if what := difference(a, b); what != "" {
			different.Add(1)
			fmt.Printf("clawctl %s\n%s\n", strings.Join(runs[i], " "), what)
		}
		return nil
	}
	_ = parallel.Run(context.Background(), len(runs), 0, func() struct{} { return struct{}{} }, compare)
	return int(different.Load())
}

// ask runs a program with a clean environment.
func ask(program string, r run) answer {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(program, r...)
	cmd.Env = []string{"HOME=/nonexistent", "TZ=UTC", "PATH=" + os.Getenv("PATH")}
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return answer{stderr: []byte(err.Error()), status: -1}
	}
	return answer{stdout.Bytes(), stderr.Bytes(), cmd.ProcessState.ExitCode()}
}

// difference describes how two answers differ, or returns "".
func difference(a, b answer) string {
	switch {
	case a.status != b.status:
		return fmt.Sprintf("  exit status %d, now %d\n  %s\n  %s", a.status, b.status, first(a.stderr), first(b.stderr))
	case !bytes.Equal(a.stdout, b.stdout):
		return differentLine("stdout", a.stdout, b.stdout)
	case !bytes.Equal(a.stderr, b.stderr):
		return differentLine("stderr", a.stderr, b.stderr)
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

func first(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return line
}
