// Package sums computes SHA-256 digests of several texts at a time.
//
// A processor without instructions for SHA-256 leaves most of its units idle while it digests one text, because every
// step needs the result of the one before. With vectors it digests eight texts in the time of two or three. The digests
// are hashes of the standard library, which also takes what does not fill a block, and everything on processors that
// are faster with it.
package sums

import (
	"encoding"
	"encoding/binary"
	"hash"
	"slices"
)

// Lanes is the maximum number of texts that are digested together.
const Lanes = 8

// PaysOff reports whether several texts together take less time than one after the other.
func PaysOff() bool { return hasLanes && !hasInstructions() }

const (
	blockSize  = 64
	worthLanes = 3 // as many texts take less time together than one after the other
)

// Write writes one piece of text to each of up to eight hashes, which are SHA-256 of the standard library.
func Write(hashes []hash.Hash, pieces [][]byte) {
	var all []*lane
	for i, h := range hashes {
		all = append(all, &lane{hash: h, rest: pieces[i]})
	}
	if len(all) >= worthLanes && hasLanes {
		writeBlocks(all)
	}
	for _, l := range all {
		l.hash.Write(l.rest)
	}
}

// writeBlocks writes blocks, until only a few texts have any.
func writeBlocks(all []*lane) {
	for _, l := range all {
		l.begin()
	}
	for active := slices.Clone(all); ; {
		active = slices.DeleteFunc(active, func(l *lane) bool { return l.blocks() == 0 })
		if len(active) < worthLanes {
			break
		}
		step(active)
	}
	for _, l := range all {
		l.end()
	}
}

// step digests as many blocks as all of some lanes have. Lanes that nobody needs repeat the first one.
func step(active []*lane) {
	blocks := active[0].blocks()
	for _, l := range active {
		blocks = min(blocks, l.blocks())
	}
	var states [8][Lanes]uint32
	var texts [Lanes]*byte
	for i := range texts {
		texts[i] = &active[0].rest[0]
	}
	for i, l := range active {
		texts[i] = &l.rest[0]
		for word := range states {
			states[word][i] = binary.BigEndian.Uint32(l.word(word))
		}
	}
	addBlocks(&states, &texts, &constants, blocks)
	for i, l := range active {
		for word := range states {
			binary.BigEndian.PutUint32(l.word(word), states[word][i])
		}
		l.skip(blocks * blockSize)
	}
}

// A lane is a hash, the rest of the text that is written to it, and its state as the standard library saves it: a name,
// eight words, a block and the length.
type lane struct {
	hash  hash.Hash
	rest  []byte
	state []byte
}

const (
	nameSize  = 4
	stateSize = nameSize + 8*4 + blockSize + 8
)

// begin fills the block that the hash has begun, as far as the text goes.
func (l *lane) begin() {
	l.save()
	if begun := int(l.length() % blockSize); begun > 0 {
		n := min(blockSize-begun, len(l.rest))
		l.hash.Write(l.rest[:n])
		l.rest = l.rest[n:]
		l.save()
	}
}

// save takes the state of the hash.
func (l *lane) save() {
	state, err := l.hash.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil || len(state) != stateSize {
		panic("sums: not a SHA-256 of the standard library")
	}
	l.state = state
}

// end gives the state back to the hash.
func (l *lane) end() {
	if err := l.hash.(encoding.BinaryUnmarshaler).UnmarshalBinary(l.state); err != nil {
		panic(err) // it is the state of the same hash
	}
}

// blocks returns how many whole blocks are left.
func (l *lane) blocks() int { return len(l.rest) / blockSize }

// word returns one of the eight words of the state.
func (l *lane) word(i int) []byte { return l.state[nameSize+4*i:][:4] }

// length returns how many bytes were digested.
func (l *lane) length() uint64 { return binary.BigEndian.Uint64(l.state[stateSize-8:]) }

// skip takes n bytes that were digested from the text.
func (l *lane) skip(n int) {
	l.rest = l.rest[n:]
	binary.BigEndian.PutUint64(l.state[stateSize-8:], l.length()+uint64(n))
}

// constants are those of the rounds of SHA-256.
var constants = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}
