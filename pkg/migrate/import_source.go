package migrate

import (
	"errors"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// readAhead starts reading the next sessions that are probably new to the store.
func (im *importer) readAhead(next []*source.Session) {
	if im.isRehearsal() || im.opts.hasRange() {
		return
	}
	for _, s := range next[:min(len(next), im.opts.Jobs)] {
		if im.feedsAhead[s] != nil || im.catalog.receipts[ReceiptPath(s)] != nil || im.catalog.hasSize(s) ||
			len(im.catalog.named(s)) > 0 {
			continue
		}
		im.feedsAhead[s] = newFeed(im.ctx, s, store.Transcript{SessionID: s.ID}, im.readOptions())
	}
}

func (im *importer) readOptions() jsonl.Options { return jsonl.Options{Strict: im.opts.Strict} }

// importOne imports one source and reports its outcome.
func (im *importer) importOne(s *source.Session) error {
	outcome := Outcome{Session: s}
	err := im.attempt(s, &outcome)
	if f := im.feedsAhead[s]; f != nil {
		delete(im.feedsAhead, s)
		f.stop()
	}
	if im.opts.Progress != nil {
		im.opts.Progress(s.Bytes)
	}
	var broken *storeError
	switch {
	case errors.As(err, &broken):
		return broken.err
	case im.ctx.Err() != nil:
		return im.ctx.Err()
	case err != nil:
		outcome.Verdict, outcome.Err = Refused, err
	}
	if im.batch != nil {
		im.waiting = append(im.waiting, comparison{outcome: outcome})
	} else {
		im.opts.Done(outcome)
	}
	return nil
}

// A storeError is an error of the store, which ends the import. An error of a source does not.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

// asStoreError marks an error as one of the store.
func asStoreError(err error) error {
	if err == nil {
		return nil
	}
	return &storeError{err}
}

// attempt imports one source. It starts over if another process changed the session in the store meanwhile.
func (im *importer) attempt(s *source.Session, outcome *Outcome) error {
	for {
		if err := im.attemptOnce(s, outcome); !errors.Is(err, errSessionChanged) {
			return err
		}
	}
}

func (im *importer) attemptOnce(s *source.Session, outcome *Outcome) error {
	stamp, err := s.Stamp()
	if err != nil {
		return err
	}
	if r := im.catalog.receipts[ReceiptPath(s)]; r != nil && r.Stamp == stamp && stamp != (store.Stamp{}) {
		return im.confirmUnchanged(s, r, outcome)
	}
	if outcome.Verdict, err = im.outOfRange(s); outcome.Verdict != "" || err != nil {
		return err
	}
	if err := im.begin(); err != nil {
		return asStoreError(err)
	}
	return im.dropCutOff(s, outcome, im.importSource(s, outcome))
}

// dropCutOff removes what was stored of a source whose compression turns out to be damaged, unless another source has
// the same text. A part of it would be neither the file nor a session.
func (im *importer) dropCutOff(s *source.Session, outcome *Outcome, err error) error {
	r := im.catalog.receipts[ReceiptPath(s)]
	if !errors.As(err, new(*source.CompressionError)) || r == nil || !r.IsPart() || im.isRehearsal() {
		return err
	}
	t := im.catalog.byKey[r.SessionKey]
	if t == nil || t.Own > 0 || len(im.catalog.bySource[r.SessionKey]) > 1 {
		return err
	}
	im.changesExisting = true // its portions are compared before they are gone
	if dropped := errors.Join(im.batch.Drop(t.Key), im.load()); dropped != nil {
		return asStoreError(dropped)
	}
	*outcome = Outcome{Session: s} // nothing was added after all
	return err
}

// confirmUnchanged handles a source that still matches its receipt.
func (im *importer) confirmUnchanged(s *source.Session, r *store.Receipt, outcome *Outcome) error {
	if im.catalog.damaged[r.SessionKey] {
		if err := im.readStrictly(s); err != nil {
			return err
		}
	}
	outcome.Verdict, outcome.Key = Unchanged, r.SessionKey
	return im.refresh(s, im.catalog.byKey[r.SessionKey], outcome)
}

// errSessionChanged means that another process has written to the session, and the decision must be made again.
var errSessionChanged = errors.New("the session was changed by another process")

// hasRange reports whether the time of its last record decides whether a session is imported.
func (o *Options) hasRange() bool { return !o.Since.IsZero() || !o.Until.IsZero() }

// outOfRange returns Older or Newer for a session whose last record is out of the range of time, "" for another.
func (im *importer) outOfRange(s *source.Session) (Verdict, error) {
	if !im.opts.hasRange() {
		return "", nil
	}
	if !s.Modified.IsZero() && s.Modified.Before(im.opts.Since) {
		return Older, nil // nothing was written later
	}
	facts := source.Inspect(im.ctx, []*source.Session{s}, 1)
	last := facts[0].Last
	if last.IsZero() {
		last = s.Modified
	}
	switch {
	case last.Before(im.opts.Since):
		return Older, facts[0].Err
	case !im.opts.Until.IsZero() && !last.Before(im.opts.Until):
		return Newer, facts[0].Err
	}
	return "", facts[0].Err
}

// readStrictly reads all of a source to find damage before any of it is stored.
func (im *importer) readStrictly(s *source.Session) error {
	f := newFeed(im.ctx, s, store.Transcript{}, im.readOptions())
	defer f.stop()
	for p := range f.pages {
		if p.err != nil {
			return p.err
		}
		p.release()
	}
	return im.ctx.Err()
}

// importSource decides how a source relates to the store, and stores it accordingly.
func (im *importer) importSource(s *source.Session, outcome *Outcome) error {
	if im.opts.Strict {
		if err := im.readStrictly(s); err != nil {
			return err
		}
	}
	if t := im.findAppended(s); t != nil {
		outcome.Verdict = Grown
		if err := im.grow(s, t, outcome); !errors.Is(err, errOtherText) {
			return err
		}
	}
	p, err := im.decide(s)
	if err != nil {
		return err
	}
	outcome.Verdict = p.verdict
	switch p.verdict {
	case Copy:
		err = im.noteCopy(s, p, outcome)
	case Grown:
		if err = im.grow(s, p.existing, outcome); errors.Is(err, errOtherText) && p.existing.Sum == "" {
			return errSessionChanged // the stored text is different; decide again
		} else if errors.Is(err, errOtherText) {
			err = ErrSourceChanged // it had this beginning a moment ago
		}
	default:
		err = im.create(s, p, outcome)
	}
	return err
}

// findAppended returns the transcript that had exactly the text of a live file at the last import, if the file is
// longer now.
func (im *importer) findAppended(s *source.Session) *storedTranscript {
	r := im.catalog.receipts[ReceiptPath(s)]
	if r == nil {
		return nil
	}
	t := im.catalog.byKey[r.SessionKey]
	if t == nil || t.Bytes != r.Bytes || t.Sum != r.Sum || s.Kind != source.Live || s.Bytes <= r.Stamp.Size {
		return nil
	}
	return t
}

// noteCopy adds a receipt for a source whose text is already in the store.
func (im *importer) noteCopy(s *source.Session, p decision, outcome *Outcome) error {
	outcome.Key = p.existing.Key
	if im.isRehearsal() {
		return nil
	}
	if p.existing.Sum == "" && p.length == p.existing.Bytes {
		if err := im.batch.Trust(p.existing.Transcript, p.sum); err != nil {
			return asStoreError(err)
		}
	}
	if key, gen, better := im.betterName(s, p.existing, isAllOf(p.existing, p.length)); better {
		if err := im.rename(s, p.existing, key, gen); err != nil {
			return asStoreError(err)
		}
		outcome.Key = p.existing.Key
	}
	if err := im.describe(s, p.existing); err != nil {
		return err
	}
	r := &store.Receipt{SessionKey: p.existing.Key, Stamp: p.stamp, Sum: p.sum, Lines: p.lines, Bytes: p.length}
	err := im.undoOnError(func() error { return im.putReceipt(s, r) })
	if err != nil {
		im.revertCatalog(p.existing, *p.existing.Transcript)
	}
	return err
}

// undoOnError runs a part of the batch in a savepoint, which is rolled back if the part fails. This way there is never
// a receipt for text that was not stored completely.
func (im *importer) undoOnError(part func() error) error {
	var failed error
	err := im.batch.InSavepoint(func() error {
		failed = part()
		return failed
	})
	if failed == nil {
		return asStoreError(err)
	}
	return err
}
