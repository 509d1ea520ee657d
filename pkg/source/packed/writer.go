package packed

import (
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// IsPacked reports whether a file with these first bytes is compressed.
func IsPacked(magic []byte) bool { return isGzip(magic) || isZstd(magic[:min(len(magic), MagicSize)]) }

// NewWriter returns a writer that compresses a text as a file with these first bytes is compressed. The same text gives
// the same bytes.
func NewWriter(w io.Writer, magic []byte) (io.WriteCloser, error) {
	if isGzip(magic) {
		return gzip.NewWriter(w), nil
	}
	return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
}
