package migrate

import (
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"time"
)

// A committer writes in batches that several sessions share. It commits and syncs them, has each one compared while the
// next is written, and reports outcomes after that.
type committer struct {
	ctx     context.Context
	store   *store.SQLite // nil in a dry run
	view    *store.View   // nil in a dry run without a store
	opts    Options
	catalog *catalog
	version int64 // of the store when the catalog was read

	batch           *store.Batch // nil between batches
	batchStart      time.Time
	batchBytes      int64
	waiting         []comparison   // comparisons of the batch
	keyChanges      []keyChange    // in the batch
	changesExisting bool           // the batch changes sessions that already existed
	compared        []comparedText // to be marked as compared
	compare         *comparer

	logBytes       int64      // bytes in the log of the store
	checkpointDone chan error // receives the result of a checkpoint in the background
}

// load reads the catalog of the store.
func (c *committer) load() error {
	view := c.view
	switch {
	case view == nil:
		return nil
	case c.batch != nil:
		view = c.batch.View()
	}
	return view.InOneState(c.ctx, func(view *store.View) error { return c.catalog.load(c.ctx, view, c.opts.Strict) })
}

// isRehearsal reports whether this is a dry run.
func (c *committer) isRehearsal() bool { return c.store == nil }

// compareLeftovers compares what an interrupted import wrote but did not compare. What another import is writing at the
// same time may be among it.
func (c *committer) compareLeftovers() error {
	var differing []string
	err := c.view.InOneState(c.ctx, func(view *store.View) error {
		keys, err := view.UncomparedKeys(c.ctx)
		if err != nil || len(keys) == 0 {
			return err
		}
		if err := c.store.Sync(c.ctx); err != nil { // the interrupted import may not have synced
			return err
		}
		for _, key := range keys {
			t, sound, err := c.isSound(view, key)
			switch {
			case err != nil:
				return err
			case sound:
				c.compared = append(c.compared, comparedText{key, t.Sum})
			case t != nil:
				differing = append(differing, key)
			}
		}
		return nil
	})
	for _, key := range differing {
		err = errors.Join(err, c.distrustUnsound(key))
	}
	return err
}

// isSound reads the text of a session and reports whether it has the digest of its transcript, which is nil if the
// session is gone. Both must be read in one state of the store.
func (c *committer) isSound(view *store.View, key string) (t *store.Transcript, sound bool, err error) {
	if t, err = view.Transcript(c.ctx, key); t == nil || err != nil {
		return nil, false, err
	}
	text, err := view.Text(c.ctx, t, store.Whole)
	if err != nil {
		return t, false, err
	}
	defer text.Close()
	sum, err := digestOf(c.ctx, text, t.Bytes)
	if errors.Is(err, dbfile.ErrCorrupt) {
		return t, false, nil
	}
	return t, sum == t.Sum, err
}

// distrustUnsound distrusts a session whose text does not have its digest. It looks under the lock, because another
// import may have renamed or continued the session since it was compared.
func (c *committer) distrustUnsound(key string) error {
	if err := c.begin(); err != nil {
		return err
	}
	t, sound, err := c.isSound(c.batch.View(), key)
	if err != nil || t == nil || sound {
		return err
	}
	if err := c.distrust(key); err != nil {
		return err
	}
	return c.load() // its receipts have changed too
}

func (c *committer) openText(t *storedTranscript) (io.ReadCloser, error) {
	if t.from != nil {
		return t.from.Open()
	}
	if c.batch == nil {
		return c.view.Text(c.ctx, t.Transcript, store.Whole)
	}
	return c.batch.View().Text(c.ctx, t.Transcript, store.Whole)
}

// sumOf reads a transcript and returns its digest up to its known length, or of everything if it has no digest.
func (c *committer) sumOf(t *storedTranscript) (string, error) {
	text, err := c.openText(t)
	if err != nil {
		return "", err
	}
	defer text.Close()
	length := t.Bytes
	if t.Sum == "" {
		length = -1
	}
	return digestOf(c.ctx, text, length)
}

// digestOf returns the SHA-256 of the first n bytes of a text, or of all of it if n is -1.
func digestOf(ctx context.Context, text io.Reader, n int64) (string, error) {
	h := sha256.New()
	_, err := copyN(ctx, h, text, n)
	return hex.EncodeToString(h.Sum(nil)), err
}

