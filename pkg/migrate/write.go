package migrate

import (
	"errors"
	"slices"

	"clawctl/pkg/source"
	"clawctl/pkg/source/packed"
	"clawctl/pkg/store"
)

// create stores a source as a new session.
func (run *importRun) create(s *source.Session, p decision, outcome *Outcome) error {
	t := &storedTranscript{Transcript: &store.Transcript{
		Key: store.Name(p.key, p.generation), BaseKey: p.key, Generation: p.generation, SessionID: s.ID, Agent: s.Agent,
		Kind: string(s.Kind),
	}}
	if run.commits.isRehearsal() {
		t.from = s
		return run.rehearse(s, t, outcome)
	}
	f := run.feeds.take(s, *t.Transcript)
	defer f.stop()
	fresh := p.occupant == nil && run.catalog.receipts[ReceiptPath(s)] == nil
	return run.transfer(s, t, f, outcome, fresh, func() error {
		if p.occupant != nil {
			if err := run.setAside(p.occupant); err != nil {
				return asStoreError(err)
			}
		}
		m := store.Metadata{Source: ReceiptPath(s), Title: s.Title(), Entry: compact(s.Registration())}
		run.catalog.metadata[t.Key] = m
		return asStoreError(run.commits.batch.Create(t.Transcript, m))
	})
}

// grow appends the new lines of a source to the transcript that is its beginning.
func (run *importRun) grow(s *source.Session, t *storedTranscript, outcome *Outcome) error {
	if run.commits.isRehearsal() {
		return run.rehearse(s, t, outcome)
	}
	if t.Tail > 0 && run.isWaiting(t.Key) {
		// Its last line is replaced, and the queued lines must be compared first.
		now, err := run.continueLater(t)
		if err != nil {
			return err
		}
		t = now
	}
	if err := run.reclaim(s, t, outcome); err != nil {
		return err
	}
	run.commits.changesExisting = true
	if whole, err := run.commits.batch.IsWhole(t.Transcript); err != nil || !whole {
		return errors.Join(asStoreError(err), run.rejectIncomplete(t, err))
	}
	f := run.feeds.begin(s, *t.Transcript)
	defer f.stop()
	err := run.transfer(s, t, f, outcome, false, func() error {
		key, gen, better := run.catalog.betterName(s, t, true)
		if !better {
			return nil
		}
		return asStoreError(run.rename(s, t, key, gen))
	})
	now := run.catalog.byKey[outcome.Key]
	switch {
	case now == nil:
		return err
	case isLost(err) && !outcome.IsReclaimed: // the archive can be opened, but not read
		now.isLost = true
		return run.grow(s, now, outcome)
	case err == nil:
		return run.describe(s, now)
	}
	return err
}

// noteCopy adds a receipt for a source whose text is already in the store.
func (run *importRun) noteCopy(s *source.Session, p decision, outcome *Outcome) error {
	outcome.Key = p.existing.Key
	if run.commits.isRehearsal() {
		return nil
	}
	if p.existing.Sum == "" && p.length == p.existing.Bytes {
		if err := run.commits.batch.SetSum(p.existing.Transcript, p.sum); err != nil {
			return asStoreError(err)
		}
	}
	if key, gen, better := run.catalog.betterName(s, p.existing, isAllOf(p.existing, p.length)); better {
		if err := run.rename(s, p.existing, key, gen); err != nil {
			return asStoreError(err)
		}
		outcome.Key = p.existing.Key
	}
	if p.length == p.existing.Bytes {
		if err := run.reclaim(s, p.existing, outcome); err != nil {
			return err
		}
	}
	if err := run.describe(s, p.existing); err != nil {
		return err
	}
	r := &store.ImportReceipt{SessionKey: p.existing.Key, Stamp: p.stamp, Sum: p.sum, Lines: p.lines, Bytes: p.length}
	err := run.commits.undoOnError(func() error { return run.putReceipt(s, r) })
	if err != nil {
		run.revertCatalog(p.existing, *p.existing.Transcript)
	}
	return err
}

// isWaiting reports whether the open batch has written to a session.
func (run *importRun) isWaiting(key string) bool {
	return slices.ContainsFunc(run.commits.waiting, func(c comparison) bool { return c.transcript.Key == key })
}

// rejectIncomplete distrusts a transcript if another program has added or removed rows of it. Its source is stored
// again.
func (run *importRun) rejectIncomplete(t *storedTranscript, err error) error {
	if err != nil {
		return nil
	}
	if err := run.unsum(t); err != nil {
		return err
	}
	return errOtherText
}

// unsum forgets the digest of a transcript, which is wrong.
func (run *importRun) unsum(t *storedTranscript) error {
	return run.catalog.change(t, func() error {
		t.Sum = ""
		return asStoreError(run.commits.distrust(t.Key))
	})
}

// unsumAll forgets wrong digests. A dry run leaves them.
func (run *importRun) unsumAll(list []*storedTranscript) error {
	if run.commits.isRehearsal() {
		return nil
	}
	for _, t := range list {
		if err := run.unsum(t); err != nil {
			return err
		}
	}
	return nil
}

