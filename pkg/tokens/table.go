package tokens

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// A table is a vocabulary in the form in which it is embedded: nothing is built or decoded before use.
//
//	words     uint32
//	slots     uint32, a power of two
//	offsets   words+1 numbers of 32 bits: where each word begins in the text
//	index     slots numbers of 32 bits: the rank of a word + 1 in the low 18 bits, a part of its hash above; 0 is free
//	text      the words in the order of their ranks
type table struct {
	offsets []byte
	index   []byte
	text    []byte
	shift   uint32 // shift of a hash to its slot
	longest int    // length of the longest word, in bytes
	// twoBytes returns the ranks of the words of two bytes, with which every merge begins.
	twoBytes func() *[1 << 16]int32
	// present returns a filter that knows most words that are not in the vocabulary.
	present func() *wordFilter
}

// A wordFilter has a bit for every hash. Unlike the index, it fits into the processor's cache, and most pairs of tokens
// are not a word.
type wordFilter [1 << (filterBits - 6)]uint64

const filterBits = 20

// mayHave reports whether a word with this hash may be in the vocabulary.
func (f *wordFilter) mayHave(h uint32) bool { return f[h>>6&(1<<(filterBits-6)-1)]&(1<<(h&63)) != 0 }

const (
	rankBits = 18
	rankMask = 1<<rankBits - 1
	noRank   = 1<<31 - 1
)

// open splits a table into its parts without copying.
func open(data []byte) *table {
	words, slots := int(binary.LittleEndian.Uint32(data)), int(binary.LittleEndian.Uint32(data[4:]))
	t := &table{shift: uint32(32 - bits.Len32(uint32(slots-1))), longest: int(binary.LittleEndian.Uint32(data[8:]))}
	data = data[12:]
	t.offsets, data = data[:4*(words+1)], data[4*(words+1):]
	t.index, t.text = data[:4*slots], data[4*slots:]
	t.twoBytes = sync.OnceValue(t.rankPairs)
	t.present = sync.OnceValue(t.makeFilter)
	return t
}

// makeFilter marks the hashes of all words.
func (t *table) makeFilter() *wordFilter {
	f := new(wordFilter)
	for at := 0; at+8 <= len(t.offsets); at += 4 {
		begin, end := binary.LittleEndian.Uint32(t.offsets[at:]), binary.LittleEndian.Uint32(t.offsets[at+4:])
		h := hash(t.text[begin:end])
		f[h>>6&(1<<(filterBits-6)-1)] |= 1 << (h & 63)
	}
	return f
}

// rankPairs looks up all words of two bytes.
func (t *table) rankPairs() *[1 << 16]int32 {
	ranks := new([1 << 16]int32)
	for pair := range ranks {
		ranks[pair] = t.rank([]byte{byte(pair), byte(pair >> 8)})
	}
	return ranks
}

// rank returns the rank of a word, or noRank if it is not in the vocabulary.
func (t *table) rank(word []byte) int32 {
	if len(word) > t.longest {
		return noRank
	}
	return t.find(hash(word), word)
}

// A rankCache remembers the ranks of short words. A word that is found in the table costs three reads of memory that is
// in no cache of the processor.
type rankCache [1 << rankCacheBits]struct {
	word uint64
	rank int32
	size int32
}

const rankCacheBits = 12

// cachedRank is rank for a pair of spans, which is often not in the vocabulary.
func (t *table) cachedRank(c *rankCache, words *wordFilter, word []byte) int32 {
	h := hash(word)
	if len(word) > t.longest || !words.mayHave(h) {
		return noRank
	}
	if len(word) > 8 {
		return t.find(h, word)
	}
	entry, packed := &c[h>>(32-rankCacheBits)], pack(word)
	if entry.word != packed || entry.size != int32(len(word)) {
		entry.word, entry.size, entry.rank = packed, int32(len(word)), t.find(h, word)
	}
	return entry.rank
}

// pack returns the bytes of a word of two to eight bytes as a number.
func pack(word []byte) uint64 {
	n := len(word)
	switch {
	case n == 8:
		return binary.LittleEndian.Uint64(word)
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(word)) | uint64(binary.LittleEndian.Uint32(word[n-4:]))<<32
	}
	return uint64(word[0]) | uint64(word[n/2])<<8 | uint64(word[n-1])<<16
}

// find is rank for a word whose hash is known.
func (t *table) find(h uint32, word []byte) int32 {
	tag := h << rankBits
	slots := uint32(len(t.index) / 4)
	for at := h >> t.shift; ; at = (at + 1) & (slots - 1) {
		slot := binary.LittleEndian.Uint32(t.index[4*at:])
		if slot == 0 {
			return noRank
		}
		if slot&^rankMask != tag {
			continue
		}
		rank := slot&rankMask - 1
		begin, end := binary.LittleEndian.Uint32(t.offsets[4*rank:]), binary.LittleEndian.Uint32(t.offsets[4*rank+4:])
		if string(t.text[begin:end]) == string(word) {
			return int32(rank)
		}
	}
}

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

// MakeTable makes a table from the words of a vocabulary in the order of their ranks.
func MakeTable(words []string) []byte {
	slots := 64
	for slots < 2*len(words) {
		slots *= 2
	}
	longest, offset := 0, 0
	offsets := make([]byte, 0, 4*(len(words)+1))
	for _, w := range words {
		offsets = binary.LittleEndian.AppendUint32(offsets, uint32(offset))
		offset += len(w)
		longest = max(longest, len(w))
	}
	offsets = binary.LittleEndian.AppendUint32(offsets, uint32(offset))
	index := make([]uint32, slots)
	shift := uint32(32 - bits.Len32(uint32(slots-1)))
	for rank, w := range words {
		h := hash([]byte(w))
		at := h >> shift
		for index[at] != 0 {
			at = (at + 1) & uint32(slots-1)
		}
		index[at] = uint32(rank+1) | h<<rankBits
	}
	data := binary.LittleEndian.AppendUint32(nil, uint32(len(words)))
	data = binary.LittleEndian.AppendUint32(data, uint32(slots))
	data = binary.LittleEndian.AppendUint32(data, uint32(longest))
	data = append(data, offsets...)
	for _, slot := range index {
		data = binary.LittleEndian.AppendUint32(data, slot)
	}
	for _, w := range words {
		data = append(data, w...)
	}
	return data
}
