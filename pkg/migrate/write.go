package migrate

import (
	"context"
	"errors"
	"slices"

	"clawctl/pkg/source"
	"clawctl/pkg/source/packed"
	"clawctl/pkg/store"
)

// A writer stores sources as decided: it creates sessions, adds lines to them, and renames them, with receipts, in the
// batches of its committer.
type writer struct {
	ctx     context.Context
	opts    Options
	catalog *catalog
	commits *committer
	feeds   *feeds
}

// create stores a source as a new session.
func (w *writer) create(s *source.Session, p decision, outcome *Outcome) error {
	t := &storedTranscript{Transcript: &store.Transcript{
		Key: store.Name(p.key, p.generation), BaseKey: p.key, Generation: p.generation, SessionID: s.ID, Agent: s.Agent,
		Kind: string(s.Kind),
	}}
	if w.commits.isRehearsal() {
		t.from = s
		return w.rehearse(s, t, outcome)
	}
	f := w.feeds.take(s, *t.Transcript)
	defer f.stop()
	fresh := p.occupant == nil && w.catalog.receipts[ReceiptPath(s)] == nil
	return w.transfer(s, t, f, outcome, fresh, func() error {
		if p.occupant != nil {
			if err := w.setAside(p.occupant); err != nil {
				return asStoreError(err)
			}
		}
		m := store.Metadata{Source: ReceiptPath(s), Title: s.Title(), Entry: compact(s.Registration())}
		w.catalog.metadata[t.Key] = m
		return asStoreError(w.commits.batch.Create(t.Transcript, m))
	})
}

// grow appends the new lines of a source to the transcript that is its beginning.
func (w *writer) grow(s *source.Session, t *storedTranscript, outcome *Outcome) error {
	if w.commits.isRehearsal() {
		return w.rehearse(s, t, outcome)
	}
	if t.Tail > 0 && w.isWaiting(t.Key) {
		// Its last line is replaced, and the queued lines must be compared first.
		now, err := w.continueLater(t)
		if err != nil {
			return err
		}
		t = now
	}
	if err := w.reclaim(s, t, outcome); err != nil {
		return err
	}
	w.commits.changesExisting = true
	if whole, err := w.commits.batch.IsWhole(t.Transcript); err != nil || !whole {
		return errors.Join(asStoreError(err), w.rejectIncomplete(t, err))
	}
	f := w.feeds.begin(s, *t.Transcript)
	defer f.stop()
	err := w.transfer(s, t, f, outcome, false, func() error {
		key, gen, better := w.catalog.betterName(s, t, true)
		if !better {
			return nil
		}
		return asStoreError(w.rename(s, t, key, gen))
	})
	now := w.catalog.byKey[outcome.Key]
	switch {
	case now == nil:
		return err
	case isLost(err) && !outcome.IsReclaimed: // the archive can be opened, but not read
		now.isLost = true
		return w.grow(s, now, outcome)
	case err == nil:
		return w.describe(s, now)
	}
	return err
}

// noteCopy adds a receipt for a source whose text is already in the store.
func (w *writer) noteCopy(s *source.Session, p decision, outcome *Outcome) error {
	outcome.Key = p.existing.Key
	if w.commits.isRehearsal() {
		return nil
	}
	if p.existing.Sum == "" && p.length == p.existing.Bytes {
		if err := w.commits.batch.Trust(p.existing.Transcript, p.sum); err != nil {
			return asStoreError(err)
		}
	}
	if key, gen, better := w.catalog.betterName(s, p.existing, isAllOf(p.existing, p.length)); better {
		if err := w.rename(s, p.existing, key, gen); err != nil {
			return asStoreError(err)
		}
		outcome.Key = p.existing.Key
	}
	if p.length == p.existing.Bytes {
		if err := w.reclaim(s, p.existing, outcome); err != nil {
			return err
		}
	}
	if err := w.describe(s, p.existing); err != nil {
		return err
	}
	r := &store.ImportReceipt{SessionKey: p.existing.Key, Stamp: p.stamp, Sum: p.sum, Lines: p.lines, Bytes: p.length}
	err := w.commits.undoOnError(func() error { return w.putReceipt(s, r) })
	if err != nil {
		w.revertCatalog(p.existing, *p.existing.Transcript)
	}
	return err
}

// isWaiting reports whether the open batch has written to a session.
func (w *writer) isWaiting(key string) bool {
	return slices.ContainsFunc(w.commits.waiting, func(c comparison) bool { return c.transcript.Key == key })
}

// rejectIncomplete distrusts a transcript if another program has added or removed rows of it. Its source is stored
// again.
func (w *writer) rejectIncomplete(t *storedTranscript, err error) error {
	if err != nil {
		return nil
	}
	if err := w.unsum(t); err != nil {
		return err
	}
	return errOtherText
}

// unsum forgets the digest of a transcript, which is wrong.
func (w *writer) unsum(t *storedTranscript) error {
	return w.catalog.change(t, func() error {
		t.Sum = ""
		return asStoreError(w.commits.distrust(t.Key))
	})
}

// unsumAll forgets wrong digests. A dry run leaves them.
func (w *writer) unsumAll(list []*storedTranscript) error {
	if w.commits.isRehearsal() {
		return nil
	}
	for _, t := range list {
		if err := w.unsum(t); err != nil {
			return err
		}
	}
	return nil
}

