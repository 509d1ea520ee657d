package tokens

import (
	"encoding/binary"
	"math/bits"
)

// A table is a vocabulary in the form in which it is embedded: nothing is built or decoded before use.
//
//	words     uint32
//	slots     uint32
//	longest   uint32: the length of the longest word in bytes
//	entries   a number of 32 bits for each word: see entry
//	index     slots numbers of 32 bits: the rank of a word + 1 in the low 18 bits, a part of its hash above; 0 is free
//	merges    slots numbers of 64 bits: see merge; 0 is free
//	bytes     256 numbers of 32 bits: the rank of every byte
//	twoBytes  65,536 numbers of 32 bits: the rank of every word of two bytes, or noRank
//	filter    a bit for every two words that merge, at the hash of the pair: a power of two, at least 8 for each word
//	text      the words in the order of their ranks
type table struct {
	entries []byte
	index   []byte
	merges  []byte
	filter  []byte
	text    []byte
	slots   int
	longest int

	bytes, twoBytes []byte
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

// Parts are the ranks of two words that may merge.
type parts uint64

func partsOf(left, right int32) parts { return parts(left) | parts(right)<<rankBits }

// hash returns 32 bits.
func (p parts) hash() uint32 { return uint32(uint64(p) * 0x9e3779b97f4a7c15 >> 32) }

// A merge has two parts and, below them, the rank of the word that they merge into. No merge is 0: only words of more
// than two bytes are looked up by their parts, so one of the parts has at least two bytes and is not the first word.
type merge uint64

func mergeOf(p parts, rank int32) merge { return merge(p)<<rankBits | merge(rank) }
func (m merge) parts() parts            { return parts(m >> rankBits) }
func (m merge) rank() int32             { return int32(m & rankMask) }

// open splits a table into its parts without copying.
func open(data []byte) *table {
	words, slots := int(binary.LittleEndian.Uint32(data)), int(binary.LittleEndian.Uint32(data[4:]))
	t := &table{slots: slots, longest: int(binary.LittleEndian.Uint32(data[8:]))}
	data = data[12:]
	t.entries, data = data[:4*words], data[4*words:]
	t.index, data = data[:4*slots], data[4*slots:]
	t.merges, data = data[:8*slots], data[8*slots:]
	t.bytes, data = data[:4<<8], data[4<<8:]
	t.twoBytes, data = data[:4<<16], data[4<<16:]
	t.filter, t.text = data[:filterSize(words)], data[filterSize(words):]
	return t
}

// filterSize returns the size of a filter in bytes.
func filterSize(words int) int { return 1 << bits.Len(uint(words-1)) }

func (t *table) rankOfByte(c byte) int32 {
	return int32(binary.LittleEndian.Uint32(t.bytes[4*int(c):]))
}

// rankOfTwo returns the rank of the word of two bytes that a text begins with, or noRank.
func (t *table) rankOfTwo(text []byte) int32 {
	return int32(binary.LittleEndian.Uint32(t.twoBytes[4*int(binary.LittleEndian.Uint16(text)):]))
}

func (t *table) entry(rank int32) entry { return entry(binary.LittleEndian.Uint32(t.entries[4*rank:])) }

// rank returns the rank of a word, or noRank if it is not in the vocabulary.
func (t *table) rank(word []byte) int32 {
	if len(word) > t.longest {
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

// mayMerge reports whether two words may merge. Most pairs do not, and the filter fits into the processor's cache.
func (t *table) mayMerge(p parts) bool {
	at, bit := t.filterBit(p)
	return t.filter[at]&bit != 0
}

// filterBit returns the place of a pair in the filter.
func (t *table) filterBit(p parts) (at int, bit byte) {
	h := p.hash()
	return int(h>>3) & (len(t.filter) - 1), 1 << (h & 7)
}

// merged returns the rank of the word that two words merge into, or rankMask.
func (t *table) merged(p parts) int32 {
	for at := slotOf(p.hash(), t.slots); ; at++ {
		if at == t.slots {
			at = 0
		}
		m := merge(binary.LittleEndian.Uint64(t.merges[8*at:]))
		if m.parts() == p {
			return m.rank()
		}
		if m == 0 {
			return rankMask
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
