package main

// Where data goes:
//
//   - stdout carries data only; everything else goes to stderr.
//   - `-o FILE` writes a temporary file beside FILE, 0600, synced, and renames it when the command has done its work.
//     A command that fails leaves nothing behind. FILE is never overwritten without --force. `-o -` is stdout.
//   - On a terminal the data is made safe for it (terminal.go).

import (
	"errors"
	"io"
	"os"
	"sync"

	"clawctl/internal/atomicfile"
)

// An output is the place that a command's data goes to.
type output struct {
	io.Writer
	name string // for error messages

	mu     sync.Mutex
	temp   *atomicfile.File // nil for stdout
	target string
	hint   string      // the command that would replace an existing file
	safe   *safeWriter // nil unless stdout is a terminal
}

// openOutput decides where the data goes, by -o and by what stdout is.
func (a *app) openOutput(path string, force bool) error {
	if path == "" || path == "-" {
		if a.outTerm.is {
			a.output.safe = &safeWriter{dst: a.stdout}
			a.output.Writer = a.output.safe
		}
		return nil
	}
	hint := a.commandLine("--force")
	temp, err := atomicfile.Create(path, atomicfile.Options{Policy: replacing(force)})
	if err != nil {
		return createError(path, hint, err)
	}
	o := a.output
	o.mu.Lock()
	defer o.mu.Unlock()
	o.Writer, o.temp, o.target, o.name = temp, temp, path, path
	o.hint = hint
	a.outTerm = terminal{width: defaultWidth}
	return nil
}

// writeWhole writes a small file, which appears whole or not at all.
func writeWhole(path, text string) error {
	return atomicfile.WriteFile(path, []byte(text), atomicfile.Options{})
}

// isSameFile reports whether two paths lead to one file.
func isSameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// replacing is the policy for --force: it replaces a file, but nothing else.
func replacing(force bool) atomicfile.Policy {
	if force {
		return atomicfile.ReplaceRegular
	}
	return atomicfile.ReplaceNothing
}

// mayCreate refuses a file that exists.
func mayCreate(path string, force bool, hint string) error {
	if err := atomicfile.Check(path, replacing(force)); err != nil {
		return createError(path, hint, err)
	}
	return nil
}

// createError is the error for a file that cannot be created or replaced.
func createError(path, hint string, err error) error {
	switch {
	case errors.Is(err, atomicfile.ErrExists):
		return &failure{exit: exitUsage, code: codeExists, path: path, text: err.Error(), hint: hint}
	case errors.Is(err, atomicfile.ErrNotRegular):
		return &failure{exit: exitUsage, code: codeExists, path: path, text: err.Error()}
	}
	return outputError(path, err)
}

// finish completes the output of a command that returned err, or removes it.
func (o *output) finish(err error) error {
	if o.safe != nil {
		return o.safe.Close()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.temp == nil {
		return nil
	}
	if !keepsOutput(err) {
		o.discard()
		return nil
	}
	temp := o.temp
	o.temp = nil
	if err := temp.Commit(); err != nil {
		return createError(o.target, o.hint, err)
	}
	return nil
}

// abandon removes the temporary file of a command that is left behind.
func (o *output) abandon() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.discard()
}

func (o *output) discard() {
	if o.temp != nil {
		o.temp.Abandon()
		o.temp = nil
	}
}
