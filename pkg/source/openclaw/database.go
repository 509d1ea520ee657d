package openclaw

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"clawctl/pkg/store/dbfile"
)

// NewestSchema is the user_version of the newest OpenClaw whose tables are known. The columns decide what can be read,
// not the number. A newer database is read with a remark, and refused if it lacks a column that is needed.
const NewestSchema = 26

// DatabaseOptions change how a database is opened and listed.
type DatabaseOptions struct {
	// Fast skips the check of the whole database for corruption.
	Fast bool
	// NamesOnly leaves out the sizes and times of sessions.
	NamesOnly bool
	// MeasureUpTo leaves out the sizes of the sessions in a database with more bytes than that, because adding them up
	// reads all of it. If it is 0, there is no limit.
	MeasureUpTo int64
}

// A Database is an OpenClaw database, opened without changing anything in its folder.
type Database struct {
	file      *dbfile.ReadOnlyDB
	path      string
	namesOnly bool // as in DatabaseOptions
	isLarge   bool // it has more bytes than DatabaseOptions.MeasureUpTo

	checking sync.Once
	checked  error

	events    tableShape
	nodes     tableShape // session_nodes, or session_entries before schema 14
	snapshots tableShape // fields of the nodes' registrations, since schema 24
	windows   tableShape // session_windows, or sessions
	archive   tableShape
	cold      tableShape
	meta      tableShape // what the database says about itself
	version   int
}

// Close closes the database and removes its private copy.
func (db *Database) Close() error { return db.file.Close() }

// DiscardCopy removes a private copy, even while it is still being read.
func (db *Database) DiscardCopy() error { return db.file.DiscardCopy() }

// A tableShape is a table with the name and the columns that it has in this database. The name is "" if there is no
// such table.
type tableShape struct {
	name    string
	columns []string
}

func (t tableShape) has(column string) bool { return slices.Contains(t.columns, column) }

// number returns the expression for a column with a number, or 0 if the table does not have the column.
func (t tableShape) number(name string) string {
	if !t.has(name) {
		return "0"
	}
	return wholeNumber(name)
}

// wholeNumber returns the expression for a number. A damaged row may have a text in its place.
func wholeNumber(expression string) string { return "CAST(coalesce(" + expression + ", 0) AS INTEGER)" }

// OpenDatabase opens a database. It fails if the database is not OpenClaw's, or if it is corrupt.
func OpenDatabase(ctx context.Context, path string, opts DatabaseOptions) (*Database, error) {
	file, err := dbfile.OpenReadOnly(ctx, path)
	if err != nil {
		return nil, err
	}
	db := &Database{file: file, path: path, namesOnly: opts.NamesOnly, isLarge: isLarger(path, opts.MeasureUpTo)}
	if err := db.check(ctx, opts); err != nil {
		db.Close()
		return nil, db.file.Classify(err)
	}
	return db, nil
}

// isLarger reports whether a file has more bytes than a limit, unless that is 0.
func isLarger(path string, limit int64) bool {
	info, err := os.Stat(path)
	return limit > 0 && err == nil && info.Size() > limit
}

// CheckWhole checks all of the database for corruption, once.
func (db *Database) CheckWhole(ctx context.Context) error {
	db.checking.Do(func() { db.checked = db.file.Classify(dbfile.QuickCheck(ctx, db.file.DB)) })
	return db.checked
}

// check checks that the database is OpenClaw's and, unless opts.Fast is set, that it is not corrupt. It notes the shape
// of the tables.
func (db *Database) check(ctx context.Context, opts DatabaseOptions) error {
	if !opts.Fast {
		if err := dbfile.QuickCheck(ctx, db.file.DB); err != nil {
			return err
		}
	}
	if err := db.file.DB.QueryRowContext(ctx, "PRAGMA user_version").Scan(&db.version); err != nil {
		return err
	}
	var missing []string
	for _, table := range db.tables() {
		var err error
		if *table.shape, err = db.shape(ctx, table.names...); err != nil {
			return err
		}
		lacks := table.missing()
		if len(lacks) > 0 && !db.IsNewer() && table.shape != &db.events {
			*table.shape = tableShape{} // an earlier schema: the table is not read
		}
		missing = append(missing, lacks...)
	}
	switch {
	case db.events.name == "" && !db.IsNewer() && db.isAgentDatabase(ctx):
		return ErrNoTranscripts
	case db.events.name == "":
		return dbfile.ErrForeign
	case len(missing) > 0 && db.IsNewer():
		return fmt.Errorf("%w: schema %d has no %s", dbfile.ErrNewer, db.version, strings.Join(missing, ", "))
	case len(db.tables()[0].missing()) > 0:
		return dbfile.ErrForeign
	}
	return nil
}

// IsNewer reports whether the database is newer than the newest schema that is known.
func (db *Database) IsNewer() bool { return db.version > NewestSchema }

// Version returns the number of the schema.
func (db *Database) Version() int { return db.version }

// IsLarge reports whether the sizes of its sessions are left out.
func (db *Database) IsLarge() bool { return db.isLarge }

// A neededTable is a table that is read if it exists, under the first of its names, and the columns that it must have.
// "a|b" means either column.
type neededTable struct {
	shape  *tableShape
	names  []string
	needed []string
}

// tables lists the tables that are read. The first one must exist.
func (db *Database) tables() []neededTable {
	return []neededTable{
		{&db.events, []string{"transcript_events"}, []string{"session_id", "seq", "event_json"}},
		{&db.nodes, []string{"session_nodes", "session_entries"},
			[]string{"session_key", "current_session_id|session_id"}},
		{&db.snapshots, []string{"session_entry_snapshots"}, []string{"session_key", "field", "value_json"}},
		{&db.windows, []string{"session_windows", "sessions"}, nil},
		{&db.archive, []string{"session_transcript_archives"},
			[]string{"session_id", "generation", "archive_blob", "archive_sha256"}},
		{&db.cold, []string{"session_transcript_cold_archives"},
			[]string{"session_id", "archive_name", "archive_blob", "archive_sha256"}},
		{&db.meta, []string{"schema_meta"}, nil},
	}
}

// missing returns the columns that an existing table lacks.
func (t neededTable) missing() []string {
	var list []string
	for _, column := range t.needed {
		if t.shape.name != "" && !slices.ContainsFunc(strings.Split(column, "|"), t.shape.has) {
			list = append(list, t.shape.name+"."+column)
		}
	}
	if t.shape.has("event_zstd") && !t.shape.has("event_utf8_bytes") {
		list = append(list, t.shape.name+".event_utf8_bytes")
	}
	return list
}

// shape returns the first of the tables that exists.
func (db *Database) shape(ctx context.Context, names ...string) (tableShape, error) {
	for _, name := range names {
		t, err := dbfile.ReadTable(ctx, db.file.DB, name)
		if err != nil || len(t.Columns) > 0 {
			return tableShape{name, t.Columns}, err
		}
	}
	return tableShape{}, nil
}
