package source

import (
	"io"
	"sync/atomic"
)

// Watch makes the sessions call read with the number of bytes read from their files, from whichever goroutine reads
// them. It returns the total size of the sessions.
func Watch(sessions []*Session, read func(n int64)) (total int64) {
	for _, s := range sessions {
		s.read = read
		total += s.Bytes
	}
	return total
}

// watch calls read with the number of bytes read from the input.
func (in *Input) watch(read func(n int64)) {
	if in.packed != nil {
		in.packed.Watch(read)
		return
	}
	if file, ok := in.Reader.(seekableFile); ok {
		in.Reader = newWatchedFile(file, read)
		return
	}
	in.Reader = &watchedStream{in.Reader, read}
}

// A seekableFile lets a reader look ahead in long lines.
type seekableFile interface {
	io.Reader
	io.ReaderAt
	io.Seeker
}

// A watchedFile may be read by several goroutines, and in parts twice. The place that has been reached counts.
type watchedFile struct {
	file    seekableFile
	read    func(n int64)
	at      int64 // where Read goes on
	isBegun atomic.Bool
	reached atomic.Int64
}

func newWatchedFile(file seekableFile, read func(n int64)) *watchedFile {
	w := &watchedFile{file: file, read: read}
	_, _ = w.Seek(0, io.SeekCurrent) // a file that has no place is at 0
	return w
}

func (w *watchedFile) Read(p []byte) (int, error) {
	n, err := w.file.Read(p)
	w.at += int64(n)
	w.reach(w.at)
	return n, err
}

func (w *watchedFile) ReadAt(p []byte, offset int64) (int, error) {
	n, err := w.file.ReadAt(p, offset)
	if n > 0 {
		w.reach(offset + int64(n))
	}
	return n, err
}

// Seek does not count what is passed over before the first read.
func (w *watchedFile) Seek(offset int64, whence int) (int64, error) {
	at, err := w.file.Seek(offset, whence)
	if err != nil {
		return at, err
	}
	w.at = at
	if !w.isBegun.Load() {
		w.reached.Store(at)
	}
	return at, nil
}

// reach counts what lies between a place and all places before.
func (w *watchedFile) reach(place int64) {
	w.isBegun.Store(true)
	for before := w.reached.Load(); place > before; before = w.reached.Load() {
		if w.reached.CompareAndSwap(before, place) {
			w.read(place - before)
			return
		}
	}
}

type watchedStream struct {
	from io.Reader
	read func(n int64)
}

func (w *watchedStream) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	w.read(int64(n))
	return n, err
}
