package source

import (
	"cmp"
	"context"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store"
)

// A Store is a read-only SessionStore over the sessions of a place, whether they are JSONL files or in a database.
type Store struct {
	place    *Place
	sessions map[string]*Session // by name; the key alone is the live one
}

// NewStore returns the sessions of a place as a store. The store owns the place and closes it.
func NewStore(place *Place) *Store {
	s := &Store{place: place, sessions: map[string]*Session{}}
	for _, session := range place.Sessions {
		if _, taken := s.sessions[session.Name()]; !taken {
			s.sessions[session.Name()] = session
		}
	}
	return s
}

var _ store.SessionStore = (*Store)(nil)

// Load returns the session of a key, or an empty new one if there is none.
func (s *Store) Load(ctx context.Context, key string) (*store.Session, error) {
	session := s.sessions[key]
	if session == nil {
		return &store.Session{Info: store.Info{Key: key}, Records: func(func(*jsonl.Record, error) bool) {}}, nil
	}
	return &store.Session{Info: s.info(ctx, session), Records: func(yield func(*jsonl.Record, error) bool) {
		if err := eachRecord(ctx, session, yield); err != nil {
			yield(nil, err)
		}
	}}, nil
}

func eachRecord(ctx context.Context, s *Session, yield func(*jsonl.Record, error) bool) error {
	in, err := s.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	for rec, err := range jsonl.Records(in, jsonl.Options{BeforeRead: ctx.Err}) {
		if err != nil {
			return err
		}
		if rec.Legible() && !yield(rec, nil) {
			return nil
		}
	}
	return nil
}

// info reads a session once for what its registration does not contain.
func (s *Store) info(ctx context.Context, session *Session) store.Info {
	f := Inspect(ctx, []*Session{session}, 1)[0]
	return store.Info{
		Key: session.Name(), Created: f.First, Updated: f.Last, Records: f.Records,
		Metadata: store.Metadata{
			Agent: session.Agent, SessionID: session.ID, Kind: string(session.Kind), Generation: session.Generation,
			Title: f.Title(session), Source: session.Place(),
		},
	}
}

// List returns every session, in the order of their keys.
func (s *Store) List(ctx context.Context) ([]store.Info, error) {
	var list []store.Info
	for _, session := range s.sessions {
		list = append(list, s.info(ctx, session))
	}
	slices.SortFunc(list, func(a, b store.Info) int { return cmp.Compare(a.Key, b.Key) })
	return list, ctx.Err()
}

// Save returns the error of a read-only store.
func (s *Store) Save(context.Context, *store.Session) error { return store.ErrReadOnly }

// Append returns the error of a read-only store.
func (s *Store) Append(context.Context, string, *jsonl.Record) error { return store.ErrReadOnly }

// Close releases the place.
func (s *Store) Close() error { return s.place.Close() }
