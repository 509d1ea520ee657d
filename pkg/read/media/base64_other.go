//go:build !(amd64 || arm64) || purego

package media

import (
	"encoding/binary"

	"clawctl/internal/lazy"
)

// base64Prefix checks the beginning of a text, eight bytes at a time. It returns how much of it was checked. ok is
// false if a byte of that is outside the alphabet.
func base64Prefix(text []byte) (checked int, ok bool) {
	wrong := byte(0)
	pairs := notPairs.Get()
	for ; len(text)-checked >= 8; checked += 8 {
		word := binary.LittleEndian.Uint64(text[checked:])
		wrong |= pairs[uint16(word)] | pairs[uint16(word>>16)] | pairs[uint16(word>>32)] | pairs[uint16(word>>48)]
	}
	return checked, wrong == 0
}

// notPairs is notBase64 for two bytes at a time, because images are most of the bytes of many transcripts.
var notPairs = lazy.Value[*[1 << 16]byte]{Make: func() *[1 << 16]byte {
	table := new([1 << 16]byte)
	for pair := range table {
		table[pair] = notBase64[byte(pair)] | notBase64[pair>>8]
	}
	return table
}}
