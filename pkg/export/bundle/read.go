package bundle

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"clawctl/internal/openfile"
)

// Suffix ends the name of a bundle.
const Suffix = ".tar.zst"

// Is reports whether a file is a bundle, by its name or by its beginning.
func Is(path string) bool {
	if strings.HasSuffix(strings.ToLower(path), Suffix) {
		return true
	}
	file, err := openfile.Regular(path)
	if err != nil {
		return false
	}
	defer file.Close()
	magic := make([]byte, 4)
	if _, err := io.ReadFull(file, magic); err != nil || string(magic) != "\x28\xb5\x2f\xfd" {
		return false
	}
	decoder, err := newDecoder(io.MultiReader(bytes.NewReader(magic), file))
	if err != nil {
		return false
	}
	defer decoder.Close()
	start := make([]byte, len(manifestName)+1)
	_, err = io.ReadFull(decoder, start)
	return err == nil && string(start) == manifestName+"\x00"
}

// A Reader is an open bundle. Its files may be opened from several goroutines.
type Reader struct {
	Manifest
	file     io.ReaderAt
	close    func() error
	spans    []span // of the files
	decoders decoders
}

// A span is where the frame of a file is in the bundle, and how many files are before it in the frame.
type span struct {
	start, size int64
	before      int
}

// Open reads and checks all of a bundle. It returns a RefusedError if anything in it is not as its manifest says.
func Open(ctx context.Context, path string) (*Reader, error) {
	file, err := openfile.Regular(path)
	if errors.Is(err, openfile.ErrNotRegular) {
		return nil, refused("", "it is not a regular file")
	}
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	var r *Reader
	if err == nil {
		r, err = newReader(ctx, file, info.Size())
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	r.close = file.Close
	return r, nil
}

// newReader is Open for a file that is already open.
func newReader(ctx context.Context, file io.ReaderAt, size int64) (*Reader, error) {
	r := &Reader{file: file, decoders: make(decoders, maxCheckers)}
	if err := (&checker{reader: r, size: size}).run(ctx); err != nil {
		return nil, asRefused(err)
	}
	return r, nil
}

// asRefused returns every error that the content of a bundle causes as a RefusedError.
func asRefused(err error) error {
	var path *os.PathError
	if errors.As(err, new(*RefusedError)) || errors.As(err, &path) || errors.Is(err, errNewer) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &RefusedError{Reason: "it cannot be read", Err: err}
}

// Close closes the bundle.
func (r *Reader) Close() error {
	if r.close == nil {
		return nil
	}
	return r.close()
}

// Open opens a file of the bundle, by its number in the manifest.
func (r *Reader) Open(i int) (io.ReadCloser, error) {
	m, err := r.member(i)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// PlaceOf returns the place of a file of the bundle, by its number in the manifest.
func (r *Reader) PlaceOf(i int) (Position, error) {
	m, err := r.member(i)
	if err != nil {
		return Position{}, err
	}
	defer m.Close()
	at := r.spans[i]
	return Position{Frame: at.start, FrameSize: at.size, Skip: m.start, Size: r.Files[i].Size}, nil
}

// member opens a file in its frame.
func (r *Reader) member(i int) (*openMember, error) {
	at := r.spans[i]
	decoder, err := r.decoders.borrow(io.NewSectionReader(r.file, at.start, at.size))
	if err != nil {
		return nil, err
	}
	// The reader of tar archives reads nothing after a header before it is asked to.
	in := &readCounter{in: decoder}
	archive := tar.NewReader(in)
	m := &openMember{Reader: archive, close: func() error { r.decoders.giveBack(decoder); return nil }}
	for range at.before + 1 {
		if _, err := archive.Next(); err != nil {
			m.Close()
			return nil, asRefused(err)
		}
	}
	m.start = in.n
	return m, nil
}

// An openMember is an open file of a bundle. Closing it lets another file use the decompressor, once.
type openMember struct {
	io.Reader
	close func() error
	start int64 // in the text of its frame
}

// Close closes the file.
func (m *openMember) Close() error {
	if m.close == nil {
		return os.ErrClosed
	}
	done := m.close
	m.Reader, m.close = errReader{os.ErrClosed}, nil
	return done()
}

// A readCounter counts what is read through it.
type readCounter struct {
	in io.Reader
	n  int64
}

func (c *readCounter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	return n, err
}
