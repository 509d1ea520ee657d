package migrate

import (
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// A Verdict says what an import did with a source.
type Verdict string

// The verdicts of an import.
const (
	Unchanged  Verdict = "unchanged"  // the store has it, according to its receipt
	Copy       Verdict = "copy"       // the store has its text from another source
	Grown      Verdict = "grown"      // new lines were added
	New        Verdict = "new"        // the store did not have the session
	Generation Verdict = "generation" // different text of a session that the store had
	Older      Verdict = "older"      // skipped: its last record is before Options.Since
	Newer      Verdict = "newer"      // skipped: its last record is not before Options.Until
	Refused    Verdict = "refused"    // skipped for the reason in Err
)

// An Outcome says what an import did with one source. It is reported after the text is durable and was compared.
type Outcome struct {
	Session *source.Session
	Verdict Verdict
	Key     string // of the session in the store
	Lines   int64  // lines that were added
	Records int64  // complete records among these lines
	Bytes   int64
	Damaged int64         // damaged lines among them
	Damage  *jsonl.Damage // the first damaged line
	Err     error
	// IsReclaimed is set if the text came back from the source because its archive is lost.
	IsReclaimed bool

	sum string // of the stored text, if lines were added
}

// Options change how Import works. The zero value imports everything.
type Options struct {
	// Strict refuses a source with a damaged line, even if an earlier import without Strict has stored it.
	Strict bool
	// Since skips sessions whose last record is older, Until those whose last record is from then on.
	Since, Until time.Time
	// Jobs is how many sources are read at once. 0 means 4.
	Jobs int
	// Clock returns the time for receipts and commits. If it is nil, the time is always zero.
	Clock func() time.Time
	// Done, if set, is called with every outcome.
	Done func(Outcome)
	// Archives are files whose sessions ImportInto adds to the store first, and Adopted is called with each of them.
	Archives []string
	Adopted  func(path string, sessions int, err error)
	// Undigested, if set, is called at the end with every session of the store that has no digest.
	Undigested func(key string)
	// Progress, if set, is called with the size of every source that is done.
	Progress func(bytes int64)

	// CommitBytes and CommitAfter say when a batch is committed.
	CommitBytes int64
	CommitAfter time.Duration
	// LargeBytes is the size at which what a source adds counts as large. The index of parents is then built last.
	LargeBytes int64
	// Indexing, if set, is called before that index is built, which reads all records.
	Indexing func()
}

const (
	defaultCommitBytes = 32 << 20
	defaultCommitAfter = 2 * time.Second
	defaultLargeBytes  = 256 << 20 // 250 MB take as long either way
	defaultJobs        = 4         // the store writes one at a time, and more of them only take memory
)

// An importRun is one run of Import. It asks the decider what a source is to the store, and does that in the batches of
// its committer.
type importRun struct {
	ctx     context.Context
	opts    Options
	catalog *catalog
	decider *decider
	commits *committer
	feeds   *feeds
}

// Import adds sessions to a store. It returns errors of the store and of the context. Errors of a source are in its
// outcome and do not stop the others.
func Import(ctx context.Context, st *store.SQLite, sessions []*source.Session, opts Options) error {
	r := newImportRun(ctx, &st.View, opts)
	r.commits.store, r.commits.compare = st, newComparer(ctx, st)
	defer r.abandon()
	if err := errors.Join(r.commits.load(), st.Bulk(ctx)); err != nil {
		return err
	}
	if err := r.commits.compareLeftovers(); err != nil {
		return err
	}
	if err := r.importAll(sessions); err != nil {
		return err
	}
	if err := r.commits.finish(); err != nil {
		return err
	}
	r.reportUndigested()
	return nil
}

// rehearse reports what Import would do, without writing anything. view is nil if there is no store yet.
func rehearse(ctx context.Context, view *store.View, sessions []*source.Session, opts Options) error {
	r := newImportRun(ctx, view, opts)
	if err := r.commits.load(); err != nil {
		return err
	}
	return r.importAll(sessions)
}

func newImportRun(ctx context.Context, view *store.View, opts Options) *importRun {
	opts.CommitBytes = cmp.Or(opts.CommitBytes, defaultCommitBytes)
	opts.CommitAfter = cmp.Or(opts.CommitAfter, defaultCommitAfter)
	opts.LargeBytes = cmp.Or(opts.LargeBytes, defaultLargeBytes)
	opts.Jobs = cmp.Or(max(opts.Jobs, 0), defaultJobs)
	if opts.Clock == nil {
		opts.Clock = func() time.Time { return time.Time{} }
	}
	if opts.Done == nil {
		opts.Done = func(Outcome) {}
	}
	r := &importRun{ctx: ctx, opts: opts, catalog: newCatalog(), feeds: newFeeds(ctx, opts.Strict)}
	r.commits = &committer{ctx: ctx, view: view, opts: opts, catalog: r.catalog}
	r.decider = &decider{ctx: ctx, catalog: r.catalog, texts: r.commits}
	return r
}

func (run *importRun) importAll(sessions []*source.Session) error {
	sessions = importOrder(sessions)
	for i, s := range sessions {
		if err := run.ctx.Err(); err != nil {
			return err
		}
		run.readAhead(sessions[i:])
		if err := run.importOne(s); err != nil {
			return err
		}
		if err := run.commits.commitIfFull(); err != nil {
			return err
		}
	}
	return nil
}

// importOrder sorts the sessions in the order that lets copies be recognized: first those without a live file, which
// frees their key, then the live ones, then older states of those, the longest first.
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

// readAhead starts reading the next sessions that are probably new to the store.
func (run *importRun) readAhead(next []*source.Session) {
	if run.commits.isRehearsal() || run.opts.hasRange() {
		return
	}
	for _, s := range next[:min(len(next), run.opts.Jobs)] {
		if run.isProbablyNew(s) {
			run.feeds.readAhead(s)
		}
	}
}

// isProbablyNew reports whether nothing in the store resembles a source.
func (run *importRun) isProbablyNew(s *source.Session) bool {
	return run.catalog.receipts[ReceiptPath(s)] == nil && !run.catalog.hasSize(s) && len(run.catalog.named(s)) == 0
}

// importOne imports one source and reports its outcome.
func (run *importRun) importOne(s *source.Session) error {
	outcome := Outcome{Session: s}
	err := run.attempt(s, &outcome)
	run.feeds.drop(s)
	if run.opts.Progress != nil {
		run.opts.Progress(s.Bytes)
	}
	var broken *storeError
	switch {
	case errors.As(err, &broken):
		return broken.err
	case run.ctx.Err() != nil:
		return run.ctx.Err()
	case err != nil:
		outcome.Verdict, outcome.Err = Refused, err
	}
	run.commits.done(outcome)
	return nil
}

// A storeError is an error of the store, which ends the import. An error of a source does not.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

// asStoreError marks an error as one of the store. An archive that cannot be read concerns only its own sessions.
func asStoreError(err error) error {
	if err == nil || isLost(err) {
		return err
	}
	return &storeError{err}
}

// attempt imports one source. It starts over if another process changed the session in the store meanwhile.
func (run *importRun) attempt(s *source.Session, outcome *Outcome) error {
	for {
		err := run.attemptOnce(s, outcome)
		if !errors.Is(err, errSessionChanged) {
			return err
		}
	}
}

func (run *importRun) attemptOnce(s *source.Session, outcome *Outcome) error {
	stamp, err := s.Stamp()
	if err != nil {
		return err
	}
	if r := run.catalog.receipts[ReceiptPath(s)]; r != nil && r.Stamp == stamp && stamp != (store.Stamp{}) {
		if err := run.confirmUnchanged(s, r, outcome); !errors.Is(err, errOtherText) {
			return err
		}
	}
	if outcome.Verdict, err = run.outOfRange(s); outcome.Verdict != "" || err != nil {
		return err
	}
	if err := run.commits.begin(); err != nil {
		return asStoreError(err)
	}
	return run.dropCutOff(s, outcome, run.importSource(s, outcome))
}

// confirmUnchanged handles a source that still matches its receipt.
func (run *importRun) confirmUnchanged(s *source.Session, r *store.ImportReceipt, outcome *Outcome) error {
	if run.catalog.damaged[r.SessionKey] {
		if err := run.readStrictly(s); err != nil {
			return err
		}
	}
	outcome.Verdict, outcome.Key = Unchanged, r.SessionKey
	t := run.catalog.byKey[r.SessionKey]
	if t != nil && r.Sum == t.Sum && !r.IsPart() {
		if err := run.reclaim(s, t, outcome); err != nil {
			return err
		}
	}
	return run.refresh(s, t, outcome)
}

// errSessionChanged means that another process has written to the session, and the decision must be made again.
var errSessionChanged = errors.New("the session was changed by another process")

// hasRange reports whether the time of its last record decides whether a session is imported.
func (o *Options) hasRange() bool { return !o.Since.IsZero() || !o.Until.IsZero() }

// outOfRange returns Older or Newer for a session whose last record is out of the range of time, "" for another.
func (run *importRun) outOfRange(s *source.Session) (Verdict, error) {
	if !run.opts.hasRange() {
		return "", nil
	}
	if !s.Modified.IsZero() && s.Modified.Before(run.opts.Since) {
		return Older, nil // nothing was written later
	}
	facts := source.Inspect(run.ctx, []*source.Session{s}, 1)
	last := facts[0].Last
	if last.IsZero() {
		last = s.Modified
	}
	switch {
	case last.Before(run.opts.Since):
		return Older, facts[0].Err
	case !run.opts.Until.IsZero() && !last.Before(run.opts.Until):
		return Newer, facts[0].Err
	}
	return "", facts[0].Err
}

// readStrictly reads all of a source to find damage before any of it is stored.
func (run *importRun) readStrictly(s *source.Session) error {
	f := run.feeds.begin(s, store.Transcript{})
	defer f.stop()
	for p := range f.pages {
		if p.err != nil {
			return p.err
		}
		p.release()
	}
	return run.ctx.Err()
}

// importSource decides how a source relates to the store, and stores it accordingly.
func (run *importRun) importSource(s *source.Session, outcome *Outcome) error {
	if run.opts.Strict {
		if err := run.readStrictly(s); err != nil {
			return err
		}
	}
	if t := run.catalog.findAppended(s); t != nil {
		outcome.Verdict = Grown
		if err := run.grow(s, t, outcome); !errors.Is(err, errOtherText) {
			return err
		}
	}
	p, err := run.decider.decide(s)
	if err := run.unsumAll(p.unsound); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	outcome.Verdict = p.verdict
	switch p.verdict {
	case Copy:
		err = run.noteCopy(s, p, outcome)
	case Grown:
		if err = run.grow(s, p.existing, outcome); errors.Is(err, errOtherText) && p.existing.Sum == "" {
			return errSessionChanged // the stored text is different; decide again
		} else if errors.Is(err, errOtherText) {
			err = ErrSourceChanged // it had this beginning a moment ago
		}
	default:
		err = run.create(s, p, outcome)
	}
	return err
}

// abandon releases everything that is still open.
func (run *importRun) abandon() {
	run.feeds.stop()
	run.commits.abandon()
}

// reportUndigested names the sessions whose text once differed from its source.
func (run *importRun) reportUndigested() {
	if run.opts.Undigested == nil {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(run.catalog.byKey)) {
		if t := run.catalog.byKey[key]; t.Sum == "" && t.Lines > 0 {
			run.opts.Undigested(key)
		}
	}
}
