package bundle

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"

	"clawctl/internal/failure"
)

// A Source is a file that goes into a bundle.
type Source struct {
	Path     string
	Kind     Kind
	Modified time.Time
	// WriteTo writes its content. It is called twice: the manifest comes first.
	WriteTo func(ctx context.Context, w io.Writer) error
}

// ErrChanged is the error for a file whose beginning changed while the bundle was written.
var ErrChanged error = failure.NewSentinel(failure.Changed, failure.Changed.Words()).WithAgain()

// A SourceError says which file could not be read.
type SourceError struct {
	Source *Source
	Err    error
}

func (e *SourceError) Error() string { return e.Source.Path + ": " + e.Err.Error() }
func (e *SourceError) Unwrap() error { return e.Err }

// Measure reads the sources once and returns the manifest of their bundle.
func Measure(ctx context.Context, sources []Source, redacted bool) (*Manifest, error) {
	m := &Manifest{Format: format, Version: version, Redacted: redacted, Files: []File{}}
	for i := range sources {
		s := &sources[i]
		sum := newDigest()
		if err := s.WriteTo(ctx, sum); err != nil {
			return nil, &SourceError{s, err}
		}
		f := File{Path: s.Path, Kind: s.Kind, Size: sum.n, SHA256: sum.hex()}
		if !s.Modified.IsZero() {
			f.Modified = min(max(s.Modified.Unix(), 0), maxTime)
		}
		m.Files = append(m.Files, f)
	}
	return m, m.check()
}

// Write writes the bundle of a manifest that Measure made from the same sources. Of a file that has grown since, the
// bundle has the beginning that was measured.
func Write(ctx context.Context, w io.Writer, m *Manifest, sources []Source) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	out, err := newFrames(w)
	if err != nil {
		return err
	}
	manifest := File{Path: ManifestName, Size: int64(len(text))}
	if err := out.member(&manifest, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}); err != nil {
		return err
	}
	for i := range sources {
		if err := out.source(ctx, &m.Files[i], &sources[i]); err != nil {
			return err
		}
	}
	return out.finish()
}

// frames writes members, each as a zstd frame.
type frames struct {
	out     io.Writer
	encoder *zstd.Encoder
	tar     *tar.Writer
}

func newFrames(out io.Writer) (*frames, error) {
	// One goroutine, because the bytes must not depend on the number of cores.
	encoder, err := zstd.NewWriter(out, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(windowSize))
	return &frames{out, encoder, tar.NewWriter(encoder)}, err
}

func (w *frames) member(f *File, write func(io.Writer) error) error {
	w.encoder.Reset(w.out)
	err := w.tar.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: f.Path, Size: f.Size, Mode: 0o600, ModTime: time.Unix(f.Modified, 0),
	})
	if err == nil {
		err = write(w.tar)
	}
	if err == nil {
		err = w.tar.Flush()
	}
	if err != nil {
		return err
	}
	return w.encoder.Close()
}

// source writes a file and compares it with the manifest.
func (w *frames) source(ctx context.Context, f *File, s *Source) error {
	return w.member(f, func(out io.Writer) error {
		sum := newDigest()
		if err := s.WriteTo(ctx, &beginning{io.MultiWriter(out, sum), f.Size}); err != nil {
			return &SourceError{s, err}
		}
		if sum.n != f.Size || sum.hex() != f.SHA256 {
			return &SourceError{s, ErrChanged}
		}
		return nil
	})
}

// finish writes the end of the tar archive.
func (w *frames) finish() error {
	w.encoder.Reset(w.out)
	if err := w.tar.Close(); err != nil {
		return err
	}
	return w.encoder.Close()
}

// A beginning passes the first bytes on and drops the rest.
type beginning struct {
	io.Writer
	left int64
}

func (b *beginning) Write(p []byte) (int, error) {
	kept := p[:min(int64(len(p)), b.left)]
	b.left -= int64(len(kept))
	if n, err := b.Writer.Write(kept); err != nil {
		return n, err
	}
	return len(p), nil
}

// A digest sums up what is written to it.
type digest struct {
	hash.Hash
	n int64
}

func newDigest() *digest { return &digest{Hash: sha256.New()} }

func (d *digest) Write(p []byte) (int, error) {
	d.n += int64(len(p))
	return d.Hash.Write(p)
}

func (d *digest) hex() string { return hex.EncodeToString(d.Sum(nil)) }
