package bundle

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// windowSize is the memory that a reader needs for each open member.
const windowSize = 8 << 20

// Limits for the decompressed size of a file. Transcripts shrink to between a fifth and a twentieth of their size. A
// file that grows a thousandfold is not a transcript, and one made to exhaust its reader grows far more.
const (
	MaxExpansion  = 1000
	FreeExpansion = 32 << 20 // below this size the ratio does not matter
)

// IsBomb reports whether a file is made to exhaust its reader, by how many bytes of it became how many.
func IsBomb(packed, unpacked int64) bool {
	return unpacked > FreeExpansion && unpacked/MaxExpansion > packed
}

var (
	errFrame = errors.New("a zstd frame is damaged or cut off")
	errBomb  = fmt.Errorf("it expands to more than %d times its size", MaxExpansion)
)

// A frameReader reads the bytes of exactly one zstd frame, without decompressing them.
type frameReader struct {
	in       *bufio.Reader
	left     int64 // bytes of the current piece: a header, a block or the checksum
	last     bool  // no block follows
	checksum int64 // its size, until it was passed on
}

// newFrame begins to read a frame. It returns io.EOF at the end of the file.
func newFrame(in *bufio.Reader) (*frameReader, error) {
	start, err := in.Peek(zstd.HeaderMaxSize)
	if len(start) == 0 && errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	var h zstd.Header
	if err := h.Decode(start); err != nil || h.Skippable || h.DictionaryID != 0 {
		return nil, errFrame
	}
	f := &frameReader{in: in, left: int64(h.HeaderSize)}
	if h.HasCheckSum {
		f.checksum = 4
	}
	return f, nil
}

// SkipFrame moves behind a frame without decompressing it.
func SkipFrame(in *bufio.Reader) error {
	f, err := newFrame(in)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, f)
	return err
}

func (f *frameReader) Read(p []byte) (int, error) {
	for f.left == 0 {
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n, err := f.in.Read(p[:min(int64(len(p)), f.left)])
	f.left -= int64(n)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// The types of blocks that have a size of their own.
const (
	rleBlock      = 1
	reservedBlock = 3
)

// next begins the next piece of the frame.
func (f *frameReader) next() error {
	if f.last {
		f.left, f.checksum = f.checksum, 0
		if f.left == 0 {
			return io.EOF
		}
		return nil
	}
	head, err := f.in.Peek(3)
	if err != nil {
		return io.ErrUnexpectedEOF
	}
	bits := int64(head[0]) | int64(head[1])<<8 | int64(head[2])<<16
	size, kind := bits>>3, bits>>1&3
	switch kind {
	case reservedBlock:
		return errFrame
	case rleBlock:
		size = 1
	}
	f.last, f.left = bits&1 == 1, 3+size
	return nil
}

// newDecoder returns a decompressor with bounded memory.
func newDecoder(in io.Reader) (*zstd.Decoder, error) {
	return zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(windowSize))
}

// decoders keeps decompressors for the next file, because each has a window that is worth keeping.
type decoders chan *zstd.Decoder

// borrow returns a decompressor for a frame.
func (d decoders) borrow(in io.Reader) (*zstd.Decoder, error) {
	select {
	case decoder := <-d:
		return decoder, decoder.Reset(in)
	default:
		return newDecoder(in)
	}
}

// giveBack keeps a decompressor, unless there are enough.
func (d decoders) giveBack(decoder *zstd.Decoder) {
	if decoder.Reset(nil) == nil {
		select {
		case d <- decoder:
			return
		default:
		}
	}
	decoder.Close()
}

// An errReader returns an error.
type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

// frameEnd returns where the frame at an offset ends. It reads only the headers of the frame and of its blocks.
func frameEnd(file io.ReaderAt, at, size int64) (int64, error) {
	head := make([]byte, zstd.HeaderMaxSize)
	section := func(at int64) *bufio.Reader {
		n, _ := file.ReadAt(head[:min(int64(len(head)), max(0, size-at))], at)
		return bufio.NewReaderSize(bytes.NewReader(head[:n]), len(head))
	}
	f, err := newFrame(section(at))
	if err != nil {
		return 0, err
	}
	for {
		at += f.left
		if at > size {
			return 0, io.ErrUnexpectedEOF
		}
		f.in = section(at)
		if err := f.next(); err == io.EOF {
			return at, nil
		} else if err != nil {
			return 0, err
		}
	}
}
