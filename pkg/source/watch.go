package source

import "io"

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
	if in.counter != nil {
		in.counter.read = read
		return
	}
	if file, ok := in.Reader.(seekableFile); ok {
		in.Reader = &watchedFile{file, read}
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

type watchedFile struct {
	seekableFile
	read func(n int64)
}

func (w *watchedFile) Read(p []byte) (int, error) {
	n, err := w.seekableFile.Read(p)
	w.read(int64(n))
	return n, err
}

type watchedStream struct {
	io.Reader
	read func(n int64)
}

func (w *watchedStream) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.read(int64(n))
	return n, err
}
