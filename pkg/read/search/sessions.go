package search

import (
	"context"
	"io"
	"iter"

	"clawctl/internal/parallel"
	"clawctl/internal/textid"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

// hitsPerSession is how many hits of a session may wait for their turn, and turnsAhead how many sessions, for each job.
const hitsPerSession, turnsAhead = 32, 16

// maxWaiting is how many bytes of hits may wait for the name of their session. Tests make it smaller.
var maxWaiting = 8 << 20

// A Results receives what is found, session by session in order.
type Results struct {
	Hit func(session int, h Hit) error
	End func(session int, t Tally, err error) error
}

// Sessions searches sessions, several at a time, and passes on what is found in the order of the sessions. Hits of the
// first session that is not finished are passed on at once. The others wait, and stop being searched if too many do.
func (s *Scan) Sessions(ctx context.Context, sessions []*source.Session, results Results) error {
	jobs := min(parallel.Share(s.Jobs, 1, 1), len(sessions))
	s.BeforeRead = ctx.Err
	total, next := source.TotalBytes(sessions), 0
	queue := parallel.Queue[*turn, *Hit]{Workers: jobs, Ahead: turnsAhead * jobs, Results: hitsPerSession}
	queue.Next = func(context.Context) (*turn, bool) {
		next++
		return &turn{session: next - 1}, next <= len(sessions)
	}
	queue.Work = func(ctx context.Context) func(*turn, func(*Hit) bool) {
		w := s.worker()
		return func(t *turn, pass func(*Hit) bool) { w.searchTurn(ctx, sessions[t.session], total, t, pass) }
	}
	for t, hits := range queue.All(ctx) {
		if err := t.deliver(ctx, sessions[t.session], hits, s.Named, results); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// A turn is a session that is being searched. What it has beside its number is valid after its hits.
type turn struct {
	session int
	tally   Tally
	err     error
	naming  source.Naming
	isNamed bool // the naming is known
}

// deliver passes on what is found in a session as it is found. If the session is to be named first, hits wait for its
// end, unless they are too many: then whoever asks reads the name.
func (t *turn) deliver(
	ctx context.Context, session *source.Session, hits iter.Seq[*Hit], isNamed bool, results Results,
) error {
	var waiting []*Hit
	size, limit := 0, 0
	for h := range hits {
		if size == 0 && isNamed && session.NameMarks() != nil {
			limit = maxWaiting
		}
		waiting, size = append(waiting, h), size+len(h.Text)+1
		if size <= limit {
			continue
		}
		limit = 0
		if err := t.pass(waiting, results); err != nil {
			return err
		}
		waiting = waiting[:0]
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.isNamed {
		session.SetNaming(t.naming)
	}
	if err := t.pass(waiting, results); err != nil {
		return err
	}
	return results.End(t.session, t.tally, t.err)
}

// pass passes hits on.
func (t *turn) pass(hits []*Hit, results Results) error {
	for _, h := range hits {
		if err := results.Hit(t.session, *h); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) searchTurn(
	ctx context.Context, session *source.Session, total int64, t *turn, pass func(*Hit) bool,
) {
	emit := func(h Hit) error {
		if pass(&h) {
			return nil
		}
		return ctx.Err()
	}
	if t.err = w.searchTitle(session, emit); t.err != nil {
		return
	}
	if w.scan.Active {
		emit = onPathOnly(ctx, session, emit)
	}
	in, err := session.Open()
	if err != nil {
		t.err = err
		return
	}
	defer in.Close()
	own := *w.scan
	own.names = own.newNameFinder(session, in)
	if own.Jobs = parallel.Share(own.Jobs, session.Bytes, total); own.Jobs > 1 && session.Bytes > 4*jsonl.BatchSize {
		t.tally, t.err = own.Each(ctx, in, emit)
	} else {
		w.names = own.names
		t.tally, t.err = w.each(in, emit)
	}
	if t.err == nil {
		w.makeBuffer()
		t.naming, t.isNamed = own.names.finish(&t.tally, in, w.buf)
	}
}

// searchTitle searches the title that an index gives a session. It is no part of the transcript: it has no line.
func (w *worker) searchTitle(session *source.Session, emit func(Hit) error) error {
	title := session.Title()
	if s := w.scan.Scope; title == session.Name() || !s.Places[inTitle] || s.File != "" || !s.takesUndated() {
		return nil
	}
	hit, ok := w.scan.Query.hitInLine(w.scan.Finder, title, inTitle)
	if !ok {
		return nil
	}
	hit.Kind = parts.Title
	hit.Content = textid.Of([]byte(session.Place() + "\x00" + title))
	return emit(hit)
}

// onPathOnly passes on the hits on the way from the root of a session to its leaf. The session is read for that with
// the first hit.
func onPathOnly(ctx context.Context, session *source.Session, emit func(Hit) error) func(Hit) error {
	var path map[int64]bool
	return func(h Hit) error {
		if path == nil {
			var err error
			if path, err = pathOf(ctx, session); err != nil {
				return err
			}
		}
		if !path[h.Line] {
			return nil
		}
		return emit(h)
	}
}

// pathOf returns the lines from the root of a session to its leaf.
func pathOf(ctx context.Context, session *source.Session) (map[int64]bool, error) {
	in, err := session.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var r jsonl.Reader
	r.Reset(io.Reader(in), jsonl.Options{BeforeRead: ctx.Err})
	author := rebuild.Author{Folder: session.FolderOwner()}
	index, err := rebuild.ScanBy(author, &r, nil)
	if err != nil {
		return nil, err
	}
	c, err := index.Context("")
	if err != nil {
		return nil, err
	}
	path := map[int64]bool{}
	for _, node := range c.Outline() {
		if node.OnPath {
			path[node.Line] = true
		}
	}
	return path, nil
}
