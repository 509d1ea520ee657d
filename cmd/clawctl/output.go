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
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// An output is the place that a command's data goes to.
type output struct {
	io.Writer
	name string // for error messages

	mu     sync.Mutex
	temp   *os.File // nil for stdout
	target string
	force  bool
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
	if err := mayCreate(path, force, a.commandLine("--force")); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".clawctl-*.tmp") // 0600
	if err != nil {
		return outputError(path, err)
	}
	o := a.output
	o.mu.Lock()
	defer o.mu.Unlock()
	o.Writer, o.temp, o.target, o.name = temp, temp, path, path
	o.force, o.hint = force, a.commandLine("--force")
	a.outTerm = terminal{width: defaultWidth}
	return nil
}

// writeWhole writes a small file, which appears whole or not at all.
func writeWhole(path, text string) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".clawctl-*.tmp") // 0600
	if err != nil {
		return err
	}
	_, err = temp.WriteString(text)
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		os.Remove(temp.Name())
	}
	return err
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

// mayCreate refuses a file that exists.
func mayCreate(path string, force bool, hint string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && force && info.Mode().IsRegular() {
		return nil
	}
	if err != nil {
		return outputError(path, err)
	}
	f := &failure{exit: exitUsage, code: codeExists, path: path, text: "the file exists", hint: hint}
	if !info.Mode().IsRegular() {
		f.text, f.hint = "exists and is not a regular file", ""
	}
	return f
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
	err = errors.Join(o.temp.Sync(), o.temp.Close())
	if err == nil {
		err = mayCreate(o.target, o.force, o.hint)
	}
	if err == nil {
		err = os.Rename(o.temp.Name(), o.target)
	}
	if err != nil {
		o.discard()
		if errors.As(err, new(*failure)) {
			return err
		}
		return outputError(o.target, err)
	}
	o.temp = nil
	syncFolder(filepath.Dir(o.target))
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
		o.temp.Close()
		os.Remove(o.temp.Name())
		o.temp = nil
	}
}

// syncFolder makes a rename in the folder durable, where the system can: Windows and some file systems refuse.
func syncFolder(path string) {
	if folder, err := os.Open(path); err == nil {
		_ = folder.Sync()
		folder.Close()
	}
}
