package media

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
)

// headerSize is the number of bytes of an image that are searched for its size.
const headerSize = 48 << 10

// ImageSize returns the size in the header of an image, or 0 if it is unknown.
func ImageSize(data string) (width, height int) {
	n := min(len(data), headerSize) / 4 * 4
	head, err := base64.StdEncoding.DecodeString(strings.TrimRight(data[:n], "="))
	if err != nil {
		head, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(data[:n], "="))
	}
	switch text := string(head); {
	case err != nil:
	case strings.HasPrefix(text, "\x89PNG\r\n\x1a\n") && len(head) >= 24:
		return int(binary.BigEndian.Uint32(head[16:])), int(binary.BigEndian.Uint32(head[20:]))
	case strings.HasPrefix(text, "GIF8") && len(head) >= 10:
		return int(binary.LittleEndian.Uint16(head[6:])), int(binary.LittleEndian.Uint16(head[8:]))
	case strings.HasPrefix(text, "RIFF") && len(head) >= 30 && text[8:12] == "WEBP":
		return webpSize(head)
	case strings.HasPrefix(text, "\xff\xd8"):
		return jpegSize(head)
	}
	return 0, 0
}

// webpSize reads the size of any of the three kinds of WebP.
func webpSize(head []byte) (width, height int) {
	switch string(head[12:16]) {
	case "VP8 ":
		return int(binary.LittleEndian.Uint16(head[26:]) & 0x3fff), int(binary.LittleEndian.Uint16(head[28:]) & 0x3fff)
	case "VP8L":
		bits := binary.LittleEndian.Uint32(head[21:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case "VP8X":
		return int(head[24]) | int(head[25])<<8 | int(head[26])<<16 + 1,
			int(head[27]) | int(head[28])<<8 | int(head[29])<<16 + 1
	}
	return 0, 0
}

// jpegSize finds the frame of a JPEG and reads its size.
func jpegSize(head []byte) (width, height int) {
	for i := 2; i+9 < len(head) && head[i] == 0xff; {
		marker := head[i+1]
		if marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc {
			return int(binary.BigEndian.Uint16(head[i+7:])), int(binary.BigEndian.Uint16(head[i+5:]))
		}
		i += 2 + int(binary.BigEndian.Uint16(head[i+2:]))
	}
	return 0, 0
}
