// Package media examines bytes in base64: the type and the size of images, without decoding all of them, and the
// signatures of thinking blocks.
package media

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"clawctl/pkg/jsonl"
)

// IsSignature reports whether a text can be a complete signature from Anthropic: base64 of a protocol buffer whose
// fields end exactly where the bytes do. Truncated signatures, and those of other providers, are not.
func IsSignature(text jsonl.Value) bool {
	if !text.IsString() || len(text) < 2+24 || !IsBase64(text[1:len(text)-1]) {
		return false
	}
	data, err := base64.StdEncoding.AppendDecode(nil, text[1:len(text)-1])
	return err == nil && isProtobuf(data)
}

// isProtobuf reports whether bytes consist of the fields of a protocol buffer.
func isProtobuf(data []byte) bool {
	for len(data) > 0 {
		tag, n := binary.Uvarint(data)
		if n <= 0 || tag>>3 == 0 {
			return false
		}
		data = data[n:]
		value, n := binary.Uvarint(data)
		size := uint64(0)
		switch tag & 7 {
		case 0:
			size = uint64(max(0, n))
		case 1:
			size = 8
		case 2:
			size = uint64(max(0, n)) + value
		case 5:
			size = 4
		}
		if size == 0 || size > uint64(len(data)) { // an unknown type, a number that does not end, or bytes that are missing
			return false
		}
		data = data[size:]
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

// notBase64 is 1 for every byte outside the alphabet.
var notBase64 = func() (outside [256]byte) {
	for c := range outside {
		if strings.IndexByte(base64Alphabet, byte(c)) < 0 {
			outside[c] = 1
		}
	}
	return outside
}()
