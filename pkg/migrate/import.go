package migrate

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
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
	defaultCommitBytes = 64 << 20
	defaultCommitAfter = 2 * time.Second
	defaultLargeBytes  = 256 << 20 // 250 MB take as long either way
	defaultJobs        = 4         // the store writes one at a time, and more of them only take memory
)

// An importer holds the state of one run of Import.
type importer struct {
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

	feedsAhead map[*source.Session]*feed

	logBytes       int64      // bytes in the log of the store
	checkpointDone chan error // receives the result of a checkpoint in the background
}

// Import adds sessions to a store. It returns errors of the store and of the context. Errors of a source are in its
// outcome and do not stop the others.
func Import(ctx context.Context, st *store.SQLite, sessions []*source.Session, opts Options) error {
	im := newImporter(ctx, &st.View, opts)
	im.store, im.compare = st, newComparer(ctx, st)
	defer im.abandon()
	if err := errors.Join(im.load(), st.Bulk(ctx)); err != nil {
		return err
	}
	if err := im.compareLeftovers(); err != nil {
		return err
	}
	if err := im.importAll(sessions); err != nil {
		return err
	}
	if err := im.finish(); err != nil {
		return err
	}
	im.reportUndigested()
	return nil
}

// Rehearse reports what Import would do, without writing anything. view is nil if there is no store yet.
func Rehearse(ctx context.Context, view *store.View, sessions []*source.Session, opts Options) error {
	im := newImporter(ctx, view, opts)
	if err := im.load(); err != nil {
		return err
	}
	return im.importAll(sessions)
}

// isRehearsal reports whether this is a dry run.
func (im *importer) isRehearsal() bool { return im.store == nil }

func newImporter(ctx context.Context, view *store.View, opts Options) *importer {
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
	return &importer{ctx: ctx, view: view, opts: opts, feedsAhead: map[*source.Session]*feed{}}
}

// importAll imports every source.
func (im *importer) importAll(sessions []*source.Session) error {
	sessions = importOrder(sessions)
	for i, s := range sessions {
		if err := im.ctx.Err(); err != nil {
			return err
		}
		im.readAhead(sessions[i:])
		if err := im.importOne(s); err != nil {
			return err
		}
		if err := im.commitIfFull(); err != nil {
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

// load reads the catalog of the store.
func (im *importer) load() error {
	view := im.view
	switch {
	case view == nil:
		im.catalog = newCatalog(nil, nil)
		return nil
	case im.batch != nil:
		view = im.batch.View()
	}
	return view.InOneState(im.ctx, im.loadFrom)
}

func (im *importer) loadFrom(view *store.View) error {
	transcripts, err := view.Transcripts(im.ctx)
	if err != nil {
		return err
	}
	receipts, err := view.Receipts(im.ctx)
	if err != nil {
		return err
	}
	infos, err := view.List(im.ctx)
	if err != nil {
		return err
	}
	im.catalog = newCatalog(matchSessions(infos, transcripts, receipts))
	for _, info := range infos {
		im.catalog.metadata[info.Key] = info.Metadata
	}
	if im.opts.Strict {
		im.catalog.damaged, err = view.DamagedKeys(im.ctx)
	}
	return err
}

// abandon releases everything that is still open.
func (im *importer) abandon() {
	for _, f := range im.feedsAhead {
		f.stop()
	}
	im.compare.stop()
	if im.checkpointDone != nil {
		<-im.checkpointDone
	}
	if im.batch != nil {
		im.batch.Rollback()
	}
}

// isLatestSource reports whether a source is the latest of the live files of a transcript. Their registrations may
// differ, so only the latest one updates the metadata.
func (im *importer) isLatestSource(s *source.Session, t *storedTranscript) bool {
	path, last := ReceiptPath(s), int64(0)
	for _, r := range im.catalog.bySource[t.Key] {
		if r.Kind == string(source.Live) && !r.Replaced && (r.Path == path || r.ID > last && hasFile(r)) {
			last = max(last, r.ID)
		}
	}
	r := im.catalog.receipts[path]
	return r != nil && r.ID == last
}
