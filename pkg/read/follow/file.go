package follow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"clawctl/internal/openfile"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/store/dbfile"
)

// anchorSize is how many bytes before the position are remembered, to recognize a text that was changed.
const anchorSize = 256

// A file follows a JSONL file by its name.
//
// The file stays open, so that what was written just before it was renamed is read too. Another file of the same name
// is continued at the same place if it has the same text before it, and read from its start otherwise. So is a file
// that became shorter, or whose text before the position is no longer the one that was read.
type file struct {
	path    string
	openRaw func() (io.ReadCloser, error)

	file    *os.File    // nil if it is not open
	info    fs.FileInfo // what the name led to at the last poll, nil if to nothing
	removed bool        // this was said
	offset  int64       // of the first byte that was not returned
	lines   int64       // before the offset, or -1 if that is not known
	blank   int64       // up to here no line ends after the offset
	anchor  []byte      // the bytes before the offset

	numbered bool // records get the numbers of their lines
}

// holdsFiles is false if an open file cannot be renamed by others.
const holdsFiles = runtime.GOOS != "windows"

// Last reads the last records, from the end.
func (f *file) Last(ctx context.Context, e *Ending) error {
	info, err := f.open()
	if err != nil {
		return err
	}
	defer f.release()
	f.info = info
	if err := f.checkEmpty(info); err != nil {
		return err
	}
	end := info.Size()
	if e.Growing {
		if end, err = jsonl.LineEnd(f.file, 0, end); err != nil {
			return err
		}
	}
	f.numbered = e.Numbered
	if e.Want == 0 {
		f.lines = -1 // they are counted when there is something to number
	} else if f.lines, err = readLast(ctx, f.file, end, e); err != nil {
		return err
	}
	f.offset = end
	f.blank = info.Size()
	return f.drop()
}

// Poll reads what was appended.
func (f *file) Poll(ctx context.Context, yield func(Event) error) error {
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.lose(ctx, yield)
	case err != nil:
		return err
	case f.info != nil && isUnchanged(f.info, info):
		return nil
	case f.info != nil && !os.SameFile(f.info, info):
		if err := f.leave(ctx, yield); err != nil {
			return err
		}
	}
	change := Truncated
	if f.info == nil {
		change = Replaced
	}
	if info, err = f.open(); err != nil {
		return err
	}
	defer f.release()
	f.info, f.removed = info, false
	if ok, err := f.continues(info.Size()); err != nil {
		return err
	} else if !ok {
		f.offset, f.lines, f.blank, f.anchor = 0, 0, 0, nil
		if err := yield(Event{Change: change}); err != nil {
			return err
		}
	}
	return f.read(ctx, info.Size(), yield)
}

// isUnchanged reports whether nothing has happened to a file.
func isUnchanged(before, now fs.FileInfo) bool {
	return before.Size() == now.Size() && before.ModTime().Equal(now.ModTime()) &&
		dbfile.ChangeTime(before) == dbfile.ChangeTime(now) && os.SameFile(before, now)
}

// open opens the file that has the name now, unless one is open, and returns what is known about it.
func (f *file) open() (fs.FileInfo, error) {
	if f.file == nil {
		raw, err := f.openRaw()
		if err != nil {
			return nil, err
		}
		file, ok := raw.(*os.File)
		if !ok {
			raw.Close()
			return nil, &fs.PathError{Op: "open", Path: f.path, Err: openfile.ErrNotRegular}
		}
		f.file = file
	}
	info, err := f.file.Stat()
	if err != nil {
		return info, err
	}
	if info.IsDir() { // Windows reads one as if it were empty
		return nil, errors.Join(&fs.PathError{Op: "read", Path: f.path, Err: openfile.ErrNotRegular}, f.Close())
	}
	return info, nil
}

// checkEmpty refuses a file that has no size and is not empty, such as those of the kernel. It has no end to begin at.
func (f *file) checkEmpty(info fs.FileInfo) error {
	if info.Size() > 0 {
		return nil
	}
	n, err := f.file.ReadAt(make([]byte, 1), 0)
	if n == 0 && errors.Is(err, io.EOF) {
		return nil
	}
	if now, statErr := f.file.Stat(); n > 0 && statErr == nil && now.Size() > 0 {
		return nil // it was written to just now
	}
	if n > 0 {
		err = &fs.PathError{Op: "read", Path: f.path, Err: openfile.ErrNotRegular}
	}
	return err
}

// release closes the file if it must not stay open.
func (f *file) release() {
	if !holdsFiles {
		f.Close()
	}
}

// lose notes that the name leads to nothing, after reading the rest of what it led to.
func (f *file) lose(ctx context.Context, yield func(Event) error) error {
	if f.info == nil {
		return nil
	}
	if err := f.leave(ctx, yield); err != nil || f.removed {
		return err
	}
	f.removed = true
	return yield(Event{Change: Removed})
}

// leave reads the rest of a file that lost its name. Its last line counts even if it has no line end.
func (f *file) leave(ctx context.Context, yield func(Event) error) error {
	f.info, f.blank = nil, 0
	if f.file == nil {
		return nil
	}
	defer f.Close()
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	if ok, err := f.continues(info.Size()); err != nil || !ok {
		return err
	}
	return f.readTo(ctx, info.Size(), yield)
}

// continues reports whether the open file still has the text before the position.
func (f *file) continues(size int64) (bool, error) {
	if size < f.offset {
		return false, nil
	}
	have := make([]byte, len(f.anchor))
	if _, err := f.file.ReadAt(have, f.offset-int64(len(have))); err != nil && err != io.EOF {
		return false, err
	}
	return bytes.Equal(have, f.anchor), nil
}

// longLine is the size from which an unfinished line is not searched for a line end again and again.
const longLine = 1 << 20

// read returns the lines that have a line end.
func (f *file) read(ctx context.Context, size int64, yield func(Event) error) error {
	from := f.offset
	if f.blank-f.offset > longLine {
		from = min(f.blank, size)
	}
	end, err := jsonl.LineEnd(f.file, from, size)
	if err != nil {
		return err
	}
	f.blank = size
	if end == from {
		return nil
	}
	return f.readTo(ctx, end, yield)
}

// readTo returns the records up to an offset.
func (f *file) readTo(ctx context.Context, end int64, yield func(Event) error) error {
	var err error
	if f.numbered && f.lines < 0 {
		if f.lines, err = jsonl.CountLines(f.file, f.offset); err != nil {
			return err
		}
	}
	opts := jsonl.Options{BytesBefore: f.offset, LinesBefore: max(0, f.lines), BeforeRead: ctx.Err}
	for rec, err := range jsonl.Records(io.NewSectionReader(f.file, f.offset, end-f.offset), opts) {
		if err != nil {
			return fmt.Errorf("read %s: %w", f.path, err)
		}
		f.offset = rec.Offset + int64(len(rec.Raw))
		if f.lines < 0 {
			withoutLine(rec)
		} else {
			f.lines = rec.Line
		}
		if err := yield(Event{Record: rec}); err != nil {
			return errors.Join(err, f.drop())
		}
	}
	return f.drop()
}

// drop drops an anchor at the position.
func (f *file) drop() error {
	f.anchor = make([]byte, min(anchorSize, f.offset))
	_, err := f.file.ReadAt(f.anchor, f.offset-int64(len(f.anchor)))
	if err == io.EOF {
		err = nil // it was cut meanwhile, which the next poll will notice
	}
	return err
}

// Close closes the file.
func (f *file) Close() error {
	if f.file == nil {
		return nil
	}
	file := f.file
	f.file = nil
	return file.Close()
}
