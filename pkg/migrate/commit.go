package migrate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// compareLeftovers compares what an interrupted import wrote but did not compare.
func (im *importer) compareLeftovers() error {
	keys, err := im.store.UncomparedKeys(im.ctx)
	if err != nil || len(keys) == 0 {
		return err
	}
	if err := im.store.Sync(im.ctx); err != nil { // the interrupted import may not have synced
		return err
	}
	for _, key := range keys {
		t := im.catalog.byKey[key]
		if t == nil {
			continue
		}
		sum, err := im.sumOf(t)
		switch {
		case err != nil:
			return err
		case sum == t.Sum:
			im.comparedKeys = append(im.comparedKeys, key)
		default:
			if err := im.distrust(key); err != nil {
				return err
			}
		}
	}
	return im.load()
}

// sumOf reads a transcript and returns its digest up to its known length, because another process may be appending to
// it.
func (im *importer) sumOf(t *storedTranscript) (string, error) {
	text, err := im.openText(t)
	if err != nil {
		return "", err
	}
	defer text.Close()
	h := sha256.New()
	_, err = copyN(im.ctx, h, text, t.Bytes)
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
		if len(im.comparedKeys) == 0 && im.batch == nil {
			break
		}
		if err := im.begin(); err != nil {
			return err
		}
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

// markCompared notes in the store which sessions were compared.
func (im *importer) markCompared() error {
	for _, key := range im.comparedKeys {
		if err := im.batch.MarkCompared(key); err != nil {
			return err
		}
	}
	im.comparedKeys = nil
	return nil
}

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
			if err := im.distrust(c.outcome.Key); err != nil {
				return err
			}
		}
		if c.outcome.Session == nil {
			continue
		}
		im.opts.Done(c.outcome)
		if c.outcome.Err == nil && c.outcome.wroteLines() {
			im.comparedKeys = append(im.comparedKeys, c.outcome.Key)
		}
	}
	return im.ctx.Err()
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
	return errors.Join(im.batch.Distrust(key), im.batch.MarkCompared(key))
}
