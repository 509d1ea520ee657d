package migrate

import (
	"context"
	"errors"
	"hash/maphash"

	"clawctl/pkg/store"
)

// ErrDiffers is for a session whose text in the store is not that of its source.
var ErrDiffers = errors.New("what was written is not what was read")

// A comparison is something that was written: pages of a transcript behind a part, each with a sum of what was read; what
// was added behind them since has a comparison of its own. One without a transcript only waits for the commit. The
// outcome, if it is one, is told behind it.
type comparison struct {
	outcome    Outcome
	transcript store.Transcript
	from       store.Part
	pages      []pageSum
}

// A pageSum tells the bytes of a page. For a comparison within one process 64 bits do, of a hash that is ten times as
// fast as the digest that receipts have.
type pageSum struct {
	bytes int64
	sum   uint64
}

// sumSeed is that of all page sums.
var sumSeed = maphash.MakeSeed()

// A comparer reads back what was committed, while the next batch is being written.
type comparer struct {
	ctx    context.Context
	store  *store.SQLite
	result chan []comparison
	failed error // of the parts of a session whose outcome is still to come
}

func newComparer(ctx context.Context, st *store.SQLite) *comparer {
	return &comparer{ctx: ctx, store: st}
}

// start begins with a batch.
func (c *comparer) start(list []comparison) {
	c.result = make(chan []comparison, 1)
	result := c.result
	go func() {
		for i := range list {
			if list[i].transcript.Key != "" {
				c.failed = errors.Join(c.failed, c.one(&list[i]))
			}
			if list[i].outcome.Session != nil {
				// The parts of a session lie before its outcome.
				list[i].outcome.Err = errors.Join(list[i].outcome.Err, c.failed)
				c.failed = nil
			}
		}
		result <- list
	}()
}

// wait returns the comparisons of the last batch, once.
func (c *comparer) wait() []comparison {
	if c.result == nil {
		return nil
	}
	list := <-c.result
	c.result = nil
	return list
}

func (c *comparer) one(w *comparison) error {
	text, err := c.store.Text(c.ctx, &w.transcript, w.from)
	if err != nil {
		return err
	}
	defer text.Close()
	for _, page := range w.pages {
		var h maphash.Hash
		h.SetSeed(sumSeed)
		if n, err := copyN(c.ctx, &h, text, page.bytes); err != nil {
			return err
		} else if n < page.bytes || h.Sum64() != page.sum {
			return ErrDiffers
		}
	}
	return nil
}
