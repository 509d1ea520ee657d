package media

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"clawctl/pkg/jsonl"
)

// ImageType returns the type of an image in base64 according to its bytes. It returns "" for everything that is not one
// of the four types that APIs accept, or has no header with a size, whatever the first bytes say.
func ImageType(data jsonl.Value) string {
	if !data.IsString() {
		return ""
	}
	mime, _, _ := readHeader(bytes.NewReader(data[1 : len(data)-1]))
	return mime
}

// ImageSize returns the size in the header of an image in base64, or 0 if it is unknown.
func ImageSize(data string) (width, height int) {
	_, width, height = readHeader(strings.NewReader(data))
	return width, height
}

// imageFormats are the types of images, by the bytes at their beginning. A dot stands for any byte.
var imageFormats = []struct {
	magic, mime string
	header      func(io.Reader) (image.Config, error)
}{
	{"\x89PNG\r\n\x1a\n", "image/png", png.DecodeConfig},
	{"\xff\xd8\xff", "image/jpeg", jpeg.DecodeConfig},
	{"GIF87a", "image/gif", gif.DecodeConfig},
	{"GIF89a", "image/gif", gif.DecodeConfig},
	{"RIFF....WEBP", "image/webp", webpHeader},
}

// readHeader reads the type and the size of an image in base64. It decodes no more than the header.
func readHeader(data io.Reader) (mime string, width, height int) {
	r := bufio.NewReaderSize(base64.NewDecoder(base64.StdEncoding, data), 512)
	head, _ := r.Peek(len("RIFF....WEBP")) // shorter at the end of the data
	for _, format := range imageFormats {
		if !hasMagic(head, format.magic) {
			continue
		}
		config, err := format.header(r)
		if err == nil && config.Width > 0 && config.Height > 0 {
			return format.mime, config.Width, config.Height
		}
	}
	return "", 0, 0
}

func hasMagic(head []byte, magic string) bool {
	if len(head) < len(magic) {
		return false
	}
	for i := range len(magic) {
		if magic[i] != '.' && magic[i] != head[i] {
			return false
		}
	}
	return true
}

// webpHeader reads the size of any of the three kinds of WebP. The standard library lacks it.
func webpHeader(r io.Reader) (c image.Config, err error) {
	var head [30]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return c, err
	}
	switch kind, body := string(head[12:16]), head[20:]; {
	case kind == "VP8 " && string(body[3:6]) == "\x9d\x01\x2a":
		c.Width = int(binary.LittleEndian.Uint16(body[6:]) & 0x3fff)
		c.Height = int(binary.LittleEndian.Uint16(body[8:]) & 0x3fff)
	case kind == "VP8L" && body[0] == 0x2f:
		bits := binary.LittleEndian.Uint32(body[1:])
		c.Width, c.Height = int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1
	case kind == "VP8X":
		c.Width, c.Height = int24(body[4:])+1, int24(body[7:])+1
	}
	return c, nil
}

// int24 reads a number of three bytes.
func int24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
