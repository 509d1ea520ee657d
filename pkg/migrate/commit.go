package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"slices"

	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// compareLeftovers compares what an interrupted import wrote but did not compare. What another import is writing at the
// same time may be among it.
func (im *importer) compareLeftovers() error {
	var differing []string
	err := im.view.InOneState(im.ctx, func(view *store.View) error {
		keys, err := view.UncomparedKeys(im.ctx)
		if err != nil || len(keys) == 0 {
			return err
		}
		if err := im.store.Sync(im.ctx); err != nil { // the interrupted import may not have synced
			return err
		}
		for _, key := range keys {
			t, sound, err := im.isSound(view, key)
			switch {
			case err != nil:
				return err
			case sound:
				im.compared = append(im.compared, comparedText{key, t.Sum})
			case t != nil:
				differing = append(differing, key)
			}
		}
		return nil
	})
	for _, key := range differing {
		err = errors.Join(err, im.distrustUnsound(key))
	}
	return err
}

// isSound reads the text of a session and reports whether it has the digest of its transcript, which is nil if the
// session is gone. Both must be read in one state of the store.
func (im *importer) isSound(view *store.View, key string) (t *store.Transcript, sound bool, err error) {
	if t, err = view.Transcript(im.ctx, key); t == nil || err != nil {
		return nil, false, err
	}
	text, err := view.Text(im.ctx, t, store.Whole)
	if err != nil {
		return t, false, err
	}
	defer text.Close()
	sum, err := sumOfText(im.ctx, text, t.Bytes)
	if errors.Is(err, dbfile.ErrCorrupt) {
		return t, false, nil
	}
	return t, sum == t.Sum, err
}

// distrustUnsound distrusts a session whose text does not have its digest. It looks under the lock, because another
// import may have renamed or continued the session since it was compared.
func (im *importer) distrustUnsound(key string) error {
	if err := im.begin(); err != nil {
		return err
	}
	t, sound, err := im.isSound(im.batch.View(), key)
	if err != nil || t == nil || sound {
		return err
	}
	if err := im.distrust(key); err != nil {
		return err
	}
	return im.load() // its receipts have changed too
}

// sumOf reads a transcript and returns its digest up to its known length, or of everything if it has no digest.
func (im *importer) sumOf(t *storedTranscript) (string, error) {
	text, err := im.openText(t)
	if err != nil {
		return "", err
	}
	defer text.Close()
	length := t.Bytes
	if t.Sum == "" {
		length = -1
	}
	return sumOfText(im.ctx, text, length)
}

// sumOfText returns the digest of the first n bytes of a text, or of all of it if n is -1.
func sumOfText(ctx context.Context, text io.Reader, n int64) (string, error) {
	h := sha256.New()
	_, err := copyN(ctx, h, text, n)
	return hex.EncodeToString(h.Sum(nil)), err
}

// begin starts a batch unless one is open. If another process has written to the store, it reads the catalog again.
func (im *importer) begin() (err error) {
	if im.batch != nil || im.isRehearsal() {
		return nil
	}
	if im.batch, err = im.store.Begin(im.ctx); err != nil {
		return err
	}
	im.batchStart, im.batchBytes = im.opts.Clock(), 0
	version, err := im.batch.DataVersion()
	if err != nil || version == im.version {
		return err
	}
	im.version = version
	return im.load()
}

// commitIfFull commits the batch if it is large or old enough.
func (im *importer) commitIfFull() error {
	if im.batch != nil && (im.batchBytes >= im.opts.CommitBytes ||
		im.opts.Clock().Sub(im.batchStart) >= im.opts.CommitAfter) {
		return im.commit()
	}
	return nil
}

// commit ends the batch. It waits for running comparisons if the batch changes sessions that they read, or if the log
// is to be reused from its start, which readers would prevent.
func (im *importer) commit() error {
	if im.batch == nil {
		return nil
	}
	if err := im.reportCompared(im.changesExisting || im.logBytes+im.batchBytes >= maxLog); err != nil {
		return err
	}
	if err := im.markCompared(); err != nil {
		return err
	}
	batch := im.batch
	im.batch = nil
	if err := batch.Commit(); err != nil {
		return err
	}
	im.logBytes += im.batchBytes
	if err := im.checkpoint(); err != nil {
		return err
	}
	for _, r := range im.keyChanges {
		r.apply(im.waiting)
	}
	im.compare.start(im.waiting)
	im.waiting, im.keyChanges, im.changesExisting = nil, nil, false
	return nil
}

// finish commits the rest and waits for all comparisons and checkpoints.
func (im *importer) finish() error {
	for {
		if err := im.commit(); err != nil {
			return err
		}
		if err := im.reportCompared(true); err != nil {
			return err
		}
		if len(im.compared) == 0 && im.batch == nil {
			break
		}
		if err := im.begin(); err != nil {
			return err
		}
	}
	if err := im.buildIndex(); err != nil {
		return err
	}
	if im.checkpointDone != nil {
		err := <-im.checkpointDone
		im.checkpointDone = nil
		if err != nil {
			return err
		}
	}
	return im.store.Sync(im.ctx) // outcomes may rely on what other processes have committed
}

