package migrate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// compareLeftovers compares what an import wrote that was ended before it could.
func (im *importer) compareLeftovers() error {
	keys, err := im.store.UncomparedKeys(im.ctx)
	if err != nil || len(keys) == 0 {
		return err
	}
	if err := im.store.Sync(im.ctx); err != nil { // which it may not have come to, either
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

// sumOf reads a transcript for its digest, as far as it is known: another process may be adding to it.
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

// begin starts a batch, if none is open. Where another process has written the store since, the catalog is read again.
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

func (im *importer) commitIfFull() error {
	if im.batch != nil && (im.batchBytes >= im.opts.CommitBytes ||
		im.opts.Clock().Sub(im.batchStart) >= im.opts.CommitAfter) {
		return im.commit()
	}
	return nil
}

// commit ends the batch. The comparisons must have ended where it changes what they look at, and where the log is to be
// used from its beginning, from which readers would keep it.
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

// finish commits what is left, and waits for everything that runs beside the writer.
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
	return im.store.Sync(im.ctx) // what others have committed counts as there, too
}

// markCompared notes what was compared.
func (im *importer) markCompared() error {
	for _, key := range im.comparedKeys {
		if err := im.batch.MarkCompared(key); err != nil {
			return err
		}
	}
	im.comparedKeys = nil
	return nil
}

// maxLog is about how large the log of the store may become. A larger one takes longer: its blocks are new ones.
const maxLog = 256 << 20

// checkpoint empties the log into the database, beside the next batch; now and then it waits, so that the log can be
// used again from its beginning.
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

// A keyChange is one of a session that comparisons are waiting for: those that came before it know the old name.
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

// reportCompared tells the outcomes that were compared so far; with all it waits for everything.
func (im *importer) reportCompared(all bool) error {
	done, err := im.compare.collect(all)
	for _, r := range im.keyChanges { // since what was compared was written
		r.before = len(done)
		r.apply(done)
	}
	return errors.Join(im.report(done), err)
}

// report tells outcomes. A session that is not what its source was is marked, so that it never
// counts as that again.
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

// distrust notes that a session's text is not known.
func (im *importer) distrust(key string) error {
	if err := im.begin(); err != nil {
		return err
	}
	return errors.Join(im.batch.Distrust(key), im.batch.MarkCompared(key))
}
