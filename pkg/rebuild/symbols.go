package rebuild

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"

	"clawctl/pkg/jsontext"
)

// A sym represents a string that names something: an entry, a tool call, a tool, a model. Equal strings have equal
// symbols. An index of millions of entries stores and compares four bytes where the transcript has forty.
type sym int32

// Symbols for values that are not names.
const (
	null    sym = -1 // JSON's null
	missing sym = -2 // no such key
	odd     sym = -3 // neither a string nor null
)

// isName reports whether the symbol represents a non-empty string.
func (s sym) isName() bool { return s > emptyName }

// emptyName is the symbol of "", the first one in every table.
const emptyName sym = 0

// symbols assigns a symbol to every string. The strings are stored in blocks without pointers, which leaves the garbage
// collector nothing to follow. The table uses open addressing over the symbols and a part of their hashes, so unknown
// names are hardly ever compared with stored ones.
type symbols struct {
	seed   maphash.Seed
	blocks [][]byte
	places [][]place // in chunks, which never move and need no spare room to grow
	count  int
	slots  []slot // nil after rest
	waking sync.Mutex
	sought int // names that were looked up without the table
}

// A slot is an entry of the table. It is free if its symbol is 0.
type slot struct {
	hash uint32
	next sym // symbol + 1
}

// A place is the position of a stored string. A string that is longer than a block has one of its own.
type place struct {
	block          uint32
	offset, length uint16 // a length of wholeBlock is that of the block
}

const (
	symbolBlock = 1 << 16
	wholeBlock  = symbolBlock - 1
	placeBits   = 10 // the size of a chunk of places as a power of two
)

func newSymbols() *symbols {
	t := &symbols{seed: maphash.MakeSeed(), slots: make([]slot, 64)}
	t.of(nil)
	return t
}

// len returns the number of symbols.
func (t *symbols) len() int { return t.count }

func (t *symbols) of(name []byte) sym { return t.ofHashed(name, hashOf(t.seed, name)) }

// hashOf returns the part of the hash of a name that a table stores.
func hashOf(seed maphash.Seed, name []byte) uint32 { return uint32(maphash.Bytes(seed, name)) }

func (t *symbols) ofHashed(name []byte, hash uint32) sym {
	if 3*t.count >= 2*len(t.slots) {
		t.grow()
	}
	at := t.slot(hash, name)
	if t.slots[at].next == 0 {
		t.addPlace(t.store(name))
		t.slots[at] = slot{hash, sym(t.count)}
	}
	return t.slots[at].next - 1
}

// largeTable is the number of slots above which a table is dropped after the last record.
const largeTable = 1 << 19

// rest drops a large table until a name is looked up. The checks of an index look none up, and need as much room.
func (t *symbols) rest() {
	if len(t.slots) > largeTable {
		t.slots = nil
	}
}

// wake makes the table again.
func (t *symbols) wake() {
	size := 2 * largeTable
	for 3*t.count >= 2*size {
		size *= 2
	}
	slots := make([]slot, size)
	for s := range sym(t.count) {
		insert(slots, slot{hashOf(t.seed, t.bytes(s)), s + 1})
	}
	t.slots = slots
}

// fewNames is how many names are looked up without a table that was dropped, which takes some time and no room.
const fewNames = 16

// find returns the symbol of a name, if it has one. Several goroutines may look up names in an index that is complete.
func (t *symbols) find(name []byte) (s sym, known bool) {
	t.waking.Lock()
	defer t.waking.Unlock()
	if t.slots == nil {
		if t.sought++; t.sought <= fewNames {
			s = t.seek(name, nil)
			return s, s >= 0
		}
		t.wake()
	}
	s = t.slots[t.slot(hashOf(t.seed, name), name)].next - 1
	return s, s >= 0
}

// has reports whether a name has a symbol with a mark. The names with one are fewer than all, so more of them are
// looked up without a table that was dropped.
func (t *symbols) has(name []byte, marks []int32) bool {
	t.waking.Lock()
	isDropped := t.slots == nil && t.sought < manyNames
	if isDropped {
		t.sought++
	}
	t.waking.Unlock()
	if isDropped {
		return t.seek(name, marks) >= 0
	}
	s, known := t.find(name)
	return known && marks[s] != 0
}

// manyNames is fewNames for those with a mark.
const manyNames = 64

// seek is find without the table, and if there are marks, for names with one.
func (t *symbols) seek(name []byte, marks []int32) sym {
	for s := emptyName; int(s) < t.count; s++ {
		if (marks == nil || marks[s] != 0) && bytes.Equal(t.bytes(s), name) {
			return s
		}
	}
	return -1
}

// slot returns the slot of a name, or the free slot for it.
func (t *symbols) slot(hash uint32, name []byte) uint32 {
	mask := uint32(len(t.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		if s := t.slots[at]; s.next == 0 || s.hash == hash && bytes.Equal(t.bytes(s.next-1), name) {
			return at
		}
	}
}

func (t *symbols) grow() {
	if t.slots == nil {
		t.wake()
		return
	}
	before := t.slots
	t.slots = make([]slot, 2*len(before))
	for _, s := range before {
		if s.next != 0 {
			insert(t.slots, s)
		}
	}
}

// insert puts the slot of a name that the table does not have into it.
func insert(slots []slot, s slot) {
	mask := uint32(len(slots) - 1)
	at := s.hash & mask
	for slots[at].next != 0 {
		at = (at + 1) & mask
	}
	slots[at] = s
}

// addPlace gives the next symbol a place.
func (t *symbols) addPlace(p place) {
	if t.count>>placeBits == len(t.places) {
		t.places = append(t.places, make([]place, 1<<placeBits))
	}
	t.places[t.count>>placeBits][t.count&(1<<placeBits-1)] = p
	t.count++
}

func (t *symbols) store(name []byte) place {
	if len(name) >= wholeBlock {
		t.blocks = append(t.blocks, slices.Clip(bytes.Clone(name))) // nothing else fits in
		return place{uint32(len(t.blocks) - 1), 0, wholeBlock}
	}
	last := len(t.blocks) - 1
	if last < 0 || cap(t.blocks[last])-len(t.blocks[last]) < len(name) {
		t.blocks = append(t.blocks, make([]byte, 0, t.blockSize()))
		last++
	}
	p := place{uint32(last), uint16(len(t.blocks[last])), uint16(len(name))}
	t.blocks[last] = append(t.blocks[last], name...)
	return p
}

// bytes returns the string of a symbol, which must not be modified, or nil for null, missing and odd.
func (t *symbols) bytes(s sym) []byte {
	if s <= emptyName {
		return nil
	}
	p := t.places[s>>placeBits][s&(1<<placeBits-1)]
	block := t.blocks[p.block]
	if p.length == wholeBlock {
		return block
	}
	return block[p.offset : int(p.offset)+int(p.length)]
}

// text returns the string of a symbol in UTF-8, or "" for null, missing and odd.
func (t *symbols) text(s sym) string { return jsontext.Readable(t.bytes(s)) }

// makeUnique returns a symbol that no string of a transcript has, because its own string is not UTF-8.
func (t *symbols) makeUnique() sym { return t.of(fmt.Appendf(nil, "\xff%d", t.count)) }

// firstSymbolBlock is the size of the first block, which is enough for the names of a short session. Thousands of those
// may be read, one after another.
const firstSymbolBlock = symbolBlock >> 5

// blockSize returns the size of the next block: twice that of the last one, up to a limit.
func (t *symbols) blockSize() int { return min(symbolBlock, firstSymbolBlock<<min(len(t.blocks), 5)) }
