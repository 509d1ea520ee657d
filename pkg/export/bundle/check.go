package bundle

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"io"
	"runtime"
	"sync/atomic"

	"clawctl/internal/parallel"
)

// maxCheckers is how many files are checked at once. Each needs the memory of a window.
const maxCheckers = 4

// A checker reads all of a bundle. It finds the frames first, which takes no decompression, and checks several of them
// at once.
type checker struct {
	reader   *Reader
	size     int64 // of the bundle
	unpacked atomic.Int64
}

func (c *checker) run(ctx context.Context) error {
	at, err := c.frame(ctx, 0, c.manifest)
	if err != nil {
		return err
	}
	c.reader.spans = c.findFrames(at)
	if err := c.members(ctx); err != nil {
		return err
	}
	if last := len(c.reader.spans) - 1; last >= 0 {
		at = c.reader.spans[last].start + c.reader.spans[last].size
	}
	if at, err = c.frame(ctx, at, c.end); err != nil {
		return err
	}
	if at != c.size {
		return refused("", "something follows its end")
	}
	return nil
}

// findFrames returns where the frames of the files seem to be. If one has no end, the frames after it are said to be
// at the end of the bundle, and to check it tells what is wrong.
func (c *checker) findFrames(at int64) []span {
	spans := make([]span, len(c.reader.Files))
	groups := c.reader.groups()
	for g, first := range groups[:len(groups)-1] {
		end, err := frameEnd(c.reader.file, at, c.size)
		if err != nil {
			end = c.size
		}
		for i := first; i < groups[g+1]; i++ {
			spans[i] = span{at, end - at, i - first}
		}
		at = end
	}
	return spans
}

// members checks the files. The error is that of the first bad one.
func (c *checker) members(ctx context.Context) error {
	groups := c.reader.groups()
	none := func() struct{} { return struct{}{} }
	check := func(ctx context.Context, _ struct{}, g int) error {
		files := c.reader.Files[groups[g]:groups[g+1]]
		at := c.reader.spans[groups[g]]
		end, err := c.frame(ctx, at.start, func(ctx context.Context, in io.Reader) error {
			return c.files(ctx, files, in)
		})
		if err != nil {
			return err
		}
		if end != at.start+at.size {
			return errFrame
		}
		return nil
	}
	jobs := min(maxCheckers, runtime.GOMAXPROCS(0))
	return parallel.Ordered(ctx, len(groups)-1, jobs, none, check, func(_ int, err error) error { return err })
}

// frame reads the frame at an offset and returns where it ends. Nothing may be left of it.
func (c *checker) frame(ctx context.Context, at int64, read func(context.Context, io.Reader) error) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	section := io.NewSectionReader(c.reader.file, at, c.size-at)
	buffered := bufio.NewReaderSize(section, 64<<10)
	packed, err := newFrame(buffered)
	if err == io.EOF {
		return 0, refused("", "it is cut off")
	}
	if err != nil {
		return 0, err
	}
	decoder, err := c.reader.decoders.borrow(packed)
	if err != nil {
		return 0, err
	}
	defer c.reader.decoders.giveBack(decoder)
	in := unpackedReader{c, decoder}
	if err := read(ctx, in); err != nil {
		return 0, err
	}
	if n, err := io.CopyN(io.Discard, in, 1); n != 0 || err != io.EOF {
		return 0, refused("", "a frame has more than its files")
	}
	if _, err := io.Copy(io.Discard, packed); err != nil { // what the decompressor had no need for
		return 0, err
	}
	consumed, err := section.Seek(0, io.SeekCurrent)
	return at + consumed - int64(buffered.Buffered()), err
}

// An unpackedReader counts what comes out of the decompressor, and stops a decompression bomb.
type unpackedReader struct {
	checker *checker
	in      io.Reader
}

func (r unpackedReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	if IsBomb(r.checker.size, r.checker.unpacked.Add(int64(n))) {
		return n, errBomb
	}
	return n, err
}

// manifest reads the first member.
func (c *checker) manifest(_ context.Context, in io.Reader) error {
	archive := tar.NewReader(in)
	h, err := archive.Next()
	switch {
	case err != nil || h.Name != manifestName || !isPlain(h):
		return refused("", "it does not begin with a manifest")
	case h.Size > maxManifest:
		return refused(manifestName, "the manifest is larger than %d MiB", maxManifest>>20)
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

// files compares the members of a frame with the manifest.
func (c *checker) files(ctx context.Context, files []File, in io.Reader) error {
	archive := tar.NewReader(in)
	for i := range files {
		if err := c.member(ctx, &files[i], archive); err != nil {
			return err
		}
	}
	return endOfMember(archive)
}

// member compares the next member with the manifest.
func (c *checker) member(ctx context.Context, f *File, archive *tar.Reader) error {
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
	if _, err := io.Copy(sum, &cancelable{ctx, archive}); err != nil {
		return err
	}
	if sum.n != f.Size || sum.hex() != f.SHA256 {
		return refused(f.Path, "its SHA-256 is not that of the manifest")
	}
	return nil
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
func (c *checker) end(_ context.Context, in io.Reader) error {
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
	ctx  context.Context
	from io.Reader
}

func (r *cancelable) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}
