// Command linear measures how the processor time of every command grows with its input: for each shape of input, at a
// size and at twice that size.
//
//	go run ./scripts/linear                          every command
//	go run ./scripts/linear -only validate -runs 5   the commands that contain a text
//	go run ./scripts/linear -scale 2                 with twice as much of everything
//
// A row has the least user times of a few runs, which alternate, and their ratio. The exit status is 1 if a ratio is
// larger than 2.3. Work that grows with the square of the input has a ratio of 4. What takes less than a tenth of a
// second shows nothing, and is not judged.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The largest ratio that passes, and the time from which one is judged.
const (
	largestRatio = 2.3
	leastTime    = 100 * time.Millisecond
)

// nothingToUndo is the code with which undo refuses, such as for a shape of which nothing can be repaired or pruned.
const nothingToUndo = "CL909"

func main() {
	runs := flag.Int("runs", 3, "how many `TIMES` to run each command")
	scale := flag.Float64("scale", 1, "how many times the usual size the inputs have")
	only := flag.String("only", "", "measure only the scripts that contain `TEXT`")
	shape := flag.String("shape", "", "measure only this `SHAPE` of input")
	program := flag.String("program", "", "measure this `FILE` instead of building clawctl")
	flag.Parse()
	ok, err := measureAll(os.Stdout, *program, *shape, *only, *runs, *scale)
	if err != nil {
		fmt.Fprintln(os.Stderr, "linear:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// measureAll prints a row for every command line. It reports whether all ratios pass.
func measureAll(out io.Writer, program, onlyShape, only string, runs int, scale float64) (ok bool, err error) {
	work, err := os.MkdirTemp("", "clawctl-linear-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	if program == "" {
		program = filepath.Join(work, "clawctl")
		build := exec.Command("go", "build", "-o", program, "./cmd/clawctl")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return false, err
		}
	}
	if err := checkScripts(program); err != nil {
		return false, err
	}
	ok = true
	for _, s := range shapes {
		if onlyShape != "" && s.name != onlyShape {
			continue
		}
		m := measurement{program: program, shape: s, runs: runs}
		for i := range m.boxes {
			n := int(float64(s.size)*scale) << i
			m.boxes[i] = box{folder: filepath.Join(work, fmt.Sprint(s.name, n)), size: n}
			if err := m.boxes[i].fill(s, program); err != nil {
				return false, err
			}
		}
		fmt.Fprintf(out, "%s: %d and %d\n", s.describe, m.boxes[0].size, m.boxes[1].size)
		for _, script := range scripts() {
			if !strings.Contains(script, only) {
				continue
			}
			passed, err := m.script(out, script)
			if err != nil {
				return false, err
			}
			ok = ok && passed
		}
		for _, b := range m.boxes {
			os.RemoveAll(b.folder)
		}
	}
	return ok, nil
}

// A measurement compares two sizes of one shape.
type measurement struct {
	program string
	shape   shape
	runs    int
	boxes   [2]box
}

// A step is a command of a script.
type step struct {
	line   string
	least  [2]time.Duration // user time, by size
	failed string           // the code of its error
}

// script measures the commands of a script, and prints a row for each.
func (m *measurement) script(out io.Writer, script string) (ok bool, err error) {
	var steps []*step
	for line := range strings.SplitSeq(script, " ; ") {
		steps = append(steps, &step{line: line})
	}
	for range m.runs {
		for size := range m.boxes {
			if err := m.boxes[size].run(m.program, steps, size); err != nil {
				return false, err
			}
		}
	}
	ok = true
	for _, s := range steps {
		ratio := float64(s.least[1]) / float64(max(s.least[0], 1))
		verdict := ""
		switch {
		case s.failed == nothingToUndo:
			verdict = "nothing to undo"
		case s.failed != "":
			verdict = "refused: " + s.failed
		case s.least[1] < leastTime:
			verdict = "too short to judge"
		case ratio > largestRatio:
			verdict, ok = "not linear", false
		}
		fmt.Fprintf(out, "  %-64s %6.2f s %6.2f s %5.2f  %s\n", s.line, s.least[0].Seconds(), s.least[1].Seconds(), ratio,
			verdict)
	}
	return ok, nil
}

// A box is the home of a user, with an input of one size.
type box struct {
	folder string
	last   string // the transcript of the last session, below the input
	size   int
}

// fill makes the input, and a store that has it.
func (b *box) fill(s shape, program string) (err error) {
	if b.last, err = s.write(filepath.Join(b.folder, "input"), b.size); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(b.folder, "values"), []byte("a value of nobody\n"), 0o600); err != nil {
		return err
	}
	// Damaged lines are a status of their own.
	message, err := b.command(program, "import SOURCE --to STORE", "").CombinedOutput()
	if _, missing := os.Stat(filepath.Join(b.folder, "store.db")); missing != nil {
		return fmt.Errorf("import %s: %w: %s", s.name, err, message)
	}
	return nil
}

// command returns a command line of clawctl, with the words that stand for paths replaced.
func (b *box) command(program, line, stdin string) *exec.Cmd {
	words := strings.Fields(line)
	for i, word := range words {
		for name, path := range map[string]string{
			"SOURCE": "input", "LAST": "input/" + b.last, "COPY": "copy", "TORN": "copy", "STORE": "store.db", "OUT": "out",
			"VALUES": "values",
		} {
			if first, rest, _ := strings.Cut(word, "/"); first == name {
				words[i] = filepath.Join(b.folder, filepath.FromSlash(path), filepath.FromSlash(rest))
			}
		}
	}
	command := exec.Command(program, words...)
	command.Dir = b.folder
	command.Env = append(os.Environ(), "HOME="+b.folder, "XDG_DATA_HOME="+filepath.Join(b.folder, "data"),
		"XDG_CONFIG_HOME="+filepath.Join(b.folder, "config"), "XDG_CACHE_HOME="+filepath.Join(b.folder, "cache"),
		"XDG_STATE_HOME="+filepath.Join(b.folder, "state"), "OPENCLAW_STATE_DIR=", "CLAWCTL_DB=", "CLAWCTL_CONFIG=")
	command.Stdin = strings.NewReader(stdin)
	return command
}

// run runs the commands of a script in a home that no other script has written to, and notes the user time of each.
func (b *box) run(program string, steps []*step, size int) error {
	for _, name := range []string{"copy", "out", "data", "config", "cache", "state"} {
		if err := os.RemoveAll(filepath.Join(b.folder, name)); err != nil {
			return err
		}
	}
	if err := os.Mkdir(filepath.Join(b.folder, "out"), 0o700); err != nil {
		return err
	}
	usesCopy := func(s *step) bool { return strings.Contains(s.line, "COPY") }
	usesTorn := func(s *step) bool { return strings.Contains(s.line, "TORN") }
	if isTorn := slices.ContainsFunc(steps, usesTorn); isTorn || slices.ContainsFunc(steps, usesCopy) {
		if err := b.copyInput(isTorn); err != nil {
			return err
		}
	}
	for _, s := range steps {
		line, input, _ := strings.Cut(s.line, " < ")
		command := b.command(program, line+" -q", inputs[input])
		_, err := command.Output()
		var failed *exec.ExitError
		switch {
		case errors.As(err, &failed) && failed.ExitCode() == 1: // it has found something
		case failed != nil:
			s.failed = strings.Join(slices.Compact(words(`(CL[0-9]+) .*`, string(failed.Stderr))), " ")
		case err != nil:
			return err
		}
		if t := command.ProcessState.UserTime(); s.least[size] == 0 || t < s.least[size] {
			s.least[size] = t
		}
	}
	return nil
}

// copyInput copies the input. The copies are a month old, and with isTorn each transcript ends with a damaged line.
func (b *box) copyInput(isTorn bool) error {
	copied, old := filepath.Join(b.folder, "copy"), time.Now().AddDate(0, -1, 0)
	if err := os.CopyFS(copied, os.DirFS(filepath.Join(b.folder, "input"))); err != nil {
		return err
	}
	return filepath.WalkDir(copied, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if isTorn && filepath.Ext(path) == ".jsonl" {
			if err := addLine(path, damaged); err != nil {
				return err
			}
		}
		return os.Chtimes(path, old, old)
	})
}

// addLine adds a line to a file.
func addLine(path, line string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(line + "\n")
	return errors.Join(err, file.Close())
}
