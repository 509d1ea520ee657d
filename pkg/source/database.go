package source

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"clawctl/pkg/dbfile"
	"clawctl/pkg/store"
)

// newestSchema is the user_version of the newest known OpenClaw. The columns decide, not the number: it only
// distinguishes a newer database from an unrelated one if the columns do not match.
const newestSchema = 23

// FindDatabase lists the sessions of an OpenClaw database or of a clawctl store.
func FindDatabase(ctx context.Context, path string, opts Options) (*Place, error) {
	if store.IsStore(ctx, path) {
		return findStore(ctx, path, opts)
	}
	db, err := openDatabase(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	place := &Place{Path: path, Databases: []string{path}, closers: []io.Closer{db}}
	absolute, err := filepath.Abs(path)
	if err != nil {
		absolute = path
	}
	if place.Sessions, _, err = db.sessions(ctx, agentAbove(filepath.Dir(absolute))); err != nil {
		db.Close()
		return nil, err
	}
	for _, s := range place.Sessions {
		s.Root, s.Below = filepath.Dir(absolute), filepath.Base(absolute)+strings.TrimPrefix(s.Place(), s.Path)
		if s.Key == "" {
			s.Key = RecoveredKey(s.Agent, s.ID)
		}
	}
	place.sort()
	return place, nil
}

// A database is an OpenClaw database, opened without changing anything in its folder.
type database struct {
	*dbfile.ReadOnlyDB
	path string

	checking sync.Once
	checked  error

	events  tableShape
	nodes   tableShape // session_nodes, or session_entries before schema 14
	windows tableShape // session_windows, or sessions
	archive tableShape
	cold    tableShape
}

// A tableShape is a table with the name and the columns that it has in this database. The name is "" if there is no
// such table.
type tableShape struct {
	name    string
	columns []string
}

func (t tableShape) has(column string) bool { return slices.Contains(t.columns, column) }

func openDatabase(ctx context.Context, path string, opts Options) (*database, error) {
	file, err := dbfile.OpenReadOnly(ctx, path)
	if err != nil {
		return nil, err
	}
	db := &database{ReadOnlyDB: file, path: path}
	if err := db.check(ctx, opts); err != nil {
		db.Close()
		return nil, db.Classify(err)
	}
	return db, nil
}

func (db *database) abandon() { _ = db.DiscardCopy() }

// quickCheck checks the whole database for corruption, once.
func (db *database) quickCheck(ctx context.Context) error {
	db.checking.Do(func() { db.checked = db.Classify(dbfile.QuickCheck(ctx, db.DB)) })
	return db.checked
}

// check checks that the database is OpenClaw's and, unless opts.Fast is set, that it is not corrupt. It notes the shape
// of the tables.
func (db *database) check(ctx context.Context, opts Options) error {
	if !opts.Fast {
		if err := dbfile.QuickCheck(ctx, db.DB); err != nil {
			return err
		}
	}
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	for _, table := range []struct {
		shape *tableShape
		names []string
	}{
		{&db.events, []string{"transcript_events"}},
		{&db.nodes, []string{"session_nodes", "session_entries"}},
		{&db.windows, []string{"session_windows", "sessions"}},
		{&db.archive, []string{"session_transcript_archives"}},
		{&db.cold, []string{"session_transcript_cold_archives"}},
	} {
		var err error
		if *table.shape, err = db.shape(ctx, table.names...); err != nil {
			return err
		}
	}
	if !db.events.has("session_id") || !db.events.has("seq") || !db.events.has("event_json") {
		if version > newestSchema && db.events.name != "" {
			return dbfile.ErrNewer
		}
		return dbfile.ErrForeign
	}
	return nil
}

// shape returns the first of the tables that exists.
func (db *database) shape(ctx context.Context, names ...string) (tableShape, error) {
	for _, name := range names {
		t := tableShape{name: name}
		err := db.Each(ctx, "SELECT name FROM pragma_table_info(?)", []any{name}, func(scan func(...any) error) error {
			var column string
			err := scan(&column)
			t.columns = append(t.columns, column)
			return err
		})
		if err != nil || len(t.columns) > 0 {
			return t, err
		}
	}
	return tableShape{}, nil
}
