package packed

import (
	"bufio"
	"context"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Unread describes bytes of a file that are not part of its text and that nothing else accounts for, such as a
// skippable frame of zstd or a comment of gzip. It returns "" if there are none. base is the name of the file.
func Unread(ctx context.Context, file io.Reader, base string) (string, error) {
	raw := bufio.NewReaderSize(file, 64<<10)
	magic, err := raw.Peek(MagicSize)
	switch {
	case err != nil && err != io.EOF:
		return "", err
	case isZstd(magic):
		return unreadZstd(ctx, raw)
	case isGzip(magic):
		return unreadGzip(ctx, raw, base)
	}
	return "", nil
}

// unreadZstd walks over the frames of a file. Frames are read, skippable frames are not.
func unreadZstd(ctx context.Context, raw *bufio.Reader) (string, error) {
	for ctx.Err() == nil {
		head, err := raw.Peek(zstd.HeaderMaxSize)
		if len(head) == 0 {
			return "", notEOF(err)
		}
		var h zstd.Header
		if err := h.Decode(head); err != nil {
			return "bytes behind the last zstd frame", nil
		}
		if h.Skippable {
			return "a skippable zstd frame", nil
		}
		if err := skipFrame(raw, &h); err != nil {
			return "", err
		}
	}
	return "", ctx.Err()
}

// skipFrame moves behind a frame of zstd: a header, blocks that each begin with their length, and maybe a checksum.
func skipFrame(raw *bufio.Reader, h *zstd.Header) error {
	if _, err := raw.Discard(h.HeaderSize); err != nil {
		return err
	}
	for last := false; !last; {
		var b [3]byte
		if _, err := io.ReadFull(raw, b[:]); err != nil {
			return err
		}
		word := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
		const repeatedByte = 1 // the type of a block that is one byte, repeated
		size := word >> 3
		if word>>1&3 == repeatedByte {
			size = 1
		}
		if _, err := raw.Discard(size); err != nil {
			return err
		}
		last = word&1 == 1
	}
	if h.HasCheckSum {
		_, err := raw.Discard(4)
		return err
	}
	return nil
}

// unreadGzip reads the members of a file. Their names do not count if they repeat the file's own name.
func unreadGzip(ctx context.Context, raw *bufio.Reader, base string) (string, error) {
	member, err := gzip.NewReader(raw)
	for ; err == nil && ctx.Err() == nil; err = member.Reset(raw) {
		member.Multistream(false)
		switch own := strings.TrimSuffix(base, ".gz"); {
		case len(member.Extra) > 0:
			return "an extra field of gzip", nil
		case member.Comment != "":
			return "a comment of gzip", nil
		case member.Name != "" && member.Name != own && member.Name != base:
			return "another file name in gzip", nil
		}
		if _, err := io.Copy(io.Discard, member); err != nil {
			return "", err
		}
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err == io.EOF:
		return "", nil
	}
	return "bytes behind the last gzip member", nil
}
