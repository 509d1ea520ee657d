package bundle

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Suffix ends the name of a bundle.
const Suffix = ".tar.zst"

// Is reports whether a file is a bundle, by its name or by its beginning.
func Is(path string) bool {
	if strings.HasSuffix(strings.ToLower(path), Suffix) {
		return true
	}
	file, err := os.Open(path)
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
	start := make([]byte, len(ManifestName)+1)
	_, err = io.ReadFull(decoder, start)
	return err == nil && string(start) == ManifestName+"\x00"
}

// A Reader is an open bundle. Its files may be opened from several goroutines.
type Reader struct {
	Manifest
	file  io.ReaderAt
	close func() error
	spans []span // of the files
}

// A span is where the frame of a file is in the bundle.
type span struct{ start, size int64 }

// Open reads and checks all of a bundle. It returns a RefusedError if anything in it is not as its manifest says.
func Open(ctx context.Context, path string) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = refused("", "it is not a regular file")
	}
	var r *Reader
	if err == nil {
		r, err = NewReader(ctx, file, info.Size())
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	r.close = file.Close
	return r, nil
}

// NewReader is Open for a file that is already open.
func NewReader(ctx context.Context, file io.ReaderAt, size int64) (*Reader, error) {
	r := &Reader{file: file}
	c := &checker{ctx: ctx, reader: r}
	c.in = bufio.NewReaderSize(packedReader{&c.meter, io.NewSectionReader(file, 0, size)}, 256<<10)
	if err := c.run(); err != nil {
		return nil, asRefused(err)
	}
	return r, nil
}

// asRefused returns every error that the content of a bundle causes as a RefusedError.
func asRefused(err error) error {
	var path *os.PathError
	if errors.As(err, new(*RefusedError)) || errors.As(err, &path) || errors.Is(err, ErrNewer) ||
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
	at := r.spans[i]
	decoder, err := newDecoder(io.NewSectionReader(r.file, at.start, at.size))
	if err != nil {
		return nil, err
	}
	archive := tar.NewReader(decoder)
	if _, err := archive.Next(); err != nil {
		decoder.Close()
		return nil, asRefused(err)
	}
	return &memberReader{archive, decoder}, nil
}

type memberReader struct {
	io.Reader
	decoder *zstd.Decoder
}

func (m *memberReader) Close() error {
	m.decoder.Close()
	return nil
}

// A checker reads a bundle from its beginning to its end.
type checker struct {
	meter
	ctx     context.Context
	in      *bufio.Reader
	reader  *Reader
	decoder *zstd.Decoder
}

func (c *checker) run() (err error) {
	if c.decoder, err = newDecoder(nil); err != nil {
		return err
	}
	defer c.decoder.Close()
	if err := c.frame(c.manifest); err != nil {
		return err
	}
	for i := range c.reader.Files {
		start := c.offset()
		if err := c.frame(func(in io.Reader) error { return c.member(&c.reader.Files[i], in) }); err != nil {
			return err
		}
		c.reader.spans = append(c.reader.spans, span{start, c.offset() - start})
	}
	if err := c.frame(c.end); err != nil {
		return err
	}
	if _, err := c.in.Peek(1); err != io.EOF {
		return refused("", "something follows its end")
	}
	return nil
}

// offset returns how much of the file was consumed.
func (c *checker) offset() int64 { return c.packed - int64(c.in.Buffered()) }

// frame reads the next frame. Nothing may be left of it.
func (c *checker) frame(read func(in io.Reader) error) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	packed, err := newFrame(c.in)
	if err == io.EOF {
		return refused("", "it is cut off")
	}
	if err != nil {
		return err
	}
	if err := c.decoder.Reset(packed); err != nil {
		return err
	}
	in := unpackedReader{&c.meter, c.decoder}
	if err := read(in); err != nil {
		return err
	}
	if n, err := io.CopyN(io.Discard, in, 1); n != 0 || err != io.EOF {
		return refused("", "a frame has more than one file")
	}
	_, err = io.Copy(io.Discard, packed) // what the decompressor had no need for
	return err
}

// manifest reads the first member.
func (c *checker) manifest(in io.Reader) error {
	archive := tar.NewReader(in)
	h, err := archive.Next()
	switch {
	case err != nil || h.Name != ManifestName || !isPlain(h):
		return refused("", "it does not begin with a manifest")
	case h.Size > maxManifest:
		return refused(ManifestName, "the manifest is larger than %d MiB", maxManifest>>20)
	}
	text, err := io.ReadAll(archive)
	if err != nil {
		return err
	}
	m, err := parseManifest(text)
	if err != nil {
		return err
	}
	c.reader.Manifest = *m
	return endOfMember(archive)
}

// isPlain reports whether a member is a file, and nothing that tar programs treat specially, such as a link or a file
// with holes.
func isPlain(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if key != "path" && key != "size" {
			return false
		}
	}
	return h.Typeflag == tar.TypeReg && h.Linkname == ""
}

// member compares a member with the manifest.
func (c *checker) member(f *File, in io.Reader) error {
	archive := tar.NewReader(in)
	h, err := archive.Next()
	switch {
	case err == io.EOF:
		return refused(f.Path, "the file is missing")
	case err != nil:
		return err
	case h.Name != f.Path:
		return refused(h.Name, "the manifest has no such file at this place")
	case !isPlain(h):
		return refused(f.Path, "it is not a plain file")
	case h.Size != f.Size:
		return refused(f.Path, "it has %d bytes, and %d in the manifest", h.Size, f.Size)
	}
	sum := newDigest()
	if _, err := io.Copy(sum, &cancelable{c.ctx, archive}); err != nil {
		return err
	}
	if sum.n != f.Size || sum.hex() != f.SHA256 {
		return refused(f.Path, "its SHA-256 is not that of the manifest")
	}
	return endOfMember(archive)
}

// endOfMember checks that no other member is in the frame.
func endOfMember(archive *tar.Reader) error {
	if h, err := archive.Next(); err == nil {
		return refused(h.Name, "the manifest has no such file at this place")
	} else if err != io.EOF {
		return err
	}
	return nil
}

// end reads the end of the archive: two blocks of zeros.
func (c *checker) end(in io.Reader) error {
	want := make([]byte, 1024)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(in, got); err != nil || !bytes.Equal(got, want) {
		if h, err := tar.NewReader(bytes.NewReader(got)).Next(); err == nil {
			return refused(h.Name, "the manifest has no such file at this place")
		}
		return refused("", "it does not end like an archive")
	}
	return nil
}

// A cancelable reader ends with its context.
type cancelable struct {
	ctx context.Context
	io.Reader
}

func (r *cancelable) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