// begin starts a batch unless one is open. If another process has written to the store, it reads the catalog again.
func (c *committer) begin() error {
	var err error
	if c.batch != nil || c.isRehearsal() {
		return nil
	}
	if c.batch, err = c.store.Begin(c.ctx); err != nil {
		return err
	}
	c.batchStart, c.batchBytes = c.opts.Clock(), 0
	version, err := c.batch.DataVersion()
	if err != nil || version == c.version {
		return err
	}
	c.version = version
	return c.load()
}

// commitIfFull commits the batch if it is large or old enough.
func (c *committer) commitIfFull() error {
	if c.batch != nil && (c.batchBytes >= c.opts.CommitBytes ||
		c.opts.Clock().Sub(c.batchStart) >= c.opts.CommitAfter) {
		return c.commit()
	}
	return nil
}

// commit ends the batch. It waits for running comparisons if the batch changes sessions that they read, or if the log
// is to be reused from its start, which readers would prevent.
func (c *committer) commit() error {
	if c.batch == nil {
		return nil
	}
	if err := c.reportCompared(c.changesExisting || c.logBytes+c.batchBytes >= maxLog); err != nil {
		return err
	}
	if err := c.markCompared(); err != nil {
		return err
	}
	batch := c.batch
	c.batch = nil
	if err := batch.Commit(); err != nil {
		return err
	}
	c.logBytes += c.batchBytes
	if err := c.checkpoint(); err != nil {
		return err
	}
	for _, r := range c.keyChanges {
		r.apply(c.waiting)
	}
	c.compare.start(c.waiting)
	c.waiting, c.keyChanges, c.changesExisting = nil, nil, false
	return nil
}

// finish commits the rest and waits for all comparisons and checkpoints.
func (c *committer) finish() error {
	for {
		if err := c.commit(); err != nil {
			return err
		}
		if err := c.reportCompared(true); err != nil {
			return err
		}
		if len(c.compared) == 0 && c.batch == nil {
			break
		}
		if err := c.begin(); err != nil {
			return err
		}
	}
	if err := c.buildIndex(); err != nil {
		return err
	}
	if c.checkpointDone != nil {
		err := <-c.checkpointDone
		c.checkpointDone = nil
		if err != nil {
			return err
		}
	}
	return c.store.Sync(c.ctx) // outcomes may rely on what other processes have committed
}

// dropIndexIfLarge drops the index of parents, to build it last, if a source adds a large text that at least doubles
// the store. In a store that has more than that already, reading all records for the index would take longer.
func (c *committer) dropIndexIfLarge(added int64) error {
	if added < c.opts.LargeBytes {
		return nil
	}
	for _, t := range c.catalog.byKey {
		added -= t.Bytes
	}
	if added < 0 {
		return nil
	}
	return c.batch.DropParentIndex()
}

// buildIndex builds the index of parents, if this import or an interrupted one has dropped it. If another import is
// writing, that one builds it at its end: each marks its own sessions as compared first, so the last one finds no
// others.
func (c *committer) buildIndex() error {
	has, err := c.view.HasParentIndex(c.ctx)
	if has || err != nil {
		return err
	}
	others, err := c.view.UncomparedKeys(c.ctx)
	if len(others) > 0 || err != nil {
		return err
	}
	if c.opts.Indexing != nil {
		c.opts.Indexing()
	}
	return c.store.BuildParentIndex(c.ctx)
}

// markCompared notes in the store which sessions were compared.
func (c *committer) markCompared() error {
	for _, text := range c.compared {
		if err := c.batch.MarkCompared(text.key, text.sum); err != nil {
			return err
		}
	}
	c.compared = nil
	return nil
}

// A comparedText is a session that has the text of its source, and the digest of that text.
type comparedText struct{ key, sum string }

// maxLog is how many bytes of texts may be in the log of the store. A larger log is slower, because its blocks must be
// allocated, and removed at the end: that takes a second for a gigabyte. It has room for the batch that is written, one
// that is compared and one that is moved into the database.
const maxLog = 96 << 20

