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
var ErrChanged error = &failure.Sentinel{Code: failure.Changed, Again: []string{}}

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
// bundle has the beginning that was measured. It returns where each file is.
func Write(ctx context.Context, w io.Writer, m *Manifest, sources []Source) ([]Position, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	out, err := newFrames(w, m.level())
	if err != nil {
		return nil, err
	}
	manifest := File{Path: manifestName, Size: int64(len(text))}
	if err := out.frame(func() error {
		_, err := out.member(&manifest, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
		return err
	}); err != nil {
		return nil, err
	}
	places := make([]Position, len(sources))
	groups := m.groups()
	for i, first := range groups[:len(groups)-1] {
		group := places[first:groups[i+1]]
		if err := out.group(ctx, group, m.Files[first:], sources[first:]); err != nil {
			return nil, err
		}
	}
	return places, out.finish()
}

// level is how hard the encoder tries. A bundle that is grouped is kept for long, and is to be small.
func (m *Manifest) level() zstd.EncoderLevel {
	if m.Version == groupedVersion {
		return zstd.SpeedBestCompression
	}
	return zstd.SpeedDefault
}

// frames writes members, one or several in a zstd frame.
type frames struct {
	out     *counter // the bundle
	encoder *zstd.Encoder
	inside  *counter // what goes into the encoder
	tar     *tar.Writer
}

func newFrames(out io.Writer, level zstd.EncoderLevel) (*frames, error) {
	counted := &counter{to: out}
	// One goroutine, because the bytes must not depend on the number of cores.
	encoder, err := zstd.NewWriter(counted, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(windowSize),
		zstd.WithEncoderLevel(level))
	inside := &counter{to: encoder}
	return &frames{counted, encoder, inside, tar.NewWriter(inside)}, err
}

// A counter counts the bytes that are written through it.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

func (w *frames) frame(write func() error) error {
	w.encoder.Reset(w.out)
	w.inside.n = 0
	if err := write(); err != nil {
		return err
	}
	return w.encoder.Close()
}

// member writes a member of a frame, and returns where its content begins in it.
func (w *frames) member(f *File, write func(io.Writer) error) (at int64, err error) {
	err = w.tar.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: f.Path, Size: f.Size, Mode: 0o600, ModTime: time.Unix(f.Modified, 0),
	})
	at = w.inside.n
	if err != nil {
		return at, err
	}
	if err = write(w.tar); err != nil {
		return at, err
	}
	return at, w.tar.Flush()
}

// group writes the files of one frame, and where they are.
func (w *frames) group(ctx context.Context, places []Position, files []File, sources []Source) error {
	start := w.out.n
	err := w.frame(func() (err error) {
		for i := range places {
			if places[i].Skip, err = w.source(ctx, &files[i], &sources[i]); err != nil {
				return err
			}
		}
		return nil
	})
	for i := range places {
		places[i].Frame, places[i].FrameSize, places[i].Size = start, w.out.n-start, files[i].Size
	}
	return err
}

// source writes a file and compares it with the manifest.
func (w *frames) source(ctx context.Context, f *File, s *Source) (at int64, err error) {
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
func (w *frames) finish() error { return w.frame(w.tar.Close) }

// A beginning passes the first bytes on and drops the rest.
type beginning struct {
	to   io.Writer
	left int64
}

func (b *beginning) Write(p []byte) (int, error) {
	kept := p[:min(int64(len(p)), b.left)]
	b.left -= int64(len(kept))
	if n, err := b.to.Write(kept); err != nil {
		return n, err
	}
	return len(p), nil
}

// A digest sums up what is written to it.
type digest struct {
	hash hash.Hash
	n    int64
}

func newDigest() *digest { return &digest{hash: sha256.New()} }

func (d *digest) Write(p []byte) (int, error) {
	d.n += int64(len(p))
	return d.hash.Write(p)
}

func (d *digest) hex() string { return hex.EncodeToString(d.hash.Sum(nil)) }
