package writing

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
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/parallel"
	"clawctl/pkg/change"
	"clawctl/pkg/export/bundle"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store/dbfile"
)

// IsFolderOutput decides what -o means: a folder if it is one, if its name ends like one, or if no session is named.
func IsFolderOutput(out string, oneSession bool) bool {
	info, err := os.Stat(out)
	switch {
	case out == "":
		return false
	case err == nil:
		return info.IsDir()
	}
	return !oneSession || strings.HasSuffix(out, "/") || strings.HasSuffix(out, string(filepath.Separator))
}

// IsOneSession reports whether an argument stands for one session: a file, or a name.
func IsOneSession(argument string) bool {
	path, name, info, err := source.SplitPlace(argument)
	return err != nil || name != "" || !info.IsDir() && !dbfile.Is(path) && !bundle.Is(path)
}

// CurrentOf leaves earlier generations out, unless there is nothing else.
func CurrentOf(sessions []*source.Session) []*source.Session {
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

// ErrExists is the error for a file that exists with other content.
var ErrExists error = &failure.Sentinel{
	Code: failure.Exists, Text: "the file exists with other content", Again: []string{"--force"},
}

// Place writes one file, atomically, and returns what happened to it: "written" or "unchanged".
func Place(a *cli.App,
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
	case err == nil && !a.Output.Options.Force:
		return "", n, ErrExists
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

// A CopyRun is a run that writes changed copies of sessions.
type CopyRun struct {
	App     *cli.App
	options cli.SourceOptions
	Out     string // -o; "" if nothing is written
	Folder  bool   // it is a folder
	Match   *source.Match
	Items   []migrate.Item // of the sessions, in order
	Root    *os.Root
	base    string // of the only file
}

// NewCopying finds the sessions of a run and decides what -o means.
func NewCopying(a *cli.App, operands []string, options cli.SourceOptions, needsOutput bool) (*CopyRun, error) {
	c := &CopyRun{App: a, options: options}
	if !a.Output.Options.IsStdout() {
		c.Out = a.Output.Options.Path
	}
	switch {
	case len(operands) == 0 && !options.Narrows():
		return nil, failure.Usage(a.ListCommand(), "no session given")
	case needsOutput && c.Out == "":
		return nil, failure.Usage(a.CommandLine("-o", "copy.jsonl"), "the copy needs a file or a folder: -o")
	}
	if len(operands) == 0 {
		operands = []string{cli.HomeArgument}
	}
	namesOne := options.Session != "" || len(operands) == 1 && IsOneSession(operands[0])
	c.Folder = IsFolderOutput(c.Out, namesOne)
	return c, c.find(operands, namesOne)
}

// find finds the sessions. One file takes one session: of those with a name, the current one.
func (c *CopyRun) find(operands []string, namesOne bool) error {
	s := cli.Search{SourceOptions: c.options, Defaults: cli.EveryKind}
	one := c.Out != "" && !c.Folder
	if namesOne && one {
		s.Defaults = cli.LiveOnly
	}
	m, err := cli.FindTranscripts(c.App, operands, s)
	switch {
	case err != nil:
		return err
	case len(m.Sessions) == 0:
		return c.App.Outcome.Err()
	case !m.ByName:
		cli.BlameProblems(c.App, m.Places)
	case one:
		m.Sessions = CurrentOf(m.Sessions)
	}
	if one && len(m.Sessions) > 1 {
		return failure.Usage(c.App.CommandLine("-o", "copies/"),
			"cannot write %d sessions to one file: name one of them, or give -o a folder", len(m.Sessions))
	}
	c.Match = m
	c.Items = migrate.ConvertNames(migrate.SourceItems(m.Sessions))
	return nil
}

// Open makes the folder of the copies, and removes what a killed run has left in it.
func (c *CopyRun) Open() error {
	var err error
	folder := c.Out
	if !c.Folder {
		folder, c.base = filepath.Dir(c.Out), filepath.Base(c.Out)
		if err := cli.MayCreate(c.Out, true, ""); err != nil {
			return err
		}
	} else if err := atomicfile.MkdirAll(folder); err != nil {
		return cli.OutputError(folder, err)
	}
	if c.Root, err = os.OpenRoot(folder); err != nil {
		return cli.OutputError(folder, err)
	}
	atomicfile.RemoveStale(folder)
	return nil
}

// NameOf returns the path of a copy in the folder.
func (c *CopyRun) NameOf(i int) string {
	if !c.Folder {
		return c.base
	}
	return c.Items[i].Path
}

// shownName returns the path of a file in the folder, as reports show it.
func (c *CopyRun) shownName(name string) string {
	if !c.Folder {
		return c.Out
	}
	return filepath.Join(c.Out, filepath.FromSlash(name))
}

// Read opens a session and hands its text to a function. A session that cannot be read is reported.
func (c *CopyRun) Read(s *source.Session, do func(in *source.Input) error) error {
	err := cli.WithInput(c.App, s, func(_ *source.Session, in *source.Input) error { return do(in) })
	if c.App.Ctx.Err() != nil {
		return cli.Interrupted(c.App)
	}
	return err
}

// BlameCopy reports a copy that could not be written, and goes on with the others.
func (c *CopyRun) BlameCopy(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case c.App.Ctx.Err() != nil:
		return cli.Interrupted(c.App)
	case !errors.As(err, new(*failure.Error)):
		err = cli.ReadError(c.shownName(name), err)
	}
	c.App.Blame(err)
	return nil
}

// ReadOptions are how copies are read: on all cores, until the run is interrupted.
func (c *CopyRun) ReadOptions() jsonl.Options {
	return jsonl.Options{Jobs: parallel.Share(0, 1, 1), BeforeRead: c.App.Ctx.Err}
}

// PutIndexes writes the sessions.json files of a folder of copies.
func (c *CopyRun) PutIndexes() error {
	if !c.Folder {
		return nil
	}
	indexes, err := migrate.Indexes(c.Items, "", true)
	if err != nil {
		return failure.Internal(err)
	}
	for _, index := range indexes {
		_, _, err := Place(c.App, c.Root, index.Path, time.Time{}, func(w io.Writer) (int64, error) {
			n, err := w.Write(index.Text)
			return int64(n), err
		})
		if err := c.BlameCopy(index.Path, err); err != nil {
			return err
		}
	}
	return nil
}

// WriteNew writes a file of its own, atomically. What belongs beside it is there before.
func WriteNew(a *cli.App, path string, policy atomicfile.Policy, text io.Reader, beside []change.NewFile) error {
	file, err := atomicfile.Create(path, atomicfile.Options{Policy: policy})
	if err != nil {
		return cli.CreateError(path, err, a.Output.Options.ForceHint)
	}
	defer file.Abandon()
	if _, err := io.Copy(file, text); err != nil {
		return cli.OutputError(path, err)
	}
	for _, f := range beside {
		if err := atomicfile.WriteFile(f.Path, f.Data, atomicfile.Options{Policy: atomicfile.ReplaceRegular}); err != nil {
			return cli.OutputError(f.Path, err)
		}
	}
	if err := file.Commit(); err != nil {
		return cli.CreateError(path, err, a.Output.Options.ForceHint)
	}
	return nil
}
