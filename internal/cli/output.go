package cli

// Where data goes:
//
//   - stdout carries data only; everything else goes to stderr.
//   - `-o FILE` writes a temporary file beside FILE, 0600, synced, and renames it when the command has done its work.
//     A command that fails leaves nothing. FILE is never replaced without --force. `-o -` is stdout.
//   - Data on a terminal is made safe for it by its ui.Stream. Reports are escaped where they are laid out, so that
//     they can be coloured, and the stream lets only our own colours pass.

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"clawctl/internal/atomicfile"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/store/dbfile"
)

// An Output is the place that a command's data goes to.
type Output struct {
	Term    ui.Terminal // of stdout; the zero Terminal if the data goes to a file
	Name    string      // for error messages
	Options OutputOptions
	before  func(write func()) // wraps what is written to a terminal that also shows progress

	Stdout *ui.Stream

	mu    sync.Mutex
	file  *atomicfile.File // nil for stdout
	Pager *pager           // nil if what is printed goes straight to stdout
}

// OutputOptions are -o and --force.
type OutputOptions struct {
	Path      string
	Force     bool
	ForceHint string // the command that would replace an existing file
	// FolderLater says that the caller syncs the folder after the last of many files.
	FolderLater bool
}

// IsStdout reports whether no file was named.
func (o OutputOptions) IsStdout() bool { return o.Path == "" || o.Path == "-" }

// NewOutput returns an output that goes to stdout.
func NewOutput(stdout *ui.Stream) *Output {
	return &Output{Term: stdout.Terminal(), Name: "stdout", Stdout: stdout}
}

// Open begins the file of -o, if there is one.
func (o *Output) Open() error {
	if o.Options.IsStdout() {
		return nil
	}
	policy := atomicfile.ReplaceNothing
	if o.Options.Force {
		policy = atomicfile.ReplaceRegular
	}
	file, err := atomicfile.Create(o.Options.Path, atomicfile.Options{Policy: policy, FolderLater: o.Options.FolderLater})
	if err != nil {
		return o.fileError(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.file, o.Name, o.Term = file, o.Options.Path, ui.Terminal{}
	return nil
}

// through sends what a terminal would show to a pager.
func (o *Output) through(p *pager) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.Pager = p
	o.Stdout = o.Stdout.Through(func(dst io.Writer) io.Writer {
		p.stdout = dst
		return p
	})
}

// currentPager is the pager in use, nil if there is none.
func (o *Output) currentPager() *pager {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.Pager
}

// fileError reports why the file of -o cannot be written.
func (o *Output) fileError(err error) error {
	return CreateError(o.Options.Path, err, o.Options.ForceHint)
}

// Write writes data: byte for byte into a file or a pipe, escaped to a terminal.
func (o *Output) Write(p []byte) (int, error) {
	if o.file != nil {
		n, err := o.file.Write(p)
		return n, o.Failed(err)
	}
	return o.writeToStdout(p)
}

// Failed marks an error of the output, so that nobody takes it for one of what was read. A closed pipe is no failure.
func (o *Output) Failed(err error) error {
	if err == nil || IsClosedPipe(err) || errors.As(err, new(*WriteFailure)) {
		return err
	}
	return &WriteFailure{OutputError(o.Name, err)}
}

// PrintStyled writes text that was escaped piece by piece and may be coloured.
func (o *Output) PrintStyled(text string) (err error) {
	if o.file != nil {
		_, err = io.WriteString(o.file, text)
		return o.Failed(err)
	}
	o.erasing(func() { err = o.Stdout.WriteStyled(text) })
	return o.Failed(err)
}

// PrintToStdout writes text to stdout, even if the command's data goes to a file: escaped if stdout is a terminal.
func (o *Output) PrintToStdout(text string) error {
	_, err := o.writeToStdout([]byte(text))
	return err
}

func (o *Output) writeToStdout(p []byte) (n int, err error) {
	o.erasing(func() { n, err = o.Stdout.Write(p) })
	return n, o.Failed(err)
}

// erasing calls write, which writes to stdout, after the progress was erased from the terminal.
func (o *Output) erasing(write func()) {
	if o.before == nil || !o.Stdout.Terminal().Is {
		write()
		return
	}
	o.before(write)
}

// check refuses to replace a database that is still open.
func (o *Output) check() error {
	if o.Options.IsStdout() {
		return nil
	}
	if info, err := os.Stat(o.Options.Path); err == nil && dbfile.IsInUse(info) {
		return replacesInput(o.Options.Path)
	}
	return nil
}

// Finish completes the output of a command that returned err, or removes it.
func (o *Output) Finish(err error) error {
	if o.file == nil {
		return errors.Join(o.Stdout.Flush(), o.Pager.finish())
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

// Abandon removes the temporary file of a command that is left running, and shows what a pager held back.
func (o *Output) Abandon() {
	_ = o.currentPager().finish() // nothing is left to be done about a terminal that takes no text
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file != nil {
		o.file.Abandon()
	}
}

// MayCreate refuses to write a file that exists.
func MayCreate(path string, force bool, hint string) error {
	policy := atomicfile.ReplaceNothing
	if force {
		policy = atomicfile.ReplaceRegular
	}
	if err := atomicfile.Check(path, policy); err != nil {
		return CreateError(path, err, hint)
	}
	return nil
}

// CreateError reports why a file cannot be written; hint is the command that replaces an existing one.
func CreateError(path string, err error, hint string) error {
	switch {
	case errors.Is(err, atomicfile.ErrExists):
		return failure.New(failure.Exists, "").At(path).WithHint(hint)
	case errors.Is(err, atomicfile.ErrNotRegular):
		return failure.New(failure.Exists, "exists and is not a regular file").At(path)
	}
	return OutputError(path, err)
}

// replacesInput is the failure of an output that is also an input.
func replacesInput(path string) error {
	return failure.Usage("", "-o must not replace what is being read, got %s", path)
}

// A CountingWriter counts what is written.
type CountingWriter struct {
	To io.Writer
	N  int64
}

func (w *CountingWriter) Write(p []byte) (int, error) {
	n, err := w.To.Write(p)
	w.N += int64(n)
	return n, err
}

// JSONLine returns a value as one line of JSON. Characters that control a terminal are escaped, which does not change
// the value.
func JSONLine(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // our own types always encode
	}
	return ui.Escape(b.String())
}

// A Frame is the text around a list of objects.
type Frame struct{ Before, Between, After, Empty string }

var (
	ArrayFrame = Frame{"[\n", ",\n", "\n]\n", "[]\n"}
	LinesFrame = Frame{"", "\n", "\n", ""}
)
