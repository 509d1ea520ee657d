package source

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

const (
	maxZstdWindow = 128 << 20 // the memory that a reader needs
	magicSize     = 4
)

// Errors from opening and decompressing a file.
var (
	ErrIsDirectory = errors.New("is a directory")
	ErrBomb        = fmt.Errorf("expands to more than %d times its size", bundle.MaxExpansion)
	ErrWindow      = fmt.Errorf("needs a window of more than %d MiB to decompress", maxZstdWindow>>20)
)

// A CompressionError says that a file cannot be decompressed after Offset bytes of its text.
type CompressionError struct {
	Format string
	Offset int64
	Err    error
}

func (e *CompressionError) Error() string {
	return fmt.Sprintf("damaged %s data after byte %d of the text: %v", e.Format, e.Offset, e.Err)
}

func (e *CompressionError) Unwrap() error { return e.Err }

// decompressors are the commands that decompress whatever it takes.
var decompressors = map[string]string{"gzip": "gzip -dc", "zstd": "zstd -dc --long=31"}

// FailureAt says how to read what clawctl refuses to decompress. Of a damaged file, the beginning was read.
func (e *CompressionError) FailureAt(path string) *failure.Error {
	if errors.Is(e, ErrBomb) || errors.Is(e, ErrWindow) {
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

// A guard stops a decompression bomb and gives every error of the decompressor its type.
type guard struct {
	src        io.Reader
	format     string
	compressed *countingReader
	n          int64
}

func (g *guard) Read(p []byte) (int, error) {
	n, err := g.src.Read(p)
	g.n += int64(n)
	if err == nil && bundle.IsBomb(g.compressed.n, g.n) {
		err = ErrBomb
	}
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		err = ErrWindow
	}
	if err != nil && err != io.EOF && g.compressed.err == nil {
		err = &CompressionError{Format: g.format, Offset: g.n, Err: err}
	}
	return n, err
}

// A countingReader counts the bytes it passes on and remembers an error that did not come from the decompressor.
type countingReader struct {
	read func(n int64) // called with the number of bytes read; may be nil
	src  io.Reader
	n    int64
	err  error
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	c.n += int64(n)
	if c.read != nil {
		c.read(int64(n))
	}
	c.err = notEOF(err)
	return n, err
}
