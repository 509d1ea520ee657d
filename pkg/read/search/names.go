package search

import (
	"io"
	"sync/atomic"

	"clawctl/internal/pairs"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// A session is shown with the last name that its lines give it. They are looked for while the session is searched, from
// its first hit on, because most sessions have none, and what was searched is still in the cache of the core.

// A nameFinder finds the lines that name a session.
type nameFinder struct {
	marks []pairs.Word
	isHit atomic.Bool // a hit was found, or nothing can be read again
}

// newNameFinder returns the finder for a session, or nil if its names are not looked for.
func (s *Scan) newNameFinder(session *source.Session, in *source.Input) *nameFinder {
	if !s.Named {
		return nil
	}
	n := &nameFinder{marks: session.NameMarks()}
	n.isHit.Store(!in.IsPlain())
	return n
}

// look looks for names in the text of a chunk, unless the session may have no hits.
func (n *nameFinder) look(f *chunkHits, text []byte) {
	if n == nil {
		return
	}
	if len(f.hits) > 0 {
		n.isHit.Store(true)
	}
	if f.unnamed = !n.isHit.Load(); !f.unnamed {
		f.naming = source.NamingIn(text, n.marks)
	}
}

// finish returns the naming of a session with hits that was read to its end. It reads what was searched before the
// first hit again. ok is false if the names are not known.
func (n *nameFinder) finish(t *Tally, in *source.Input, buf []byte) (naming source.Naming, ok bool) {
	if n == nil || !n.isHit.Load() {
		return naming, false
	}
	if t.unnamed == 0 {
		return t.naming, true
	}
	var batches jsonl.Batches
	batches.Reset(in.First(t.unnamed), jsonl.Options{}, false)
	for {
		b, err := batches.Next(buf)
		if err == io.EOF {
			naming.Join(t.naming)
			return naming, true
		}
		if err != nil {
			return naming, false
		}
		naming.Join(source.NamingIn(b.Text, n.marks))
		batches.Release(b, buf)
	}
}
