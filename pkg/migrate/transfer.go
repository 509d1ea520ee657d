package migrate

import (
	"errors"
	"slices"

	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// create stores a source as a new session.
func (im *importer) create(s *source.Session, p decision, outcome *Outcome) error {
	t := &storedTranscript{Transcript: &store.Transcript{
		Key: store.Name(p.key, p.generation), BaseKey: p.key, Generation: p.generation, SessionID: s.ID, Agent: s.Agent,
		Kind: string(s.Kind),
	}}
	if im.isRehearsal() {
		t.from = s
		return im.rehearse(s, t, outcome)
	}
	f := im.feedsAhead[s]
	if f == nil {
		f = newFeed(im.ctx, s, *t.Transcript, im.readOptions())
	}
	delete(im.feedsAhead, s)
	defer f.stop()
	fresh := p.occupant == nil && im.catalog.receipts[ReceiptPath(s)] == nil
	return im.transfer(s, t, f, outcome, fresh, func() error {
		if p.occupant != nil {
			if err := im.setAside(p.occupant); err != nil {
				return asStoreError(err)
			}
		}
		m := store.Metadata{Source: ReceiptPath(s), Title: s.Title(), Entry: compact(s.Registration())}
		im.catalog.metadata[t.Key] = m
		return asStoreError(im.batch.Create(t.Transcript, m))
	})
}

// grow appends the new lines of a source to the transcript that is its beginning.
func (im *importer) grow(s *source.Session, t *storedTranscript, outcome *Outcome) error {
	if im.isRehearsal() {
		return im.rehearse(s, t, outcome)
	}
	if t.Tail > 0 && im.isWaiting(t.Key) {
		// Its last line is replaced, and the queued lines must be compared first.
		now, err := im.continueLater(t)
		if err != nil {
			return err
		}
		t = now
	}
	im.changesExisting = true
	if whole, err := im.batch.IsWhole(t.Transcript); err != nil || !whole {
		return errors.Join(asStoreError(err), im.rejectIncomplete(t, err))
	}
	f := newFeed(im.ctx, s, *t.Transcript, im.readOptions())
	defer f.stop()
	err := im.transfer(s, t, f, outcome, false, func() error {
		key, gen, better := im.betterName(s, t, true)
		if !better {
			return nil
		}
		return asStoreError(im.rename(s, t, key, gen))
	})
	if now := im.catalog.byKey[outcome.Key]; err == nil && now != nil {
		return im.describe(s, now)
	}
	return err
}

// isWaiting reports whether the open batch has written to a session.
func (im *importer) isWaiting(key string) bool {
	return slices.ContainsFunc(im.waiting, func(c comparison) bool { return c.transcript.Key == key })
}

// rejectIncomplete distrusts a transcript if another program has added or removed rows of it. Its source is stored
// again.
func (im *importer) rejectIncomplete(t *storedTranscript, err error) error {
	if err != nil {
		return nil
	}
	if err := im.unsum(t); err != nil {
		return err
	}
	return errOtherText
}

// rehearse reads what transfer would write, and updates the catalog only.
func (im *importer) rehearse(s *source.Session, t *storedTranscript, outcome *Outcome) error {
	f := newFeed(im.ctx, s, *t.Transcript, im.readOptions())
	defer f.stop()
	outcome.Key = t.Key
	for p := range f.pages {
		if p.err != nil {
			return p.err
		}
		outcome.count(p)
		err := im.catalog.change(t, func() error {
			t.Bytes, t.Sum, t.Lines = t.Bytes+p.bytes, p.end.digest.Sum, t.Lines+p.count
			return nil
		})
		p.release()
		if err != nil {
			return err
		}
	}
	return im.ctx.Err()
}

// count adds the lines of a page.
func (o *Outcome) count(p *page) {
	o.Lines += p.count
	o.Bytes += p.bytes
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
func (im *importer) transfer(s *source.Session, t *storedTranscript, f *feed, outcome *Outcome, fresh bool,
	first func() error) error {
	outcome.Key = t.Key
	if err := im.dropIndexIfLarge(s.Bytes - t.Bytes); err != nil {
		return asStoreError(err)
	}
	for done := false; !done; {
		before := *t.Transcript
		counted, renamed := *outcome, len(im.keyChanges)
		var c comparison
		run := im.undoOnError
		if fresh {
			run = im.dropOnError(t)
		}
		err := run(func() (err error) {
			if first != nil {
				if err := first(); err != nil {
					return err
				}
			}
			c, done, err = im.writePortion(s, t, f, outcome)
			return err
		})
		if err != nil {
			*outcome, im.keyChanges = counted, im.keyChanges[:renamed]
			im.revertCatalog(t, before)
			return err
		}
		first, fresh = nil, false
		outcome.Key, outcome.sum = t.Key, t.Sum
		im.waiting = append(im.waiting, c)
		if done {
			break
		}
		if t, err = im.continueLater(t); err != nil {
			return err
		}
	}
	return nil
}

// dropOnError is undoOnError for the first portion of a new session. It deletes the session instead of using a
// savepoint. A savepoint copies every index page that the session touches, which takes a fifth of the writing time.
func (im *importer) dropOnError(t *storedTranscript) func(func() error) error {
	return func(part func() error) error {
		err := part()
		var broken *storeError
		if err != nil && !errors.As(err, &broken) {
			if dropped := im.batch.Drop(t.Key); dropped != nil {
				return asStoreError(dropped)
			}
		}
		return err
	}
}

// revertCatalog restores the catalog after a portion was rolled back.
func (im *importer) revertCatalog(t *storedTranscript, before store.Transcript) {
	// Names and receipts may have changed too, so the catalog is read again.
	*t.Transcript = before
	im.version = -1
	if err := im.load(); err != nil {
		im.version = -1 // the next batch reads it again
	}
}

// continueLater commits in the middle of a session and checks that no other process has written to it since.
func (im *importer) continueLater(t *storedTranscript) (*storedTranscript, error) {
	if err := im.commit(); err != nil {
		return nil, asStoreError(err)
	}
	if err := im.begin(); err != nil {
		return nil, asStoreError(err)
	}
	now := im.catalog.byKey[t.Key]
	if now == nil || now.Sum != t.Sum {
		return nil, errSessionChanged
	}
	return now, nil
}

// writePortion writes pages until the feed ends or the batch is full.
func (im *importer) writePortion(s *source.Session, t *storedTranscript, f *feed,
	outcome *Outcome) (c comparison, done bool, err error) {
	var end pageEnd
	a, err := im.batch.Extend(t.Transcript, s.Modified)
	if err != nil {
		return c, false, asStoreError(err)
	}
	known := im.catalog.byKey[t.Key] == t
	if known {
		im.catalog.remove(t)
	}
	defer im.catalog.add(t)
	for {
		p, open := <-f.pages
		if !open {
			return c, false, errors.Join(im.ctx.Err(), errSessionChanged)
		}
		if p.err != nil {
			return c, false, p.err
		}
		if err := a.Add(p.lines); err != nil {
			return c, false, asStoreError(err)
		}
		outcome.count(p)
		im.batchBytes += p.bytes
		c.pages = append(c.pages, pageSum{p.count, p.bytes, p.sum.Sum64()})
		end = p.end
		p.release()
		if end.last || im.batchBytes >= im.opts.CommitBytes {
			break
		}
	}
	if err := a.Finish(end.digest); err != nil {
		return c, false, asStoreError(err)
	}
	c.transcript, c.from = *t.Transcript, a.Lines()
	if err := im.batch.MarkUncompared(t.Key); err != nil {
		return c, false, asStoreError(err)
	}
	r := &store.Receipt{SessionKey: t.Key, Stamp: end.stamp, Sum: t.Sum, Lines: t.Lines, Bytes: t.Bytes}
	if !end.last {
		r.Stamp = store.PartStamp
	}
	return c, end.last, im.putReceipt(s, r)
}
