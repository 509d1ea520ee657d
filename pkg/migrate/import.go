package migrate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// A Verdict says what became of a source.
type Verdict string

// The verdicts of an import.
const (
	Unchanged  Verdict = "unchanged"  // the store has it, by its receipt
	Copy       Verdict = "copy"       // the store has its text, from elsewhere
	Grown      Verdict = "grown"      // new lines were added
	New        Verdict = "new"        // a session that the store did not have
	Generation Verdict = "generation" // another text of a session that it had
	Older      Verdict = "older"      // left out: its last record is before the time that was asked for
	Refused    Verdict = "refused"    // left out, for the reason in Err
)

// An Outcome is what became of one source. It is reported when it is durable and was compared.
type Outcome struct {
	Session *source.Session
	Verdict Verdict
	Key     string // of the session in the store
	Lines   int64  // that were added
	Records int64  // of these, whole records
	Bytes   int64
	Damaged int64         // of these lines, damaged ones
	Damage  *jsonl.Damage // the first of them
	Err     error
}

// Options of an import. The zero value imports everything.
type Options struct {
	DryRun bool
	// Strict refuses a source with a damaged line.
	Strict bool
	// Since leaves out sessions whose last record is older.
	Since time.Time
	// Jobs is how many sources are read at once; 0 means 2.
	Jobs int
	// Clock tells the time, of receipts and of commits; nil is a clock that stands still.
	Clock func() time.Time
	// Done, if set, is told every outcome.
	Done func(Outcome)
	// Progress, if set, is told how many bytes of sources have been dealt with.
	Progress func(bytes int64)

	// A batch is committed after so many bytes, or so much time.
	CommitBytes int64
	CommitAfter time.Duration
}

const (
	defaultCommitBytes = 64 << 20
	defaultCommitAfter = 2 * time.Second
)

// An importer is one run of Import.
type importer struct {
	ctx     context.Context
	store   *store.SQLite
	opts    Options
	catalog *catalog
	version int64 // of the store, as the catalog shows it

	batch   *store.Batch // nil between two
	begun   time.Time
	written int64
	waiting []comparison // of the batch
	renamed []renaming   // in the batch
	touches bool         // the batch changes sessions that were there
	compare *comparer

	ahead map[*source.Session]*feed

	unchecked     int64      // bytes in the log of the store
	checkpointing chan error // that of a checkpoint that runs beside
}

// Import brings sessions into a store. An error is of the store, or of the context: what is wrong with a source is in
// its outcome, and does not stop the others.
func Import(ctx context.Context, st *store.SQLite, sessions []*source.Session, opts Options) error {
	opts.CommitBytes = cmp.Or(opts.CommitBytes, defaultCommitBytes)
	opts.CommitAfter = cmp.Or(opts.CommitAfter, defaultCommitAfter)
	opts.Jobs = cmp.Or(opts.Jobs, 2)
	if opts.Clock == nil {
		opts.Clock = func() time.Time { return time.Time{} }
	}
	if opts.Done == nil {
		opts.Done = func(Outcome) {}
	}
	im := &importer{ctx: ctx, store: st, opts: opts, ahead: map[*source.Session]*feed{}, compare: newComparer(ctx, st)}
	defer im.abandon()
	if err := errors.Join(im.load(), st.Bulk(ctx)); err != nil {
		return err
	}
	sessions = importOrder(sessions)
	for i, s := range sessions {
		if err := ctx.Err(); err != nil {
			return err
		}
		im.readAhead(sessions[i:])
		if err := im.one(s); err != nil {
			return err
		}
		if err := im.commitIfDue(); err != nil {
			return err
		}
	}
	if err := im.commit(); err != nil {
		return err
	}
	return im.report(im.compare.finished(true))
}

// importOrder puts the sessions into the order in which copies are recognised: first those whose live state is gone,
// which free the key that they had; then the live ones; then the older states of these, the longest first.
func importOrder(sessions []*source.Session) []*source.Session {
	live := map[string]bool{}
	for _, s := range sessions {
		if s.Kind == source.Live {
			live[s.ID] = true
		}
	}
	rank := func(s *source.Session) int {
		switch {
		case s.Kind == source.Live:
			return 1
		case live[s.ID]:
			return 2
		}
		return 0
	}
	sorted := slices.Clone(sessions)
	slices.SortStableFunc(sorted, func(a, b *source.Session) int {
		if rank(a) == 1 && rank(b) == 1 {
			return 0
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Bytes, a.Bytes))
	})
	return sorted
}

// load reads what the store holds.
func (im *importer) load() error {
	view := &im.store.View
	if im.batch != nil {
		view = im.batch.View()
	}
	transcripts, err := view.Transcripts(im.ctx)
	if err != nil {
		return err
	}
	receipts, err := view.Receipts(im.ctx)
	if err != nil {
		return err
	}
	im.catalog = newCatalog(transcripts, receipts)
	infos, err := view.List(im.ctx)
	for _, info := range infos {
		im.catalog.metadata[info.Key] = info.Metadata
	}
	return err
}

