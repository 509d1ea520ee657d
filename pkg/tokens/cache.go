package tokens

import "sync/atomic"

// A cache remembers what pieces count that are no word of the vocabulary. It is bounded: a slot holds the piece that
// came last. Slots are replaced whole, so that readers need no lock.
type cache struct {
	slots [cacheSlots]atomic.Pointer[cacheEntry]
}

const (
	cacheSlots = 1 << 14
	maxCached  = 64
)

type cacheEntry struct {
	piece string
	count int
}

func (c *cache) get(piece []byte) int {
	if entry := c.slots[hash(piece)%cacheSlots].Load(); entry != nil && entry.piece == string(piece) {
		return entry.count
	}
	return 0
}

func (c *cache) put(piece []byte, count int) {
	c.slots[hash(piece)%cacheSlots].Store(&cacheEntry{string(piece), count})
}