// checkpoint moves the log into the database while the next batch is written. If the log is too large, checkpoint waits
// until the log can be reused from its start.
func (c *committer) checkpoint() error {
	if c.checkpointDone != nil && (c.logBytes >= maxLog || len(c.checkpointDone) > 0) {
		err := <-c.checkpointDone
		c.checkpointDone = nil
		if err != nil {
			return err
		}
	}
	switch {
	case c.logBytes >= maxLog:
		c.logBytes = 0
		return c.store.Checkpoint(c.ctx, true)
	case c.checkpointDone == nil && c.batchBytes > 0:
		done := make(chan error, 1)
		c.checkpointDone = done
		go func() { done <- c.store.Checkpoint(c.ctx, false) }()
	}
	return nil
}

// A keyChange is a renamed session. The comparisons that were queued before it still have the old key.
type keyChange struct {
	from, to string
	before   int
}

func (r keyChange) apply(waiting []comparison) {
	for i := range waiting[:r.before] {
		if waiting[i].transcript.Key == r.from {
			waiting[i].transcript.Key = r.to
		}
		if waiting[i].outcome.Key == r.from {
			waiting[i].outcome.Key = r.to
		}
	}
}

// reportCompared reports the outcomes whose comparison has ended. With all, it waits for the rest.
func (c *committer) reportCompared(all bool) error {
	done, err := c.compare.collect(all)
	for _, r := range c.keyChanges { // made after these comparisons were queued
		r.before = len(done)
		r.apply(done)
	}
	return errors.Join(c.report(done), err)
}

// report reports outcomes. A session that differs from its source is marked, and is never again taken for a copy of it.
func (c *committer) report(done []comparison) error {
	for _, d := range done {
		if d.outcome.Err != nil && d.outcome.Verdict != Refused {
			if err := c.lookAgain(&d.outcome); err != nil {
				return err
			}
		}
		if d.outcome.Session == nil {
			continue
		}
		c.opts.Done(d.outcome)
		if d.outcome.Err == nil && d.outcome.wroteLines() {
			c.compared = append(c.compared, comparedText{d.outcome.Key, d.outcome.sum})
		}
	}
	return c.ctx.Err()
}

// lookAgain looks under the lock at a session whose comparison failed. Another import may have renamed or continued it
// after the commit. Its text is intact if it has the digest that the session has now.
func (c *committer) lookAgain(o *Outcome) error {
	if err := c.begin(); err != nil {
		return err
	}
	t, sound, err := c.isSound(c.batch.View(), c.catalog.whereabouts(o))
	switch {
	case err != nil || t == nil: // a session that another program has deleted cannot be marked
		return err
	case sound:
		o.Key, o.sum, o.Err = t.Key, t.Sum, nil
		return nil
	}
	return c.distrustUnsound(t.Key)
}

// wroteLines reports whether lines were stored.
func (o *Outcome) wroteLines() bool {
	return o.Verdict == New || o.Verdict == Generation || o.Verdict == Grown
}

// distrust notes that the text of a session may differ from its digest.
func (c *committer) distrust(key string) error {
	if err := c.begin(); err != nil {
		return err
	}
	return errors.Join(c.batch.Distrust(key), c.batch.MarkCompared(key, ""))
}

// done reports an outcome, with the batch if there is one.
func (c *committer) done(o Outcome) {
	if c.batch != nil {
		c.waiting = append(c.waiting, comparison{outcome: o})
		return
	}
	c.opts.Done(o)
}

// abandon releases everything that is still open.
func (c *committer) abandon() {
	c.compare.stop()
	if c.checkpointDone != nil {
		<-c.checkpointDone
	}
	if c.batch != nil {
		c.batch.Rollback()
	}
}

// undoOnError runs a part of the batch in a savepoint, which is rolled back if the part fails. This way there is never
// a receipt for text that was not stored completely.
func (c *committer) undoOnError(part func() error) error {
	var failed error
	err := c.batch.InSavepoint(func() error {
		failed = part()
		return failed
	})
	if failed == nil {
		return asStoreError(err)
	}
	return err
}

// dropOnError is undoOnError for the first portion of a new session. It deletes the session instead of using a
// savepoint. A savepoint copies every index page that the session touches, which takes a fifth of the writing time.
func (c *committer) dropOnError(t *storedTranscript) func(func() error) error {
	return func(part func() error) error {
		err := part()
		var broken *storeError
		if err != nil && !errors.As(err, &broken) {
			if dropped := c.batch.Drop(t.Key); dropped != nil {
				return asStoreError(dropped)
			}
		}
		return err
	}
}
