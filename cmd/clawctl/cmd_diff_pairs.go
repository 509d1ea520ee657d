package main

import (
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// A sessionPair is a session of both sides. One of them is nil if the other side does not have it.
type sessionPair struct{ a, b *source.Session }

// name is what reports call the pair.
func (p sessionPair) name() string {
	if p.a != nil {
		return p.a.Name()
	}
	return p.b.Name()
}

// namesSession reports whether an argument names a session and not a place.
func namesSession(m *source.Match) bool {
	return len(m.Sessions) == 1 && (m.ByName || m.IsDirect(m.Sessions[0]))
}

// pairingNames are the ways in which sessions of two places are recognized, the most certain first.
var pairingNames = []func(s *source.Session) string{
	(*source.Session).Name,
	func(s *source.Session) string { return s.Agent + "\x00" + s.ID + "\x00" + s.Generation },
	func(s *source.Session) string { return s.ID + "\x00" + s.Generation },
}

// pairSessions matches the sessions of two places, in the order of the first and then of the second. A session that the
// other place has only as another kind, such as an archive, is compared with that.
func pairSessions(a, b *source.Match) (pairs []sessionPair) {
	partner, taken := map[*source.Session]*source.Session{}, map[*source.Session]bool{}
	match := func(from, to []*source.Session, name func(*source.Session) string) {
		known := map[string]*source.Session{}
		for _, s := range to {
			if !taken[s] && known[name(s)] == nil {
				known[name(s)] = s
			}
		}
		for _, s := range from {
			if other := known[name(s)]; other != nil && !taken[s] && !taken[other] {
				partner[s], partner[other], taken[s], taken[other] = other, s, true, true
			}
		}
	}
	for _, name := range pairingNames {
		match(a.Sessions, b.Sessions, name)
	}
	byID := func(s *source.Session) string { return s.ID }
	match(a.Sessions, allSessions(b), byID)
	match(b.Sessions, allSessions(a), byID)
	for _, s := range a.Sessions {
		pairs = append(pairs, sessionPair{s, partner[s]})
	}
	inA := map[*source.Session]bool{}
	for _, p := range pairs {
		inA[p.b] = true
	}
	for _, s := range b.Sessions {
		if !inA[s] {
			pairs = append(pairs, sessionPair{partner[s], s})
		}
	}
	return pairs
}

// allSessions returns the sessions of every kind.
func allSessions(m *source.Match) (list []*source.Session) {
	for _, p := range m.Places {
		list = append(list, p.Sessions...)
	}
	return list
}

// counterparts returns the pair of a session and another one, or of a session and its counterpart in a place.
func counterparts(a *cli.App, operands []string, first, second *source.Match) (sessionPair, error) {
	switch {
	case !namesSession(second):
		other, err := counterpart(a, first.Sessions[0], second, operands[1])
		return sessionPair{first.Sessions[0], other}, err
	case !namesSession(first):
		other, err := counterpart(a, second.Sessions[0], first, operands[0])
		return sessionPair{other, second.Sessions[0]}, err
	}
	return sessionPair{first.Sessions[0], second.Sessions[0]}, nil
}

// counterpart returns the session of a place that another one is compared with: by its name, its id, or the id in its
// header.
func counterpart(a *cli.App, s *source.Session, place *source.Match, argument string) (*source.Session, error) {
	for _, pair := range pairSessions(&source.Match{Sessions: []*source.Session{s}}, place)[:1] {
		if pair.b != nil {
			return pair.b, nil
		}
	}
	id, err := headerIDOf(a, s)
	if err != nil {
		return nil, err
	}
	for _, list := range [][]*source.Session{place.Sessions, allSessions(place)} {
		for _, other := range list {
			if other.ID == s.ID || other.Key == s.Key || id != "" && other.ID == id {
				return other, nil
			}
		}
	}
	return nil, failure.New(failure.Nothing, "no counterpart of %s", s.Name()).At(argument).
		WithHint(failure.Command("clawctl", "sessions", argument))
}

// headerIDOf returns the session's id in the header of a transcript, "" if there is none near its beginning.
func headerIDOf(a *cli.App, s *source.Session) (id string, err error) {
	const most = 100
	err = cli.WithInput(a, s, func(_ *source.Session, in *source.Input) error {
		for rec, err := range jsonl.Records(in, jsonl.Options{BeforeRead: a.Ctx.Err}) {
			if err != nil {
				return cli.ReadError(a, in.Name, err)
			}
			if h, ok := rec.Header(); ok || rec.Line > most {
				id = h.ID
				break
			}
		}
		return nil
	})
	return id, err
}
