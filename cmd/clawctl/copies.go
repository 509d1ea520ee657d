package main

// How commands write copies of sessions: -o is a file for one session and a folder for several. A file that exists with
// the same content is left alone, and one with other content is replaced only with --force.

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"clawctl/internal/atomicfile"
	"clawctl/internal/failure"
	"clawctl/internal/parallel"
	"clawctl/pkg/bundle"
	"clawctl/pkg/dbfile"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
)

// isFolderOutput decides what -o means: a folder if it is one, if its name ends like one, or if no session is named.
func isFolderOutput(out string, oneSession bool) bool {
	info, err := os.Stat(out)
	switch {
	case out == "":
		return false
	case err == nil:
		return info.IsDir()
	}
	return !oneSession || strings.HasSuffix(out, "/") || strings.HasSuffix(out, string(filepath.Separator))
}

// isOneSession reports whether an argument stands for one session: a file, or a name.
func isOneSession(argument string) bool {
	path, name, info, err := source.SplitPlace(argument)
	return err != nil || name != "" || !info.IsDir() && !dbfile.Is(path) && !bundle.Is(path)
}

// currentOf leaves earlier generations out, unless there is nothing else.
func currentOf(sessions []*source.Session) []*source.Session {
	var current []*source.Session
	for _, s := range sessions {
		if s.Generation == "" {
			current = append(current, s)
		}
	}
	if len(current) == 0 {
		return sessions
	}
	return current
}

// errExists is the error for a file that exists with other content.
var errExists error = failure.NewSentinel(failure.Exists, "the file exists with other content").WithAgain("--force")

// place writes one file, atomically, and returns what happened to it: "written" or "unchanged".
func (a *app) place(
	root *os.Root, name string, modified time.Time, write func(io.Writer) (int64, error),
) (verdict string, n int64, err error) {
	native := filepath.FromSlash(name)
	if err := atomicfile.MkdirAllIn(root, filepath.FromSlash(path.Dir(name))); err != nil {
		return "", 0, err
	}
	if info, err := root.Stat(native); err == nil && dbfile.IsInUse(info) {
		return "", 0, &fs.PathError{Op: "write", Path: name, Err: dbfile.ErrInUse}
	}
	file, err := atomicfile.CreateIn(root, native, atomicfile.Options{Modified: modified})
	if err != nil {
		return "", 0, err
	}
	defer file.Abandon()
	if n, err = write(file); err != nil {
		return "", n, err
	}
	same, err := sameContent(root, file.TempName(), native)
	switch {
	case same:
		return "unchanged", n, nil
	case err == nil && !a.output.options.force:
		return "", n, errExists
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", n, err
	}
	return "written", n, file.Commit()
}

// sameContent compares two files of a folder. The error is that of the second.
func sameContent(root *os.Root, a, b string) (bool, error) {
	second, err := root.Open(b)
	if err != nil {
		return false, err
	}
	defer second.Close()
	first, err := root.Open(a)
	if err != nil {
		return false, err
	}
	defer first.Close()
	bufs := [2][]byte{make([]byte, 256<<10), make([]byte, 256<<10)}
	for {
		n, err1 := io.ReadFull(first, bufs[0])
		m, err2 := io.ReadFull(second, bufs[1])
		if !bytes.Equal(bufs[0][:n], bufs[1][:m]) {
			return false, nil
		}
		if err1 != nil || err2 != nil {
			return errors.Is(err1, io.EOF) == errors.Is(err2, io.EOF) || n == m, nil
		}
	}
}

// A copying is a run that writes changed copies of sessions.
type copying struct {
	*app
	options sourceOptions
	outcome *failure.Tally
	out     string // -o; "" if nothing is written
	folder  bool   // it is a folder
	match   *source.Match
	items   []migrate.Item // of the sessions, in order
	root    *os.Root
	base    string // of the only file
}

// newCopying finds the sessions of a run and decides what -o means.
func newCopying(a *app, operands []string, options sourceOptions, needsOutput bool) (*copying, error) {
	c := &copying{app: a, options: options, outcome: &failure.Tally{}}
	if !a.output.options.isStdout() {
		c.out = a.output.options.path
	}
	switch {
	case len(operands) == 0 && !options.narrows():
		return nil, failure.Usage("clawctl sessions", "no session given")
	case needsOutput && c.out == "":
		return nil, failure.Usage(a.commandLine("-o", "copy.jsonl"), "the copy needs a file or a folder: -o")
	}
	if len(operands) == 0 {
		operands = []string{home}
	}
	namesOne := options.session != "" || len(operands) == 1 && isOneSession(operands[0])
	c.folder = isFolderOutput(c.out, namesOne)
	return c, c.find(operands, namesOne)
}

// find finds the sessions. One file takes one session: of those with a name, the current one.
func (c *copying) find(operands []string, namesOne bool) error {
	s := search{sourceOptions: c.options, defaults: everything}
	one := c.out != "" && !c.folder
	if namesOne && one {
		s.defaults = live
	}
	m, err := findTranscripts(c.app, operands, s, c.outcome)
	switch {
	case err != nil:
		return err
	case len(m.Sessions) == 0:
		return c.outcome.Err()
	case !m.ByName:
		blameProblems(c.app, c.outcome, m.Places)
	case one:
		m.Sessions = currentOf(m.Sessions)
	}
	if one && len(m.Sessions) > 1 {
		return failure.Usage(c.commandLine("-o", "copies/"),
			"cannot write %d sessions to one file: name one of them, or give -o a folder", len(m.Sessions))
	}
	c.match = m
	c.items = migrate.ConvertNames(migrate.SourceItems(m.Sessions))
	return nil
}

// open makes the folder of the copies, and removes what a killed run has left in it.
func (c *copying) open() (err error) {
	folder := c.out
	if !c.folder {
		folder, c.base = filepath.Dir(c.out), filepath.Base(c.out)
		if err := mayCreate(c.out, true, ""); err != nil {
			return err
		}
	} else if err := atomicfile.MkdirAll(folder); err != nil {
		return outputError(folder, err)
	}
	if c.root, err = os.OpenRoot(folder); err != nil {
		return outputError(folder, err)
	}
	atomicfile.RemoveStale(folder)
	return nil
}

// nameOf returns the path of a copy in the folder.
func (c *copying) nameOf(i int) string {
	if !c.folder {
		return c.base
	}
	return c.items[i].Path
}

// shownName returns the path of a file in the folder, as reports show it.
func (c *copying) shownName(name string) string {
	if !c.folder {
		return c.out
	}
	return filepath.Join(c.out, filepath.FromSlash(name))
}

// read opens a session and hands its text to a function. A session that cannot be read is reported.
func (c *copying) read(s *source.Session, do func(in *source.Input) error) error {
	err := withInput(c.app, s, func(_ *source.Session, in *source.Input) error { return do(in) })
	if c.ctx.Err() != nil {
		return interrupted(c.app)
	}
	return err
}

// blameCopy reports a copy that could not be written, and goes on with the others.
func (c *copying) blameCopy(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case c.ctx.Err() != nil:
		return interrupted(c.app)
	case !errors.As(err, new(*failure.Error)):
		err = readError(c.app, c.shownName(name), err)
	}
	c.blame(c.outcome, err)
	return nil
}

// readOptions are how copies are read: on all cores, until the run is interrupted.
func (c *copying) readOptions() jsonl.Options {
	return jsonl.Options{Jobs: parallel.Share(0, 1, 1), BeforeRead: c.ctx.Err}
}
