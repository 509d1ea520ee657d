package source

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// FindDatabase lists the sessions of an OpenClaw database or of a clawctl store.
func FindDatabase(ctx context.Context, path string, opts Options) (*Listing, error) {
	if store.IsStore(ctx, path) {
		return findStore(ctx, path, opts)
	}
	db, err := openDatabase(ctx, path, opts)
	if errors.Is(err, dbfile.ErrForeign) && store.IsUnfinished(ctx, path) {
		return nil, dbfile.ErrUnfinished
	}
	if err != nil {
		return nil, err
	}
	place := &Listing{Path: path}
	absolute, err := filepath.Abs(path)
	if err != nil {
		absolute = path
	}
	folder := filepath.Dir(absolute)
	if _, err := place.addDatabase(ctx, db, folder, filepath.Base(absolute), agentAbove(folder)); err != nil {
		db.Close()
		return nil, err
	}
	for _, s := range place.Sessions {
		s.Key = cmp.Or(s.Key, RecoveredKey(s.Agent, s.ID))
	}
	place.sort()
	return place, nil
}

// A database is an OpenClaw database that a place keeps open.
type database struct {
	file *openclaw.Database
	path string
}

func openDatabase(ctx context.Context, path string, opts Options) (database, error) {
	db, err := openclaw.OpenDatabase(ctx, path,
		openclaw.DatabaseOptions{Fast: opts.Fast, NamesOnly: opts.NamesOnly, MeasureUpTo: opts.MeasureUpTo})
	return database{db, path}, err
}

func (db database) Close() error { return db.file.Close() }

func (db database) abandon() { _ = db.file.DiscardCopy() }

// addDatabase adds an open database below a root, with the sessions that can be read, and returns those in cold storage
// files. agent is the one that its path names. A database that is newer than the newest known one is a problem.
func (p *Listing) addDatabase(
	ctx context.Context, db database, root, below, agent string,
) (cold map[string]*Session, err error) {
	p.closers, p.Databases = append(p.closers, db), append(p.Databases, db.path)
	if db.file.IsNewer() {
		detail := fmt.Sprintf("schema %d, newest known: %d", db.file.Version(), openclaw.NewestSchema)
		p.problem(NewerSchema, db.path, detail)
	}
	agent = db.file.AgentOr(ctx, filepath.Dir(filepath.Join(root, below)), agent)
	p.owns(db.path, agent)
	sessions, cold, err := db.sessions(ctx, agent)
	for _, s := range sessions {
		s.Root, s.Below = root, filepath.ToSlash(below)+strings.TrimPrefix(s.Place(), s.Path)
	}
	p.Sessions = append(p.Sessions, sessions...)
	return cold, err
}

// sessions lists every session of the database. Sessions in cold storage files are returned separately, by file name.
// It returns those that it could read besides an error.
func (db database) sessions(ctx context.Context, agent string) (list []*Session, cold map[string]*Session, err error) {
	rows, err := db.file.Sessions(ctx)
	version := db.file.AppVersion(ctx)
	cold = map[string]*Session{}
	for _, row := range rows {
		s := db.session(row)
		s.Agent = agent
		if row.Storage == openclaw.InColdFile {
			cold[row.File] = s
			continue
		}
		s.AppVersion = version
		s.stamp = s.databaseStamp
		s.checkDatabase = db.file.CheckWhole
		list = append(list, s)
	}
	return list, cold, err
}

// session returns a session of the database. One in a cold storage file cannot be opened.
func (db database) session(row openclaw.DatabaseSession) *Session {
	s := &Session{ID: row.ID, Key: row.Key, Bytes: row.Bytes, Modified: row.Modified, Path: db.path, InDatabase: true}
	switch row.Storage {
	case openclaw.InRows:
		db.fillFromRows(s)
	case openclaw.InArchive:
		s.open = func() (*Input, error) { return db.openArchive(s, row) }
		s.nameArchive(row)
		return s
	case openclaw.InColdRow:
		s.open = func() (*Input, error) {
			in, err := db.openArchive(s, row)
			if err != nil {
				return nil, err
			}
			return unwrapCold(in), nil
		}
	}
	s.place(row)
	return s
}

// fillFromRows lets a session read its rows.
func (db database) fillFromRows(s *Session) {
	s.hasRows = true
	s.open = func() (*Input, error) {
		rows, err := db.file.OpenEvents(s.ID)
		if err != nil {
			return nil, err
		}
		return &Input{Reader: rows, Name: s.Place(), Size: s.Bytes, finishes: func() { rows.Close() }}, nil
	}
	s.endTime = func() time.Time { return db.lastTime(s.ID) }
	if db.file.IsLarge() {
		s.measure = func(ctx context.Context) error {
			bytes, err := db.file.Measure(ctx, s.ID)
			if err != nil {
				return err
			}
			s.Bytes, s.measure = bytes, nil
			return nil
		}
	}
}

// place makes a session of a database the current one of its key, or an earlier one.
func (s *Session) place(row openclaw.DatabaseSession) {
	if own := row.Entries; len(own) > 0 {
		s.Kind, s.Key, s.Entry, s.Listed = Live, own[0].Key, own[0], true
		for _, e := range own[1:] {
			s.alias(e.Key)
		}
		return
	}
	s.Kind, s.Generation = Archive, "window."+s.ID
	if row.Next == "reset" {
		s.Kind = Reset
	}
}

// nameArchive takes the kind and the generation of a session from those of its archive.
func (s *Session) nameArchive(row openclaw.DatabaseSession) {
	if s.Kind = Kind(row.Reason); !slices.Contains(Kinds, s.Kind) {
		s.Kind = Archive
	}
	s.Generation = string(s.Kind) + "." + row.Generation
	if parsed, ok := ParseName(row.File); ok && parsed.Generation != "" {
		s.Generation = parsed.Generation
	}
}

func (db database) openArchive(s *Session, row openclaw.DatabaseSession) (*Input, error) {
	blob, err := db.file.ReadArchive(row)
	if err != nil {
		return nil, err
	}
	return Wrap(bytes.NewReader(blob), s.Place())
}

// lastTime returns the time of the last row of a session that has one.
func (db database) lastTime(id string) time.Time {
	var last time.Time
	for _, open := range []func(string) (io.ReadCloser, error){db.file.OpenLastEvents, db.file.OpenEvents} {
		rows, err := open(id)
		if err != nil {
			return time.Time{}
		}
		last = lastTimeIn(rows)
		rows.Close()
		if !last.IsZero() {
			return last
		}
	}
	return last
}
