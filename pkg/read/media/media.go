// Package media examines bytes in base64 without decoding all of them: the type and the size of images, and the
// signatures of thinking blocks.
package media

import (
	"bytes"
	"strings"

	"clawctl/pkg/jsonl"
)

// IsSignature reports whether a text can be a complete signature from Anthropic: base64 of a protocol buffer whose
// fields end exactly where the bytes do. Truncated signatures, and those of other providers, are not.
func IsSignature(text jsonl.Value) bool {
	if !text.IsString() || len(text) < 2+24 || !IsBase64(text[1:len(text)-1]) {
		return false
	}
	return isProtobuf(base64Text(text[1 : len(text)-1]))
}

// base64Text is bytes in base64, which are decoded one by one when needed.
type base64Text []byte

func (e base64Text) len() int { return len(e)/4*3 - bytes.Count(e[len(e)-2:], []byte("=")) }

func (e base64Text) at(i int) byte {
	group := e[i/3*4:]
	bits := sextets[group[0]]<<18 | sextets[group[1]]<<12 | sextets[group[2]]<<6 | sextets[group[3]]
	return byte(bits >> (16 - 8*(i%3)))
}

// varint reads a protocol buffer number at an index. n is 0 if there is none.
func (e base64Text) varint(i int) (value uint64, n int) {
	for ; n < 10 && i+n < e.len(); n++ {
		c := e.at(i + n)
		value |= uint64(c&0x7f) << (7 * n)
		if c < 0x80 {
			return value, n + 1
		}
	}
	return 0, 0
}

// isProtobuf reports whether bytes consist of the fields of a protocol buffer.
func isProtobuf(e base64Text) bool {
	for i := 0; i < e.len(); {
		tag, n := e.varint(i)
		if n == 0 || tag>>3 == 0 {
			return false
		}
		i += n
		size := uint64(0)
		switch tag & 7 {
		case 0:
			if _, n = e.varint(i); n == 0 {
				return false
			}
			size = uint64(n)
		case 1:
			size = 8
		case 2:
			length, n := e.varint(i)
			if n == 0 {
				return false
			}
			size = uint64(n) + length
		case 5:
			size = 4
		default:
			return false
		}
		if size > uint64(e.len()-i) {
			return false
		}
		i += int(size)
	}
	return true
}

// IsBase64 reports whether a text is base64 with its padding.
func IsBase64(text []byte) bool {
	if len(text) == 0 || len(text)%4 != 0 {
		return false
	}
	body := bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("=")), []byte("="))
	wrong := byte(0)
	for _, c := range body {
		wrong |= notBase64[c]
	}
	return wrong == 0
}

// base64Alphabet has the characters of base64 in the order of their values.
const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// notBase64 is 1 for every byte outside the alphabet. sextets holds the values of the others.
var notBase64, sextets = func() (outside [256]byte, values [256]uint32) {
	for c := range outside {
		if value := strings.IndexByte(base64Alphabet, byte(c)); value < 0 {
			outside[c] = 1
		} else {
			values[c] = uint32(value)
		}
	}
	return outside, values
}()
