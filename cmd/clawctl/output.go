package main

// Where data goes:
//
//   - stdout carries data only; everything else goes to stderr.
//   - `-o FILE` writes a temporary file beside FILE, 0600, synced, and renames it when the command has done its work.
//     A command that fails leaves nothing. FILE is never replaced without --force. `-o -` is stdout.
//   - Data on a terminal is made safe for it by its ui.Stream. Reports are escaped where they are laid out, so that
//     they can be coloured, and the stream lets only our own colours pass.

import (
	"errors"
	"io"
	"os"
	"sync"

	"clawctl/internal/atomicfile"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/dbfile"
)

// An output is the place that a command's data goes to.
type output struct {
	term    ui.Terminal // of stdout; the zero Terminal if the data goes to a file
	name    string      // for error messages
	options outputOptions
	before  func(write func()) // wraps what is written to a terminal that also shows progress

	stdout *ui.Stream

	mu    sync.Mutex
	file  *atomicfile.File // nil for stdout
	pager *pager           // nil if what is printed goes straight to stdout
}

// outputOptions are -o and --force.
type outputOptions struct {
	path      string
	force     bool
	forceHint string // the command that would replace an existing file
}

// isStdout reports whether no file was named.
func (o outputOptions) isStdout() bool { return o.path == "" || o.path == "-" }

func newOutput(stdout *ui.Stream) *output {
	return &output{term: stdout.Terminal(), name: "stdout", stdout: stdout}
}

// open begins the file of -o, if there is one.
func (o *output) open() error {
	if o.options.isStdout() {
		return nil
	}
	policy := atomicfile.ReplaceNothing
	if o.options.force {
		policy = atomicfile.ReplaceRegular
	}
	file, err := atomicfile.Create(o.options.path, atomicfile.Options{Policy: policy})
	if err != nil {
		return o.fileError(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.file, o.name, o.term = file, o.options.path, ui.Terminal{}
	return nil
}

// through sends what a terminal would show to a pager.
func (o *output) through(p *pager) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pager = p
	o.stdout = o.stdout.Through(func(dst io.Writer) io.Writer {
		p.stdout = dst
		return p
	})
}

// currentPager is the pager in use, nil if there is none.
func (o *output) currentPager() *pager {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.pager
}

// fileError reports why the file of -o cannot be written.
func (o *output) fileError(err error) error {
	return createError(o.options.path, err, o.options.forceHint)
}

// Write writes data: byte for byte into a file or a pipe, escaped to a terminal.
func (o *output) Write(p []byte) (int, error) {
	if o.file != nil {
		return o.file.Write(p)
	}
	return o.writeToStdout(p)
}

// printStyled writes text that was escaped piece by piece and may be coloured.
func (o *output) printStyled(text string) (err error) {
	if o.file != nil {
		_, err = io.WriteString(o.file, text)
		return err
	}
	o.erasing(func() { err = o.stdout.WriteStyled(text) })
	return err
}

// printToStdout writes text to stdout, even if the command's data goes to a file: escaped if stdout is a terminal.
func (o *output) printToStdout(text string) error {
	_, err := o.writeToStdout([]byte(text))
	return err
}

func (o *output) writeToStdout(p []byte) (n int, err error) {
	o.erasing(func() { n, err = o.stdout.Write(p) })
	return n, err
}

// erasing calls write, which writes to stdout, after the progress was erased from the terminal.
func (o *output) erasing(write func()) {
	if o.before == nil || !o.stdout.Terminal().Is {
		write()
		return
	}
	o.before(write)
}

// check refuses to replace a database that is still open.
func (o *output) check() error {
	if o.options.isStdout() {
		return nil
	}
	if info, err := os.Stat(o.options.path); err == nil && dbfile.IsInUse(info) {
		return replacesInput(o.options.path)
	}
	return nil
}

// finish completes the output of a command that returned err, or removes it.
func (o *output) finish(err error) error {
	if o.file == nil {
		return errors.Join(o.stdout.Flush(), o.pager.finish())
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !failure.KeepsOutput(err) {
		o.file.Abandon()
		return nil
	}
	if err := o.file.Commit(); err != nil {
		return o.fileError(err)
	}
	return nil
}

// abandon removes the temporary file of a command that is left running, and shows what a pager held back.
func (o *output) abandon() {
	_ = o.currentPager().finish() // nothing is left to be done about a terminal that takes no text
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file != nil {
		o.file.Abandon()
	}
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

// mayCreate refuses to write a file that exists.
func mayCreate(path string, force bool, hint string) error {
	policy := atomicfile.ReplaceNothing
	if force {
		policy = atomicfile.ReplaceRegular
	}
	if err := atomicfile.Check(path, policy); err != nil {
		return createError(path, err, hint)
	}
	return nil
}

// createError reports why a file cannot be written; hint is the command that replaces an existing one.
func createError(path string, err error, hint string) error {
	switch {
	case errors.Is(err, atomicfile.ErrExists):
		return failure.New(failure.Exists, "").At(path).WithHint(hint)
	case errors.Is(err, atomicfile.ErrNotRegular):
		return failure.New(failure.Exists, "exists and is not a regular file").At(path)
	}
	return outputError(path, err)
}

// replacesInput is the failure of an output that is also an input.
func replacesInput(path string) error {
	return failure.Usage("", "-o must not replace what is being read, got %s", path)
}

// A countingWriter counts what is written.
type countingWriter struct {
	io.Writer
	n int64
}

func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.n += int64(n)
	return n, err
}
