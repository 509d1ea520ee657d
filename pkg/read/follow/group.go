package follow

import (
	"context"
	"errors"

	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
)

// A Group follows many sessions.
type Group struct {
	members   []*Member
	known     map[string]bool // the places of the members
	databases map[string]*openclaw.GrowingDatabase
	stores    map[string]*storeFile
	scopes    []*Scope
	polls     int
}

// A Member is a session of a group.
type Member struct {
	Session *source.Session
	Source  Source
	// New is set for a session that was found after the group had begun.
	New bool
	// Instead is the session of the same key that it continues, or nil.
	Instead *source.Session

	scope   *Scope // nil if it was added by itself
	problem string // the last error that was reported
}

// Add adds a session.
func (g *Group) Add(s *source.Session) *Member {
	m := &Member{Session: s, Source: g.newSource(s)}
	g.members = append(g.members, m)
	if g.known == nil {
		g.known = map[string]bool{}
	}
	g.known[s.Place()] = true
	return m
}

// database returns a database, which is opened when a session of it is read.
func (g *Group) database(path string) *openclaw.GrowingDatabase {
	if g.databases == nil {
		g.databases = map[string]*openclaw.GrowingDatabase{}
	}
	d := g.databases[path]
	if d == nil {
		d = openclaw.NewGrowingDatabase(path)
		d.Look()
		g.databases[path] = d
	}
	return d
}

// store returns a store, which is opened when a session of it is read.
func (g *Group) store(path string) *storeFile {
	if g.stores == nil {
		g.stores = map[string]*storeFile{}
	}
	f := g.stores[path]
	if f == nil {
		f = &storeFile{path: path}
		f.look()
		g.stores[path] = f
	}
	return f
}

// scopeEvery is how many polls pass before scopes are looked at again. What is new in them may come a little later.
const scopeEvery = 2

// Poll calls yield for everything that has happened to the sessions since the last call. Errors of a session are
// events, each of them once. An error of yield ends the poll and is returned.
func (g *Group) Poll(ctx context.Context, yield func(*Member, Event) error) error {
	for _, d := range g.databases {
		d.Look()
	}
	for _, f := range g.stores {
		f.look()
	}
	defer g.release()
	if g.polls%scopeEvery == 0 {
		for _, s := range g.scopes {
			g.search(ctx, s)
		}
	}
	g.polls++
	for _, m := range g.members {
		if err := m.poll(ctx, yield); err != nil {
			return err
		}
	}
	g.dropRemoved()
	return ctx.Err()
}

// A yieldError is an error of the caller, which ends a poll.
type yieldError struct{ error }

func (e yieldError) Unwrap() error { return e.error }

func (m *Member) poll(ctx context.Context, yield func(*Member, Event) error) error {
	err := m.Source.Poll(ctx, func(e Event) error {
		if e.Record != nil {
			m.problem = ""
		}
		if err := yield(m, e); err != nil {
			return yieldError{err}
		}
		return nil
	})
	var own yieldError
	switch {
	case errors.As(err, &own):
		return own.error
	case err == nil, ctx.Err() != nil, err.Error() == m.problem:
		return nil
	}
	m.problem = err.Error()
	return yield(m, Event{Err: err})
}

// release closes what must not stay open between two polls.
func (g *Group) release() {
	for _, d := range g.databases {
		_ = d.Release() // it has only read
	}
	for _, f := range g.stores {
		_ = f.release()
	}
}

// Close releases the sessions and databases.
func (g *Group) Close() error {
	var errs []error
	for _, m := range g.members {
		errs = append(errs, m.Source.Close())
	}
	for _, d := range g.databases {
		errs = append(errs, d.Close())
	}
	for _, f := range g.stores {
		errs = append(errs, f.release())
	}
	for _, s := range g.scopes {
		errs = append(errs, s.close())
	}
	return errors.Join(errs...)
}
