package bundle

import (
	"io"
	"os"
)

// A Place is where a file is in a bundle. It opens the file without the manifest, and without reading more of the
// bundle than the frame up to the file.
type Place struct {
	Frame, FrameSize int64 // of the frame, in the bundle
	Skip, Size       int64 // of the file, in the text of the frame
}

// OpenAt opens a file of the bundle at a path. What it returns must be compared with a digest, because the bundle may
// have been replaced by another one.
func OpenAt(path string, at Place) (io.ReadCloser, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	decoder, err := newDecoder(io.NewSectionReader(file, at.Frame, at.FrameSize))
	if err != nil {
		file.Close()
		return nil, err
	}
	r := &placeReader{io.LimitReader(decoder, at.Size), func() error { decoder.Close(); return file.Close() }}
	if _, err := io.CopyN(io.Discard, decoder, at.Skip); err != nil {
		r.Close()
		return nil, asRefused(err)
	}
	return r, nil
}

type placeReader struct {
	io.Reader
	close func() error
}

func (r *placeReader) Close() error { return r.close() }
