package bundle

import (
	"bytes"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"clawctl/internal/openfile"
)

// A Position is where a file is in a bundle. It opens the file without the manifest, and without reading more of the
// bundle than the frame of the file.
type Position struct {
	Frame, FrameSize int64 // of the frame, in the bundle
	Skip, Size       int64 // of the file, in the text of the frame
}

// OpenAt opens a file of the bundle at a path. What it returns must be compared with a digest, because the bundle may
// have been replaced by another one.
func OpenAt(path string, at Position) (io.ReadCloser, error) {
	file, err := openfile.Regular(path)
	if err != nil {
		return nil, err
	}
	if at.FrameSize <= smallFrame && !at.isStreamed() {
		defer file.Close()
		text, err := recent.text(file, at)
		if err != nil {
			return nil, asRefused(err)
		}
		return io.NopCloser(bytes.NewReader(text)), nil
	}
	decoder, err := streaming.borrow(io.NewSectionReader(file, at.Frame, at.FrameSize))
	if err != nil {
		file.Close()
		return nil, err
	}
	r := &openMember{Reader: io.LimitReader(decoder, at.Size),
		close: func() error { streaming.giveBack(decoder); return file.Close() }}
	if _, err := io.CopyN(io.Discard, decoder, at.Skip); err != nil {
		r.Close()
		return nil, asRefused(err)
	}
	return r, nil
}

// streaming keeps decompressors for large files.
var streaming = make(decoders, 4)

// LargeFile is the size from which on a file has a frame of its own in a grouped bundle. Smaller ones share a frame
// until they are as large together. A sixth of the size makes an archive 2% larger, and a search of all sessions, which
// are read in another order than they lie there, takes 30% less time.
const LargeFile = 3 << 19

// isStreamed reports whether the frame begins with a large file, which has the frame for itself. It is decompressed as
// far as it is read, because some read only the beginning.
func (p Position) isStreamed() bool { return p.Size >= LargeFile && p.Skip <= largestHeader }

// largestHeader is the usual size of what is before the first file of a frame: the headers of a long name.
const largestHeader = 4 << 10

// smallFrame is the size of a frame that is decompressed as a whole. A larger one is read from its beginning.
const smallFrame = 1 << 20

// recent are the frames that were read last. Whoever reads all sessions of a store reads the files of a frame one after
// the other, some of them at the same time.
var recent frameCache

type frameCache struct {
	mu     sync.Mutex
	frames []*cachedFrame // the newest first
}

// A cachedFrame is the text of a frame, once it is decompressed.
type cachedFrame struct {
	bundle   string
	modified time.Time
	start    int64
	once     sync.Once
	content  []byte
	err      error
	size     int // of the content, once the cache knows it
}

// maxCached is how many bytes of frames are kept, and maxFrames how many frames. Small sessions share a frame, and are
// often read in another order than they lie there.
const maxCached, maxFrames = 32 << 20, 128

// find returns the frame of a place in an open bundle, which may not be decompressed yet.
func (c *frameCache) find(file *os.File, at Position) (*cachedFrame, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, f := range c.frames {
		if f.bundle == file.Name() && f.start == at.Frame && f.modified.Equal(info.ModTime()) {
			copy(c.frames[1:i+1], c.frames[:i])
			c.frames[0] = f
			return f, nil
		}
	}
	f := &cachedFrame{bundle: file.Name(), modified: info.ModTime(), start: at.Frame}
	c.frames = slices.Insert(c.frames[:min(len(c.frames), maxFrames-1)], 0, f)
	return f, nil
}

// text returns the content of a file in a small frame.
func (c *frameCache) text(file *os.File, at Position) ([]byte, error) {
	f, err := c.find(file, at)
	if err != nil {
		return nil, err
	}
	f.once.Do(func() {
		f.content, f.err = decompress(file, at)
		c.count(f)
	})
	switch {
	case f.err != nil:
		return nil, f.err
	case at.Skip < 0 || at.Size < 0 || at.Size > int64(len(f.content)) || at.Skip > int64(len(f.content))-at.Size:
		return nil, io.ErrUnexpectedEOF
	}
	return f.content[at.Skip:][:at.Size], nil
}

// count adds a frame that was decompressed, and forgets those that were not used for long.
func (c *frameCache) count(f *cachedFrame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.size = cap(f.content)
	total := 0
	for i, kept := range c.frames {
		if total += kept.size; total > maxCached && i > 0 {
			clear(c.frames[i:])
			c.frames = c.frames[:i]
			return
		}
	}
}

// wholeFrames decompresses frames as a whole.
var wholeFrames = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderMaxWindow(windowSize), zstd.WithDecoderMaxMemory(smallFrame*MaxExpansion))
})

// usualFrame is room for the text of most frames with several files. A frame does not say how long its text is.
const usualFrame = 2 * LargeFile

// decompress returns the text of a frame.
func decompress(file io.ReaderAt, at Position) ([]byte, error) {
	if at.Frame < 0 || at.FrameSize < 0 {
		return nil, errFrame
	}
	packed := make([]byte, at.FrameSize)
	if _, err := file.ReadAt(packed, at.Frame); err != nil {
		return nil, err
	}
	decoder, err := wholeFrames()
	if err != nil {
		return nil, err
	}
	return decoder.DecodeAll(packed, make([]byte, 0, max(at.Skip+at.Size, usualFrame)))
}

// DigestAt returns the SHA-256 of a file of the bundle at a path.
func DigestAt(path string, at Position) (string, error) {
	in, err := OpenAt(path, at)
	if err != nil {
		return "", err
	}
	defer in.Close()
	sum := newDigest()
	if _, err := io.Copy(sum, in); err != nil {
		return "", asRefused(err)
	}
	return sum.hex(), nil
}