// dropCutOff removes what was stored of a source whose compression turns out to be damaged, unless another source has
// the same text. A part of it would be neither the file nor a session.
func (run *importRun) dropCutOff(s *source.Session, outcome *Outcome, err error) error {
	r := run.catalog.receipts[ReceiptPath(s)]
	if !errors.As(err, new(*packed.Error)) || r == nil || !r.IsPart() || run.commits.isRehearsal() {
		return err
	}
	t := run.catalog.byKey[r.SessionKey]
	if t == nil || t.Own > 0 || len(run.catalog.bySource[r.SessionKey]) > 1 {
		return err
	}
	run.commits.changesExisting = true // its portions are compared before they are gone
	if dropped := errors.Join(run.commits.batch.Drop(t.Key), run.commits.load()); dropped != nil {
		return asStoreError(dropped)
	}
	*outcome = Outcome{Session: s} // nothing was added after all
	return err
}

// rehearse reads what transfer would write, and updates the catalog only.
func (run *importRun) rehearse(s *source.Session, t *storedTranscript, outcome *Outcome) error {
	f := run.feeds.begin(s, *t.Transcript)
	defer f.stop()
	outcome.Key = t.Key
	for p := range f.pages {
		if p.err != nil {
			return p.err
		}
		outcome.count(p)
		err := run.catalog.change(t, func() error {
			t.Bytes, t.Sum, t.Lines = t.Bytes+p.bytes(), p.end.digest.Sum, t.Lines+p.count
			return nil
		})
		p.release()
		if err != nil {
			return err
		}
	}
	return run.ctx.Err()
}

// count adds the lines of a page.
func (o *Outcome) count(p *page) {
	o.Lines += p.count
	o.Bytes += p.bytes()
	o.Damaged += p.damaged
	if o.Damage == nil {
		o.Damage = p.first
	}
	for i := range p.lines {
		if p.lines[i].IsRecord {
			o.Records++
		}
	}
}

// transfer writes the pages of a feed in portions. Each portion ends with a transcript and a receipt that match. first
// runs with the first portion. A fresh session changes nothing that is already stored.
func (run *importRun) transfer(s *source.Session, t *storedTranscript, f *feed, outcome *Outcome, fresh bool,
	first func() error) error {
	outcome.Key = t.Key
	if err := run.commits.dropIndexIfLarge(s.Bytes - t.Bytes); err != nil {
		return asStoreError(err)
	}
	for done := false; !done; {
		before := *t.Transcript
		counted, renamed := *outcome, len(run.commits.keyChanges)
		var c comparison
		undo := run.commits.undoOnError
		if fresh {
			undo = run.commits.dropOnError(t)
		}
		err := undo(func() (err error) {
			if first != nil {
				if err := first(); err != nil {
					return err
				}
			}
			c, done, err = run.writePortion(s, t, f, outcome)
			return err
		})
		if err != nil {
			*outcome, run.commits.keyChanges = counted, run.commits.keyChanges[:renamed]
			run.revertCatalog(t, before)
			return err
		}
		first, fresh = nil, false
		outcome.Key, outcome.sum = t.Key, t.Sum
		run.commits.waiting = append(run.commits.waiting, c)
		if done {
			break
		}
		if t, err = run.continueLater(t); err != nil {
			return err
		}
	}
	return nil
}

// revertCatalog restores the catalog after a portion was rolled back.
func (run *importRun) revertCatalog(t *storedTranscript, before store.Transcript) {
	// Names and receipts may have changed too, so the catalog is read again.
	*t.Transcript = before
	run.commits.version = -1
	if err := run.commits.load(); err != nil {
		run.commits.version = -1 // the next batch reads it again
	}
}

// continueLater commits in the middle of a session and checks that no other process has written to it since.
func (run *importRun) continueLater(t *storedTranscript) (*storedTranscript, error) {
	if err := run.commits.commit(); err != nil {
		return nil, asStoreError(err)
	}
	if err := run.commits.begin(); err != nil {
		return nil, asStoreError(err)
	}
	now := run.catalog.byKey[t.Key]
	if now == nil || now.Sum != t.Sum {
		return nil, errSessionChanged
	}
	return now, nil
}

// writePortion writes pages until the feed ends or the batch is full.
func (run *importRun) writePortion(s *source.Session, t *storedTranscript, f *feed,
	outcome *Outcome) (c comparison, done bool, err error) {
	var end pageEnd
	a, err := run.commits.batch.Extend(t.Transcript, s.Modified)
	if err != nil {
		return c, false, asStoreError(err)
	}
	known := run.catalog.byKey[t.Key] == t
	if known {
		run.catalog.remove(t)
	}
	defer run.catalog.add(t)
	for {
		p, open := <-f.pages
		if !open {
			return c, false, errors.Join(run.ctx.Err(), errSessionChanged)
		}
		if p.err != nil {
			return c, false, p.err
		}
		if err := a.Add(p.lines); err != nil {
			return c, false, asStoreError(err)
		}
		outcome.count(p)
		run.commits.batchBytes += p.bytes()
		c.pages = append(c.pages, pageSum{p.count, p.bytes(), p.sum})
		end = p.end
		p.release()
		if end.last || run.commits.batchBytes >= run.opts.CommitBytes {
			break
		}
	}
	if err := a.Finish(end.digest); err != nil {
		return c, false, asStoreError(err)
	}
	c.transcript, c.from = *t.Transcript, a.Lines()
	if err := run.commits.batch.MarkUncompared(t.Key); err != nil {
		return c, false, asStoreError(err)
	}
	r := &store.ImportReceipt{SessionKey: t.Key, Stamp: end.stamp, Sum: t.Sum, Lines: t.Lines, Bytes: t.Bytes}
	if !end.last {
		r.Stamp = store.PartStamp
	}
	return c, end.last, run.putReceipt(s, r)
}