// dropCutOff removes what was stored of a source whose compression turns out to be damaged, unless another source has
// the same text. A part of it would be neither the file nor a session.
func (w *writer) dropCutOff(s *source.Session, outcome *Outcome, err error) error {
	r := w.catalog.receipts[ReceiptPath(s)]
	if !errors.As(err, new(*packed.Error)) || r == nil || !r.IsPart() || w.commits.isRehearsal() {
		return err
	}
	t := w.catalog.byKey[r.SessionKey]
	if t == nil || t.Own > 0 || len(w.catalog.bySource[r.SessionKey]) > 1 {
		return err
	}
	w.commits.changesExisting = true // its portions are compared before they are gone
	if dropped := errors.Join(w.commits.batch.Drop(t.Key), w.commits.load()); dropped != nil {
		return asStoreError(dropped)
	}
	*outcome = Outcome{Session: s} // nothing was added after all
	return err
}

// rehearse reads what transfer would write, and updates the catalog only.
func (w *writer) rehearse(s *source.Session, t *storedTranscript, outcome *Outcome) error {
	f := w.feeds.begin(s, *t.Transcript)
	defer f.stop()
	outcome.Key = t.Key
	for p := range f.pages {
		if p.err != nil {
			return p.err
		}
		outcome.count(p)
		err := w.catalog.change(t, func() error {
			t.Bytes, t.Sum, t.Lines = t.Bytes+p.bytes(), p.end.digest.Sum, t.Lines+p.count
			return nil
		})
		p.release()
		if err != nil {
			return err
		}
	}
	return w.ctx.Err()
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
func (w *writer) transfer(s *source.Session, t *storedTranscript, f *feed, outcome *Outcome, fresh bool,
	first func() error) error {
	outcome.Key = t.Key
	if err := w.commits.dropIndexIfLarge(s.Bytes - t.Bytes); err != nil {
		return asStoreError(err)
	}
	for done := false; !done; {
		before := *t.Transcript
		counted, renamed := *outcome, len(w.commits.keyChanges)
		var c comparison
		run := w.commits.undoOnError
		if fresh {
			run = w.commits.dropOnError(t)
		}
		err := run(func() (err error) {
			if first != nil {
				if err := first(); err != nil {
					return err
				}
			}
			c, done, err = w.writePortion(s, t, f, outcome)
			return err
		})
		if err != nil {
			*outcome, w.commits.keyChanges = counted, w.commits.keyChanges[:renamed]
			w.revertCatalog(t, before)
			return err
		}
		first, fresh = nil, false
		outcome.Key, outcome.sum = t.Key, t.Sum
		w.commits.waiting = append(w.commits.waiting, c)
		if done {
			break
		}
		if t, err = w.continueLater(t); err != nil {
			return err
		}
	}
	return nil
}

// revertCatalog restores the catalog after a portion was rolled back.
func (w *writer) revertCatalog(t *storedTranscript, before store.Transcript) {
	// Names and receipts may have changed too, so the catalog is read again.
	*t.Transcript = before
	w.commits.version = -1
	if err := w.commits.load(); err != nil {
		w.commits.version = -1 // the next batch reads it again
	}
}

// continueLater commits in the middle of a session and checks that no other process has written to it since.
func (w *writer) continueLater(t *storedTranscript) (*storedTranscript, error) {
	if err := w.commits.commit(); err != nil {
		return nil, asStoreError(err)
	}
	if err := w.commits.begin(); err != nil {
		return nil, asStoreError(err)
	}
	now := w.catalog.byKey[t.Key]
	if now == nil || now.Sum != t.Sum {
		return nil, errSessionChanged
	}
	return now, nil
}

// writePortion writes pages until the feed ends or the batch is full.
func (w *writer) writePortion(s *source.Session, t *storedTranscript, f *feed,
	outcome *Outcome) (c comparison, done bool, err error) {
	var end pageEnd
	a, err := w.commits.batch.Extend(t.Transcript, s.Modified)
	if err != nil {
		return c, false, asStoreError(err)
	}
	known := w.catalog.byKey[t.Key] == t
	if known {
		w.catalog.remove(t)
	}
	defer w.catalog.add(t)
	for {
		p, open := <-f.pages
		if !open {
			return c, false, errors.Join(w.ctx.Err(), errSessionChanged)
		}
		if p.err != nil {
			return c, false, p.err
		}
		if err := a.Add(p.lines); err != nil {
			return c, false, asStoreError(err)
		}
		outcome.count(p)
		w.commits.batchBytes += p.bytes()
		c.pages = append(c.pages, pageSum{p.count, p.bytes(), p.sum})
		end = p.end
		p.release()
		if end.last || w.commits.batchBytes >= w.opts.CommitBytes {
			break
		}
	}
	if err := a.Finish(end.digest); err != nil {
		return c, false, asStoreError(err)
	}
	c.transcript, c.from = *t.Transcript, a.Lines()
	if err := w.commits.batch.MarkUncompared(t.Key); err != nil {
		return c, false, asStoreError(err)
	}
	r := &store.ImportReceipt{SessionKey: t.Key, Stamp: end.stamp, Sum: t.Sum, Lines: t.Lines, Bytes: t.Bytes}
	if !end.last {
		r.Stamp = store.PartStamp
	}
	return c, end.last, w.putReceipt(s, r)
}
