package migrate

import (
	"context"
	"errors"
	"hash/maphash"

	"clawctl/pkg/store"
)

// ErrDiffers is for a session whose text in the store is not that of its source.
var ErrDiffers = errors.New("what was written is not what was read")

// A comparison is something that was written: pages of a transcript behind a part, each with a sum of what was read;
// what was added behind them since has a comparison of its own. One without a transcript only waits for the commit. The
// outcome, if it is one, is told behind it.
type comparison struct {
	outcome    Outcome
	transcript store.Transcript
	from       store.Part
	pages      []pageSum
}

// A pageSum tells the text of a page. For a comparison within one process 64 bits do, of a hash that is ten times as
// fast as the digest that receipts have.
type pageSum struct {
	lines, bytes int64
	sum          uint64
}

// sumSeed is that of all page sums.
var sumSeed = maphash.MakeSeed()

// A comparer makes what was committed durable and reads it back, while the next batches are being written.
type comparer struct {
	ctx     context.Context
	store   *store.SQLite
	pending int // batches that were handed over and not returned
	batches chan []comparison
	results chan comparedBatch
	partErr error // of the parts of a session whose outcome is still to come
}

// comparedBatch is a batch that was compared, or what is wrong with the store.
type comparedBatch struct {
	list []comparison
	err  error
}

// comparerDepth is how many batches may wait to be compared; they are smaller than the log that they are compared in.
const comparerDepth = 64

func newComparer(ctx context.Context, st *store.SQLite) *comparer {
	c := &comparer{ctx: ctx, store: st, batches: make(chan []comparison, comparerDepth),
		results: make(chan comparedBatch, comparerDepth)}
	go func() {
		for list := range c.batches {
			err := c.store.Sync(c.ctx)
			if err == nil {
				c.compareBatch(list)
			}
			c.results <- comparedBatch{list, err}
		}
	}()
	return c
}

// compareBatch compares what one commit wrote.
func (c *comparer) compareBatch(list []comparison) {
	for i := range list {
		if list[i].transcript.Key != "" {
			c.partErr = errors.Join(c.partErr, c.compareOne(&list[i]))
		}
		if list[i].outcome.Session != nil {
			// The parts of a session lie before its outcome.
			list[i].outcome.Err = errors.Join(list[i].outcome.Err, c.partErr)
			c.partErr = nil
		}
	}
}

// start hands a batch over.
func (c *comparer) start(list []comparison) {
	c.pending++
	c.batches <- list
}

// collect returns what has been compared so far; with all it waits for everything.
func (c *comparer) collect(all bool) (done []comparison, err error) {
	for err == nil && c.pending > 0 && (all || c.pending >= comparerDepth || len(c.results) > 0) {
		result := <-c.results
		c.pending--
		if err = result.err; err == nil {
			done = append(done, result.list...)
		}
	}
	return done, err
}

// stop ends the comparer.
func (c *comparer) stop() {
	for ; c.pending > 0; c.pending-- {
		<-c.results
	}
	close(c.batches)
}

func (c *comparer) compareOne(w *comparison) error {
	text, err := c.store.Text(c.ctx, &w.transcript, w.from)
	if err != nil {
		return err
	}
	defer text.Close()
	for _, page := range w.pages {
		yieldToWriter()
		var h maphash.Hash
		h.SetSeed(sumSeed)
		if n, err := text.WriteLines(&h, page.lines); err != nil {
			return err
		} else if n != page.bytes || h.Sum64() != page.sum {
			return ErrDiffers
		}
	}
	return nil
}
