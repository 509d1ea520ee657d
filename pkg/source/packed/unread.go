package packed

import (
	"bufio"
	"context"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"clawctl/pkg/export/bundle"
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
		if err := bundle.SkipFrame(raw); err != nil {
			return "", err
		}
	}
	return "", ctx.Err()
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
