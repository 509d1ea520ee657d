// Package packed reads and writes texts that gzip or zstd has compressed. It limits what a text may expand to and how
// much memory reading takes, and it finds what a compressed file has besides its text.
package packed

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"clawctl/internal/failure"
	"clawctl/pkg/export/bundle"
)

// MagicSize is how many bytes at the beginning of a file say whether it is compressed.
const MagicSize = 4

// maxZstdWindow is the memory that a reader of zstd may take.
const maxZstdWindow = 128 << 20

// Errors from decompressing a file. An [Error] wraps them.
var (
	ErrBomb   = fmt.Errorf("expands to more than %d times its size", bundle.MaxExpansion)
	errWindow = fmt.Errorf("needs a window of more than %d MiB to decompress", maxZstdWindow>>20)
)

// An Error says that a file cannot be decompressed after Offset bytes of its text.
type Error struct {
	Format string
	Offset int64
	Err    error
}

func (e *Error) Error() string {
	return fmt.Sprintf("damaged %s data after byte %d of the text: %v", e.Format, e.Offset, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// decompressors are the commands that decompress whatever it takes.
var decompressors = map[string]string{"gzip": "gzip -dc", "zstd": "zstd -dc --long=31"}

// FailureAt says how to read what clawctl refuses to decompress. Of a damaged file, the beginning was read.
func (e *Error) FailureAt(path string) *failure.Error {
	if errors.Is(e, ErrBomb) || errors.Is(e, errWindow) {
		return failure.New(failure.BadCompression, "%v", e.Err).At(path).WithExit(failure.ExitUsage).
			WithHint(decompressors[e.Format] + " " + failure.Quote(path) + " | clawctl cat -")
	}
	return failure.New(failure.BadCompression, "%s", failure.Reason(e)).At(path).AfterWork()
}

// A compression is a format that is decompressed while reading.
type compression struct {
	name    string
	matches func(magic []byte) bool
	open    func(io.Reader) (io.Reader, func(), error)
}

var compressions = []compression{
	{"zstd", isZstd, openZstd},
	{"gzip", isGzip, openGzip},
}

func isGzip(magic []byte) bool { return bytes.HasPrefix(magic, []byte("\x1f\x8b")) }

// isZstd reports whether data starts with a zstd frame, or with a skippable frame, which may come first.
func isZstd(magic []byte) bool {
	if len(magic) < 4 {
		return false
	}
	return bytes.Equal(magic, []byte("\x28\xb5\x2f\xfd")) || magic[0]&0xf0 == 0x50 &&
		bytes.Equal(magic[1:], []byte("\x2a\x4d\x18"))
}

func openZstd(src io.Reader) (io.Reader, func(), error) {
	d, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxZstdWindow))
	if err != nil {
		return nil, nil, err
	}
	return d, d.Close, nil
}

func openGzip(src io.Reader) (io.Reader, func(), error) {
	d, err := gzip.NewReader(src)
	if err != nil {
		return nil, nil, err
	}
	return d, func() { d.Close() }, nil
}

// A Reader decompresses a file. It stops a decompression bomb and gives every error of the decompressor its type.
type Reader struct {
	text    io.Reader
	format  string
	file    fileReader
	n       int64
	release func()
}

// NewReader returns a reader of the text of a file whose first MagicSize bytes are magic. It is nil if the file is not
// compressed.
func NewReader(file io.Reader, magic []byte) (*Reader, error) {
	for _, f := range compressions {
		if !f.matches(magic) {
			continue
		}
		r := &Reader{format: f.name, file: fileReader{src: file}}
		var err error
		if r.text, r.release, err = f.open(&r.file); err != nil {
			return nil, &Error{Format: f.name, Err: err}
		}
		return r, nil
	}
	return nil, nil
}

// Read reads the text.
func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.text.Read(p)
	r.n += int64(n)
	if err == nil && bundle.IsBomb(r.file.n, r.n) {
		err = ErrBomb
	}
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		err = errWindow
	}
	if err != nil && err != io.EOF && r.file.err == nil {
		err = &Error{Format: r.format, Offset: r.n, Err: err}
	}
	return n, err
}

// Watch makes the reader call read with the number of bytes read from the file.
func (r *Reader) Watch(read func(n int64)) { r.file.read = read }

// Close releases the decompressor. It does not close the file.
func (r *Reader) Close() { r.release() }

// A fileReader counts the bytes it passes on and remembers an error that did not come from the decompressor.
type fileReader struct {
	read func(n int64) // called with the number of bytes read; may be nil
	src  io.Reader
	n    int64
	err  error
}

func (f *fileReader) Read(p []byte) (int, error) {
	n, err := f.src.Read(p)
	f.n += int64(n)
	if f.read != nil {
		f.read(int64(n))
	}
	f.err = notEOF(err)
	return n, err
}

func notEOF(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil
	}
	return err
}
