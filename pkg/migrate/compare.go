package migrate

import (
	"context"
	"encoding/hex"
	"errors"

	"clawctl/pkg/store"
)

// ErrDiffers is for a session whose text in the store is not that of its source.
var ErrDiffers = errors.New("what was written is not what was read")

// A comparison is something that was written: so many bytes of a transcript behind a part, whose digest goes on from the
// one before; what was added behind them since has a comparison of its own. One without a transcript only waits for the commit. The outcome, if it is one, is told behind it.
type comparison struct {
	outcome    Outcome
	transcript store.Transcript
	from       store.Part
	bytes      int64
	before     store.Digest
}

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
	h, err := resume(w.before.State)
	if err != nil {
		return err
	}
	if _, err := copyN(c.ctx, h, text, w.bytes); err != nil {
		return err
	}
	if hex.EncodeToString(h.Sum(nil)) != w.transcript.Sum {
		return ErrDiffers
	}
	return nil
}