// begin starts a batch, if none is open. Where another process has written the store since, the catalog is read again.
func (im *importer) begin() (err error) {
	if im.batch != nil || im.opts.DryRun {
		return nil
	}
	if im.batch, err = im.store.Begin(im.ctx); err != nil {
		return err
	}
	im.begun, im.written = im.opts.Clock(), 0
	version, err := im.batch.DataVersion()
	if err != nil || version == im.version {
		return err
	}
	im.version = version
	return im.load()
}

func (im *importer) commitIfDue() error {
	if im.batch != nil && (im.written >= im.opts.CommitBytes || im.opts.Clock().Sub(im.begun) >= im.opts.CommitAfter) {
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
	if err := im.report(im.compare.finished(im.touches || im.unchecked+im.written >= maxLog)); err != nil {
		return err
	}
	batch := im.batch
	im.batch = nil
	if err := batch.Commit(); err != nil {
		return err
	}
	im.unchecked += im.written
	if err := im.checkpoint(); err != nil {
		return err
	}
	for _, r := range im.renamed {
		r.apply(im.waiting)
	}
	im.compare.start(im.waiting)
	im.waiting, im.renamed, im.touches = nil, nil, false
	return nil
}

// maxLog is about how large the log of the store may become.
const maxLog = 512 << 20

// checkpoint empties the log into the database, beside the next batch; now and then it waits, so that the log can be
// used again from its beginning.
func (im *importer) checkpoint() error {
	if im.checkpointing != nil && (im.unchecked >= maxLog || len(im.checkpointing) > 0) {
		if err := <-im.checkpointing; err != nil {
			return err
		}
		im.checkpointing = nil
	}
	switch {
	case im.unchecked >= maxLog:
		im.unchecked = 0
		return im.store.Checkpoint(im.ctx, true)
	case im.checkpointing == nil && im.written > 0:
		done := make(chan error, 1)
		im.checkpointing = done
		go func() { done <- im.store.Checkpoint(im.ctx, false) }()
	}
	return nil
}

// A renaming is one of a session that comparisons are waiting for: those that came before it know the old name.
type renaming struct {
	from, to string
	before   int
}

func (r renaming) apply(waiting []comparison) {
	for i := range waiting[:r.before] {
		if waiting[i].transcript.Key == r.from {
			waiting[i].transcript.Key = r.to
		}
		if waiting[i].outcome.Key == r.from {
			waiting[i].outcome.Key = r.to
		}
	}
}

// report tells the outcomes that were compared. A session that is not what its source was is marked, so that it never
// counts as that again.
func (im *importer) report(done []comparison) error {
	for _, c := range done {
		if c.outcome.Err != nil && c.outcome.Verdict != Refused {
			if err := im.distrust(c.outcome.Key); err != nil {
				return err
			}
		}
		if c.outcome.Session != nil {
			im.opts.Done(c.outcome)
		}
	}
	return im.ctx.Err()
}

// distrust notes that a session's text is not known.
func (im *importer) distrust(key string) error {
	if err := im.begin(); err != nil {
		return err
	}
	return im.batch.Distrust(key)
}

// abandon leaves nothing behind that is open.
func (im *importer) abandon() {
	for _, f := range im.ahead {
		f.stop()
	}
	im.compare.stop()
	if im.checkpointing != nil {
		<-im.checkpointing
	}
	if im.batch != nil {
		im.batch.Rollback()
	}
}

// ReceiptPath is how receipts name a source.
func ReceiptPath(s *source.Session) string {
	if s.Root == "" {
		return s.Below
	}
	return filepath.Join(s.Root, filepath.FromSlash(s.Below))
}

// readAhead starts to read the next sessions that look as if the store had nothing of them.
func (im *importer) readAhead(next []*source.Session) {
	if im.opts.DryRun || !im.opts.Since.IsZero() {
		return
	}
	for _, s := range next[:min(len(next), im.opts.Jobs)] {
		if im.ahead[s] != nil || im.catalog.receipts[ReceiptPath(s)] != nil || len(im.catalog.candidates(s)) > 0 {
			continue
		}
		im.ahead[s] = newFeed(im.ctx, s, store.Transcript{SessionID: s.ID}, im.readOptions())
	}
}

func (im *importer) readOptions() jsonl.Options { return jsonl.Options{Strict: im.opts.Strict} }

// one deals with one source.
func (im *importer) one(s *source.Session) error {
	outcome := Outcome{Session: s}
	err := im.try(s, &outcome)
	if f := im.ahead[s]; f != nil {
		delete(im.ahead, s)
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

// A storeError is one that ends the import, unlike those of a source.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

// storing marks an error of the store.
func storing(err error) error {
	if err == nil {
		return nil
	}
	return &storeError{err}
}

// try brings one source in. It is tried again where another process has changed what the store has of it.
func (im *importer) try(s *source.Session, outcome *Outcome) error {
	stamp, err := s.Stamp()
	if err != nil {
		return err
	}
	if r := im.catalog.receipts[ReceiptPath(s)]; r != nil && r.Stamp == stamp && stamp != (store.Stamp{}) {
		outcome.Verdict, outcome.Key = Unchanged, r.SessionKey
		return im.refresh(s, im.catalog.byKey[r.SessionKey], outcome)
	}
	if older, err := im.isOlder(s); older || err != nil {
		outcome.Verdict = Older
		return err
	}
	for {
		if err := im.begin(); err != nil {
			return storing(err)
		}
		err := im.bring(s, outcome)
		if !errors.Is(err, errMoved) {
			return err
		}
	}
}

// errMoved is for a transcript that another process has added to.
var errMoved = errors.New("the session was changed by another process")

// isOlder reports whether a session ended before the time from which on they are wanted.
func (im *importer) isOlder(s *source.Session) (bool, error) {
	if im.opts.Since.IsZero() {
		return false, nil
	}
	if !s.Modified.IsZero() && s.Modified.Before(im.opts.Since) {
		return true, nil // nothing was written later
	}
	facts := source.Inspect(im.ctx, []*source.Session{s}, 1, nil)
	return facts[0].Last.Before(im.opts.Since), facts[0].Err
}

// refresh brings the name and the registration of a session up to date whose text is unchanged.
func (im *importer) refresh(s *source.Session, t *stored, outcome *Outcome) error {
	if t == nil {
		return nil
	}
	key, gen, better := im.betterName(s, t)
	if occupant := im.catalog.byKey[key]; better && key == t.BaseKey && gen == "" && occupant != nil && im.hasLiveFile(occupant) {
		better = false // of two live files of one key, the one that leads goes on to, until the other is written
	}
	news := im.news(s, t) != nil && im.speaksFor(s, t)
	if !better && !news || im.opts.DryRun {
		return nil
	}
	if err := im.begin(); err != nil {
		return storing(err)
	}
	if better {
		if err := im.rename(s, t, key, gen); err != nil {
			return storing(err)
		}
		outcome.Key = t.Key
	}
	if !news {
		return nil
	}
	return im.describe(s, t)
}

// speaksFor reports whether a source is the last of those live files that a transcript came from; of several, whose
// registrations may differ, it alone brings the metadata up to date.
func (im *importer) speaksFor(s *source.Session, t *stored) bool {
	path, last := ReceiptPath(s), int64(0)
	for _, r := range im.catalog.bySource[t.Key] {
		if r.Kind == string(source.Live) && !r.Replaced && (r.Path == path || r.ID > last && hasFile(r)) {
			last = max(last, r.ID)
		}
	}
	r := im.catalog.receipts[path]
	return r != nil && r.ID == last
}

// news is what the registration says of a current session, where the store does not have it.
func (im *importer) news(s *source.Session, t *stored) *store.Metadata {
	if !s.Listed || !t.isCurrent() || s.Kind != source.Live {
		return nil
	}
	m := store.Metadata{Title: s.Title(), Entry: compact(s.Entry.Raw)}
	have := im.catalog.metadata[t.Key]
	if string(have.Entry) == string(m.Entry) && have.Title == m.Title {
		return nil
	}
	return &m
}

// compact is the form in which entries are stored.
func compact(raw jsonl.Value) json.RawMessage {
	if !raw.Exists() {
		return nil
	}
	text, err := json.Marshal(json.RawMessage(raw))
	if err != nil {
		return nil
	}
	return text
}

func (im *importer) describe(s *source.Session, t *stored) error {
	news := im.news(s, t)
	if news == nil {
		return nil
	}
	im.catalog.metadata[t.Key] = *news
	return storing(im.batch.Describe(t.Key, *news))
}

// rename gives a transcript another name, and whatever has that one a name by its digest.
func (im *importer) rename(s *source.Session, t *stored, key, gen string) error {
	if occupant := im.catalog.byKey[store.Name(key, gen)]; occupant != nil && occupant != t {
		if err := im.setAside(occupant); err != nil {
			return err
		}
	}
	gone := im.isGone(t)
	if err := im.move(t, key, gen, string(s.Kind)); err != nil {
		return err
	}
	if !gone {
		return nil
	}
	for _, r := range slices.Clone(im.catalog.bySource[t.Key]) {
		if r.Kind == string(source.Live) && !r.Replaced {
			delete(im.catalog.receipts, r.Path)
			if err := im.batch.DropReceipt(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// setAside gives a transcript a name by its digest.
func (im *importer) setAside(t *stored) error {
	return im.move(t, t.BaseKey, im.freeGeneration(t.BaseKey, t.Sum), string(source.Archive))
}

func (im *importer) move(t *stored, key, gen, kind string) error {
	old := t.Key
	im.touches = true
	defer func() { im.renamed = append(im.renamed, renaming{old, t.Key, len(im.waiting)}) }()
	err := im.catalog.change(t, func() error { return im.batch.Rename(t.Transcript, key, gen, kind) })
	for _, r := range im.catalog.bySource[old] {
		r.SessionKey = t.Key
	}
	im.catalog.bySource[t.Key] = append(im.catalog.bySource[t.Key], im.catalog.bySource[old]...)
	delete(im.catalog.bySource, old)
	im.catalog.metadata[t.Key] = im.catalog.metadata[old]
	delete(im.catalog.metadata, old)
	return err
}

// bring decides what a source is, and does what that asks for.
func (im *importer) bring(s *source.Session, outcome *Outcome) error {
	if t := im.appended(s); t != nil {
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
		err = im.copyOf(s, p, outcome)
	case Grown:
		if err = im.grow(s, p.onto, outcome); errors.Is(err, errOtherText) {
			err = ErrSourceChanged // it was another a moment ago
		}
	default:
		err = im.create(s, p, outcome)
	}
	return err
}

// appended returns the transcript that a source was all of when it was read last, and that it may have more of now.
func (im *importer) appended(s *source.Session) *stored {
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

// copyOf notes that the store has a source's text.
func (im *importer) copyOf(s *source.Session, p plan, outcome *Outcome) error {
	stamp, err := s.Stamp()
	if err != nil {
		return err
	}
	outcome.Key = p.onto.Key
	if im.opts.DryRun {
		return nil
	}
	if p.onto.Sum == "" {
		if err := im.batch.Trust(p.onto.Transcript, p.sum); err != nil {
			return storing(err)
		}
	}
	if key, gen, better := im.betterName(s, p.onto); better {
		if err := im.rename(s, p.onto, key, gen); err != nil {
			return storing(err)
		}
		outcome.Key = p.onto.Key
	}
	if err := im.describe(s, p.onto); err != nil {
		return err
	}
	r := &store.Receipt{SessionKey: p.onto.Key, Stamp: stamp, Sum: p.sum, Lines: p.lines, Bytes: p.length}
	err = im.undoably(func() error { return im.receipt(s, r) })
	if err != nil {
		im.undone(p.onto, *p.onto.Transcript)
	}
	return err
}

// undoably does a part of the batch that is undone where it fails, so that no receipt stays of what was not stored wholly.
func (im *importer) undoably(part func() error) error {
	var failed error
	err := im.batch.Undoably(func() error {
		failed = part()
		return failed
	})
	if failed == nil {
		return storing(err)
	}
	return err
}

// receipt stores the receipt of a source, in the place of an earlier one unless that is of other text.
func (im *importer) receipt(s *source.Session, r *store.Receipt) error {
	r.Path, r.Root, r.Kind, r.ImportedAt = ReceiptPath(s), s.Root, string(s.Kind), im.opts.Clock().UnixMilli()
	if have := im.catalog.receipts[r.Path]; have != nil {
		if have.SessionKey == r.SessionKey {
			r.ID = have.ID
		} else {
			have.Replaced = true
			if err := im.batch.PutReceipt(have); err != nil {
				return storing(err)
			}
		}
	}
	if err := im.batch.PutReceipt(r); err != nil {
		return storing(err)
	}
	im.catalog.bySource[r.SessionKey] = slices.DeleteFunc(im.catalog.bySource[r.SessionKey], func(o *store.Receipt) bool { return o.ID == r.ID })
	im.catalog.addReceipt(r)
	return im.pack(s, r)
}

// packPart is how much of a compressed source one row holds.
const packPart = 1 << 20

// pack stores the bytes of a source whose text is not what its file holds.
func (im *importer) pack(s *source.Session, r *store.Receipt) error {
	if s.InDatabase || r.Stamp == (store.Stamp{}) || r.Stamp.Size == r.Bytes {
		return nil
	}
	in, err := s.Open()
	if err != nil {
		return err
	}
	plain := in.IsPlain()
	in.Close()
	if plain {
		return nil
	}
	file, err := s.OpenRaw()
	if err != nil {
		return err
	}
	defer file.Close()
	for part := 0; ; part++ {
		buf := make([]byte, packPart)
		n, err := io.ReadFull(file, buf)
		if n > 0 {
			if err := im.batch.PutPacked(r, part, buf[:n]); err != nil {
				return storing(err)
			}
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