// dropIndexIfLarge drops the index of parents, to build it last, if a source adds a large text that at least doubles
// the store. In a store that has more than that already, reading all records for the index would take longer.
func (im *importer) dropIndexIfLarge(added int64) error {
	if added < im.opts.LargeBytes {
		return nil
	}
	for _, t := range im.catalog.byKey {
		added -= t.Bytes
	}
	if added < 0 {
		return nil
	}
	return im.batch.DropParentIndex()
}

// buildIndex builds the index of parents, if this import or an interrupted one has dropped it. If another import is
// writing, that one builds it at its end: each marks its own sessions as compared first, so the last one finds no
// others.
func (im *importer) buildIndex() error {
	has, err := im.view.HasParentIndex(im.ctx)
	if has || err != nil {
		return err
	}
	others, err := im.view.UncomparedKeys(im.ctx)
	if len(others) > 0 || err != nil {
		return err
	}
	if im.opts.Indexing != nil {
		im.opts.Indexing()
	}
	return im.store.BuildParentIndex(im.ctx)
}

// markCompared notes in the store which sessions were compared.
func (im *importer) markCompared() error {
	for _, c := range im.compared {
		if err := im.batch.MarkCompared(c.key, c.sum); err != nil {
			return err
		}
	}
	im.compared = nil
	return nil
}

// A comparedText is a session that has the text of its source, and the digest of that text.
type comparedText struct{ key, sum string }

// maxLog is roughly how large the log of the store may become. A larger log is slower, because its blocks must be
// allocated.
const maxLog = 256 << 20

// checkpoint moves the log into the database while the next batch is written. If the log is too large, checkpoint waits
// until the log can be reused from its start.
func (im *importer) checkpoint() error {
	if im.checkpointDone != nil && (im.logBytes >= maxLog || len(im.checkpointDone) > 0) {
		err := <-im.checkpointDone
		im.checkpointDone = nil
		if err != nil {
			return err
		}
	}
	switch {
	case im.logBytes >= maxLog:
		im.logBytes = 0
		return im.store.Checkpoint(im.ctx, true)
	case im.checkpointDone == nil && im.batchBytes > 0:
		done := make(chan error, 1)
		im.checkpointDone = done
		go func() { done <- im.store.Checkpoint(im.ctx, false) }()
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
func (im *importer) reportCompared(all bool) error {
	done, err := im.compare.collect(all)
	for _, r := range im.keyChanges { // made after these comparisons were queued
		r.before = len(done)
		r.apply(done)
	}
	return errors.Join(im.report(done), err)
}

// report reports outcomes. A session that differs from its source is marked, and is never again taken for a copy of it.
func (im *importer) report(done []comparison) error {
	for _, c := range done {
		if c.outcome.Err != nil && c.outcome.Verdict != Refused {
			if err := im.lookAgain(&c.outcome); err != nil {
				return err
			}
		}
		if c.outcome.Session == nil {
			continue
		}
		im.opts.Done(c.outcome)
		if c.outcome.Err == nil && c.outcome.wroteLines() {
			im.compared = append(im.compared, comparedText{c.outcome.Key, c.outcome.sum})
		}
	}
	return im.ctx.Err()
}

// lookAgain looks under the lock at a session whose comparison failed. Another import may have renamed or continued it
// after the commit. Its text is intact if it has the digest that the session has now.
func (im *importer) lookAgain(o *Outcome) error {
	if err := im.begin(); err != nil {
		return err
	}
	t, sound, err := im.isSound(im.batch.View(), im.whereabouts(o))
	switch {
	case err != nil || t == nil: // a session that another program has deleted cannot be marked
		return err
	case sound:
		o.Key, o.sum, o.Err = t.Key, t.Sum, nil
		return nil
	}
	return im.distrustUnsound(t.Key)
}

// whereabouts returns the key under which the text of an outcome is stored now.
func (im *importer) whereabouts(o *Outcome) string {
	if t := im.catalog.byKey[o.Key]; t != nil && t.Sum == o.sum {
		return o.Key
	}
	for _, t := range im.catalog.byID[o.Session.ID] {
		if t.Sum == o.sum {
			return t.Key
		}
	}
	if r := im.catalog.receipts[ReceiptPath(o.Session)]; r != nil {
		return r.SessionKey
	}
	return o.Key
}

// wroteLines reports whether lines were stored.
func (o *Outcome) wroteLines() bool {
	return o.Verdict == New || o.Verdict == Generation || o.Verdict == Grown
}

// distrust notes that the text of a session may differ from its digest.
func (im *importer) distrust(key string) error {
	if err := im.begin(); err != nil {
		return err
	}
	return errors.Join(im.batch.Distrust(key), im.batch.MarkCompared(key, ""))
}

// reportUndigested names the sessions whose text once differed from its source.
func (im *importer) reportUndigested() {
	if im.opts.Undigested == nil {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(im.catalog.byKey)) {
		if t := im.catalog.byKey[key]; t.Sum == "" && t.Lines > 0 {
			im.opts.Undigested(key)
		}
	}
}
