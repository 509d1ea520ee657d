package diff

import (
	"context"
	"io"
	"slices"

	"clawctl/internal/parallel"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// A Pair is a session of both sides. One of them is nil if the other side does not have it.
type Pair struct{ A, B *source.Session }

// Name is what reports call the pair.
func (p Pair) Name() string {
	if p.A != nil {
		return p.A.Name()
	}
	return p.B.Name()
}

// IsWhole reports whether both sides have the session.
func (p Pair) IsWhole() bool { return p.A != nil && p.B != nil }

// Compare compares the sessions of a whole pair. An error is a *SideError or that of the context.
func (p Pair) Compare(ctx context.Context) (*Comparison, error) {
	return compare(ctx, sideOf(p.A), sideOf(p.B))
}

func sideOf(s *source.Session) Side {
	return Side{Jobs: parallel.Share(0, 1, 1), Open: func() (io.ReadCloser, error) { return s.Open() }}
}

// A Result is a pair with the sums of its comparison, or the error that ended it.
type Result struct {
	Pair Pair
	Sums Sums
	Err  error
}

// NamesSession reports whether an argument names a session and not a place.
func NamesSession(m *source.Match) bool {
	return len(m.Sessions) == 1 && (m.ByName || m.IsDirect(m.Sessions[0]))
}

// pairingNames are the ways in which sessions of two places are recognized, the most certain first.
var pairingNames = []func(s *source.Session) string{
	(*source.Session).Name,
	func(s *source.Session) string { return s.Agent + "\x00" + s.ID + "\x00" + s.Generation },
	func(s *source.Session) string { return s.ID + "\x00" + s.Generation },
}

// PairAll matches the sessions of two places, in the order of the first and then of the second. A session that the
// other place has only as another kind, such as an archive, is compared with that.
func PairAll(a, b *source.Match) []Pair {
	var pairs []Pair
	p := pairing{}
	for _, name := range pairingNames {
		p.match(a.Sessions, b.Sessions, name)
	}
	byID := func(s *source.Session) string { return s.ID }
	p.match(a.Sessions, allSessions(b), byID)
	p.match(b.Sessions, allSessions(a), byID)
	inA := map[*source.Session]bool{}
	for _, s := range a.Sessions {
		pairs = append(pairs, Pair{s, p[s]})
		inA[p[s]] = true
	}
	for _, s := range b.Sessions {
		if !inA[s] {
			pairs = append(pairs, Pair{p[s], s})
		}
	}
	return pairs
}

// A pairing has the partner of each session that was matched.
type pairing map[*source.Session]*source.Session

// match finds partners for sessions that have none, by a name that both have.
func (p pairing) match(from, to []*source.Session, name func(*source.Session) string) {
	known := map[string]*source.Session{}
	for _, s := range to {
		if p[s] == nil && known[name(s)] == nil {
			known[name(s)] = s
		}
	}
	for _, s := range from {
		if other := known[name(s)]; other != nil && p[s] == nil && p[other] == nil {
			p[s], p[other] = other, s
		}
	}
}

// allSessions returns the sessions of every kind.
func allSessions(m *source.Match) (list []*source.Session) {
	for _, p := range m.Places {
		list = append(list, p.Sessions...)
	}
	return list
}

// PairOne returns the pair of two sessions, or of a session and its counterpart in a place: one of the arguments names
// a session. A side is nil if the place has no counterpart. An error is a *SideError.
func PairOne(ctx context.Context, a, b *source.Match) (Pair, error) {
	switch {
	case !NamesSession(b):
		other, err := counterpart(ctx, a.Sessions[0], b)
		return Pair{a.Sessions[0], other}, sideError(false, err)
	case !NamesSession(a):
		other, err := counterpart(ctx, b.Sessions[0], a)
		return Pair{other, b.Sessions[0]}, sideError(true, err)
	}
	return Pair{a.Sessions[0], b.Sessions[0]}, nil
}

// counterpart returns the session of a place that another one is compared with: by its name, its id, or the id in its
// header. It is nil if there is none.
func counterpart(ctx context.Context, s *source.Session, place *source.Match) (*source.Session, error) {
	if pair := PairAll(&source.Match{Sessions: []*source.Session{s}}, place)[0]; pair.B != nil {
		return pair.B, nil
	}
	id, err := headerIDOf(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, other := range slices.Concat(place.Sessions, allSessions(place)) {
		if other.ID == s.ID || other.Key == s.Key || id != "" && other.ID == id {
			return other, nil
		}
	}
	return nil, nil
}

// headerIDOf returns the session's id in the header of a transcript, "" if there is none near its beginning.
func headerIDOf(ctx context.Context, s *source.Session) (string, error) {
	const most = 100
	in, err := s.Open()
	if err != nil {
		return "", err
	}
	defer in.Close()
	for rec, err := range jsonl.Records(in, jsonl.Options{BeforeRead: ctx.Err}) {
		if err != nil {
			return "", err
		}
		if h, ok := rec.Header(); ok || rec.Line > most {
			return h.ID, nil
		}
	}
	return "", nil
}
