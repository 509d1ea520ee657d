package tokens

import "sync/atomic"

// A cache remembers the token counts of pieces that are not in the vocabulary. It is bounded: each slot holds the
// latest piece. Slots are replaced as a unit, and readers need no lock.
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
