package tokens

import (
	"encoding/binary"
	"math/bits"
)

// A table is a vocabulary in the form in which it is embedded. Only pairs are made before use.
//
//	words     uint32
//	slots     uint32
//	longest   uint32: the length of the longest word in bytes
//	entries   a number of 32 bits for each word: see entry
//	index     slots numbers of 32 bits: the rank of a word + 1 in the low 18 bits, a part of its hash above; 0 is free
//	text      the words in the order of their ranks
type table struct {
	entries []byte
	index   []byte
	text    []byte
	slots   int
	longest int
	pairs   [1 << 16]int32 // the ranks of every two bytes, or noRank
}

const (
	rankBits   = 18
	rankMask   = 1<<rankBits - 1
	offsetBits = 21
	sizeBits   = 7
	noRank     = 1<<31 - 1
)

// An entry says where a word is in the text and how long it is.
type entry uint32

func newEntry(offset, size int) entry { return entry(offset | (size-1)<<offsetBits) }

func (e entry) offset() int { return int(e & (1<<offsetBits - 1)) }
func (e entry) size() int   { return int(e>>offsetBits) + 1 }

// open splits a table into its parts without copying, and collects the words of two bytes.
func open(data []byte) *table {
	words, slots := int(binary.LittleEndian.Uint32(data)), int(binary.LittleEndian.Uint32(data[4:]))
	t := &table{slots: slots, longest: int(binary.LittleEndian.Uint32(data[8:]))}
	data = data[12:]
	t.entries, data = data[:4*words], data[4*words:]
	t.index, t.text = data[:4*slots], data[4*slots:]
	for i := range t.pairs {
		t.pairs[i] = noRank
	}
	for rank := range int32(words) {
		if e := t.entry(rank); e.size() == 2 {
			t.pairs[binary.LittleEndian.Uint16(t.text[e.offset():])] = rank
		}
	}
	return t
}

func (t *table) entry(rank int32) entry { return entry(binary.LittleEndian.Uint32(t.entries[4*rank:])) }

// rank returns the rank of a word, or noRank if it is not in the vocabulary.
func (t *table) rank(word []byte) int32 {
	switch {
	case len(word) == 2:
		return t.pairs[binary.LittleEndian.Uint16(word)]
	case len(word) > t.longest:
		return noRank
	}
	h := hash(word)
	tag := h << rankBits
	for at := slotOf(h, t.slots); ; at++ {
		if at == t.slots {
			at = 0
		}
		slot := binary.LittleEndian.Uint32(t.index[4*at:])
		if slot == 0 {
			return noRank
		}
		if slot&^rankMask != tag {
			continue
		}
		rank := int32(slot&rankMask - 1)
		e := t.entry(rank)
		if string(t.text[e.offset():e.offset()+e.size()]) == string(word) {
			return rank
		}
	}
}

// slotOf returns the slot at which the search for a hash begins.
func slotOf(h uint32, slots int) int { return int(uint64(h) * uint64(slots) >> 32) }

// hash mixes the two ends of a word and its length. The lookup compares the rest.
func hash(word []byte) uint32 {
	n := len(word)
	var a, b uint64
	switch {
	case n >= 8:
		a, b = binary.LittleEndian.Uint64(word), binary.LittleEndian.Uint64(word[n-8:])
	case n >= 4:
		a, b = uint64(binary.LittleEndian.Uint32(word)), uint64(binary.LittleEndian.Uint32(word[n-4:]))
	case n > 0:
		a = uint64(word[0]) | uint64(word[n/2])<<8 | uint64(word[n-1])<<16
	}
	high, low := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xc2b2ae3d27d4eb4f^uint64(n)<<56)
	mixed := (high ^ low) * 0xff51afd7ed558ccd
	return uint32(mixed >> 32)
}
