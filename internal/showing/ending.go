package showing

import (
	"context"
	"errors"
	"os"

	"clawctl/internal/cli"
	"clawctl/internal/parallel"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/rebuild"
)

// largeFile is the size from which on a file is read from its end.
const largeFile = 1 << 20

// printEnding prints the last turns from the end of a large file. done is false if all of it must be read.
func (s *View) printEnding() (done bool, err error) {
	ending, err := s.readEnding()
	if err != nil || ending == nil {
		return false, nil // a complete reading reports the error
	}
	if err := s.printHead(); err != nil {
		return true, err
	}
	out := newTextOutput(s)
	marks := ending.Marks()
	m := s.maker()
	for rec, err := range ending.Records() {
		if err != nil {
			return true, cli.ReadError(s.Session.Place(), err)
		}
		mark := marks[rec.Line-1]
		if !mark.OnPath {
			continue
		}
		at := parts.Position{OnPath: true, InContext: mark.Shown}
		if err := out.entry(m.Entry(rec), at, ""); err != nil {
			return true, err
		}
	}
	if err := out.text.Close(); err != nil {
		return true, err
	}
	return true, nil
}

// errNoEnding ends the search for a title of which nobody needs the result.
var errNoEnding = errors.New("all of the session must be read")

// readEnding returns the last turns, or nil if all of the session must be read. The title, which may be anywhere, is
// looked for meanwhile.
func (s *View) readEnding() (ending *rebuild.Ending, err error) {
	o := s.Options
	if o.Last == 0 || o.Leaf != "" || o.Program != "" || !s.Span.IsAll() || !s.Session.IsFile() {
		return nil, nil
	}
	raw, err := s.Session.OpenRaw()
	if err != nil {
		return nil, err
	}
	defer raw.Close()
	file, ok := raw.(*os.File)
	if !ok {
		return nil, nil
	}
	info, err := file.Stat()
	if err != nil || info.Size() < largeFile {
		return nil, err
	}
	var title string
	none := func() struct{} { return struct{}{} }
	err = parallel.Run(s.App.Ctx, 2, 2, none, func(ctx context.Context, _ struct{}, i int) (err error) {
		if i == 0 {
			title = s.Session.ReadTitle(ctx)
			return nil
		}
		if ending, err = rebuild.ReadEnding(file, info.Size(), o.Last, parts.StartsTurn); ending == nil && err == nil {
			return errNoEnding
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s.Facts.title = title
	return ending, nil
}
