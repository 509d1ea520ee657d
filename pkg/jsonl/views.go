package jsonl

import (
	"io"

	"clawctl/internal/openfile"
)

// viewSize is how much of a file a view has, and longestView how much if a line is longer. A file that is smaller than
// smallestView is read faster than it is mapped.
const smallestView, viewSize, longestView = 256 << 10, 4 << 20, 64 << 20

// A mappable stream is a file that can be looked at where it lies.
type mappable interface {
	seekable
	Map(offset int64, length int) (*openfile.View, error)
}

// views cut a file into batches of whole lines without reading it. The rest, from the last line end or from a very long
// line on, is left to a filler.
type views struct {
	file  mappable
	opts  Options
	start int64 // of the stream in the file
	done  int64 // bytes that were in views
}

// newViews returns the views of a stream, or nil if it cannot be looked at, or is read faster because it is short.
func newViews(src io.Reader, opts Options) *views {
	file, ok := src.(mappable)
	if !ok || opts.MaxLine < longestView {
		return nil
	}
	start, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil
	}
	end, err := file.Seek(0, io.SeekEnd)
	if _, failed := file.Seek(start, io.SeekStart); err != nil || failed != nil || end-start < smallestView {
		return nil
	}
	return &views{file: file, opts: opts, start: start}
}

// next returns the next batch of a view. It has no view if the rest is to be read.
func (v *views) next() (Batch, error) {
	for size := viewSize; size <= longestView; size *= 4 {
		if v.opts.BeforeRead != nil {
			if err := v.opts.BeforeRead(); err != nil {
				return Batch{}, err
			}
		}
		if b, isWhole := v.lines(size); b.view != nil || isWhole {
			return b, nil
		}
	}
	return Batch{}, nil
}

// lines returns the whole lines of a view of some bytes. isWhole is set if no larger view has more lines.
func (v *views) lines(size int) (b Batch, isWhole bool) {
	view, err := v.file.Map(v.start+v.done, size)
	if err != nil {
		return Batch{}, true // the end of the file, or an error that reading it will find
	}
	end := -1
	isComplete := view.Look(func() { end = LastNewline(view.Bytes) })
	if !isComplete || end < 0 {
		view.Close()
		return Batch{}, !isComplete || len(view.Bytes) < size
	}
	b = Batch{Text: view.Bytes[:end+1], Offset: v.opts.BytesBefore + v.done, view: view, file: v.file,
		at: v.start + v.done}
	v.done += int64(len(b.Text))
	return b, true
}
