package migrate

import (
	"context"
	"errors"
	"hash/maphash"

	"clawctl/pkg/store"
)

// ErrDiffers is the error for a session whose stored text differs from its source.
var ErrDiffers = errors.New("the stored text differs from the source")

// A comparison lists pages that were written to a transcript, with a checksum of each page as it was read. from is
// where they start. Later additions have their own comparison. A comparison without a transcript only waits for the
// commit. If there is an outcome, it is reported after the comparison.
type comparison struct {
	outcome    Outcome
	transcript store.Transcript
	from       store.LineRange
	pages      []pageSum
}

// A pageSum identifies the text of a page. A 64-bit hash is enough within one process and ten times as fast as the
// digest of a receipt.
type pageSum struct {
	lines, bytes int64
	sum          uint64
}

// sumSeed is the seed of all page sums.
var sumSeed = maphash.MakeSeed()

// A comparer syncs committed batches and reads them back while the next ones are written.
type comparer struct {
	ctx     context.Context
	store   *store.SQLite
	pending int // batches that were started but not collected
	batches chan []comparison
	results chan comparedBatch
	partErr error // error of earlier parts of a session whose outcome comes later
}

// A comparedBatch is a batch after its comparison, or the store error that prevented it.
type comparedBatch struct {
	list []comparison
	err  error
}

// comparerDepth is the maximum number of batches waiting to be compared. Together they are smaller than the log.
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
			// All parts of a session come before its outcome.
			list[i].outcome.Err = errors.Join(list[i].outcome.Err, c.partErr)
			c.partErr = nil
		}
	}
}

// start queues a batch.
func (c *comparer) start(list []comparison) {
	c.pending++
	c.batches <- list
}

// collect returns the comparisons that have ended. With all, it waits for the rest.
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

// stop waits for the queued batches and ends the comparer.
func (c *comparer) stop() {
	for ; c.pending > 0; c.pending-- {
		<-c.results
	}
	close(c.batches)
}

// compareOne compares the stored text of some pages with their checksums.
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
