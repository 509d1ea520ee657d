package source

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Reasons why a database cannot be a source.
var (
	ErrCorrupt = errors.New("the database is corrupt")
	ErrForeign = errors.New("the database is not one of OpenClaw's")
	ErrNewer   = errors.New("the database is of a newer OpenClaw than clawctl knows")
	ErrLocked  = errors.New("the database is locked")
	ErrChanged = errors.New("the database was written while it was read")
)

// newestSchema is the user_version of the newest OpenClaw whose tables we have seen. The columns decide, not the number;
// it only tells a newer database from a foreign one where the columns do not fit.
const newestSchema = 23

// sqliteMagic opens every SQLite database.
var sqliteMagic = []byte("SQLite format 3\x00")

// IsDatabase reports whether a file is an SQLite database.
func IsDatabase(path string) bool {
	file, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, len(sqliteMagic))
	_, err = io.ReadFull(file, head)
	return err == nil && bytes.Equal(head, sqliteMagic)
}

// FindDatabase lists the sessions of one of OpenClaw's databases.
func FindDatabase(ctx context.Context, path string, opts Options) (*Place, error) {
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
		if s.Key == "" {
			s.Key = RecoveredKey(s.Agent, s.ID)
		}
	}
	place.sort()
	return place, nil
}

// A database is one of OpenClaw's, opened so that nothing in its folder changes.
type database struct {
	sql  *sql.DB
	path string
	copy string // the folder of a private copy, or ""

	atRest string // how it looked when it was opened as one that nobody writes; "" for other ways

	events  tableShape
	nodes   tableShape // session_nodes, or session_entries before schema 14
	windows tableShape // session_windows, or sessions
	archive tableShape
	cold    tableShape
}

// A tableShape is a table under the name that this database has for it, "" where it has none.
type tableShape struct {
	name    string
	columns []string
}

func (t tableShape) has(column string) bool { return slices.Contains(t.columns, column) }

func openDatabase(ctx context.Context, path string, opts Options) (*database, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	db := &database{path: path}
	dsn, err := db.dataSource(ctx, real)
	if err != nil {
		return nil, err
	}
	if db.sql, err = sql.Open("sqlite", dsn); err != nil {
		return nil, errors.Join(err, db.discardCopy())
	}
	db.sql.SetMaxIdleConns(0) // no file stays open between two questions
	if err := db.check(ctx, opts); err != nil {
		db.Close()
		return nil, db.classify(err)
	}
	return db, nil
}

// Close releases the database and a private copy.
func (db *database) Close() error { return errors.Join(db.sql.Close(), db.discardCopy()) }

func (db *database) discardCopy() error {
	if db.copy == "" {
		return nil
	}
	return os.RemoveAll(db.copy)
}

// classify says what an error of SQLite means for the user.
func (db *database) classify(err error) error {
	var failed *sqlite.Error
	switch {
	case err == nil || errors.Is(err, ErrCorrupt) || errors.Is(err, ErrForeign) || errors.Is(err, ErrNewer) || errors.Is(err, context.Canceled):
		return err
	case db.atRest != "" && db.atRest != fingerprint(db.path):
		return ErrChanged
	case !errors.As(err, &failed):
		return err
	}
	switch failed.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return ErrLocked
	case sqlite3.SQLITE_INTERRUPT:
		return context.Canceled
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PERM, sqlite3.SQLITE_FULL:
		return err
	}
	return fmt.Errorf("%w: %v", ErrCorrupt, err)
}

// dataSource decides how to open the database without leaving a trace. At rest, without a -shm, it is read as it is.
// Beside a live writer, whose -wal and -shm both stand, it is read like any reader would, but without write access to
// either. A -wal alone is what a crashed writer left, and a -journal a transaction that was never finished; reading them
// in place would create and change files, so a copy is read.
func (db *database) dataSource(ctx context.Context, path string) (string, error) {
	wal, shm, journal, err := siblings(path)
	if err != nil {
		return "", err
	}
	options := "mode=ro&immutable=1"
	switch {
	case wal >= 0 && shm >= 0:
		options = "mode=ro&readonly_shm=1"
	case wal > 0 || journal > 0:
		if db.copy, err = copyDatabase(ctx, path); err != nil {
			return "", err
		}
		path, options = filepath.Join(db.copy, copyName), "mode=rw"
	default:
		db.atRest = fingerprint(db.path)
	}
	options += "&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=query_only(1)&_pragma=busy_timeout(5000)"
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	slashed := filepath.ToSlash(absolute)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/...
	}
	return "file:" + (&url.URL{Path: slashed}).EscapedPath() + "?" + options, nil
}

// siblings returns the sizes of the files that belong to a database, -1 where there is none. SQLite would follow a link
// and wait for a pipe by those names; they are refused.
func siblings(path string) (wal, shm, journal int64, err error) {
	sizes := [4]int64{}
	for i, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		info, err := os.Lstat(path + suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist) && i > 0:
			sizes[i] = -1
		case err != nil:
			return 0, 0, 0, err
		case !info.Mode().IsRegular():
			return 0, 0, 0, &fs.PathError{Op: "open", Path: path + suffix, Err: errNotRegular}
		default:
			sizes[i] = info.Size()
		}
	}
	return sizes[1], sizes[2], sizes[3], nil
}

// copyName is the name of a database in its private folder.
const copyName = "copy.sqlite"

// copyDatabase copies a database with its log or journal into a private folder, again where they changed meanwhile.
func copyDatabase(ctx context.Context, path string) (folder string, err error) {
	if folder, err = os.MkdirTemp("", "clawctl-*"); err != nil { // 0700
		return "", err
	}
	for range 5 {
		before := fingerprint(path)
		if err = copyFiles(ctx, path, filepath.Join(folder, copyName)); err == nil && fingerprint(path) == before {
			return folder, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	os.RemoveAll(folder)
	if err == nil {
		err = ErrChanged
	}
	return "", err
}

func copyFiles(ctx context.Context, from, to string) error {
	for _, suffix := range []string{"", "-wal", "-journal"} {
		err := copyFile(ctx, from+suffix, to+suffix)
		if err != nil && !(suffix != "" && errors.Is(err, fs.ErrNotExist)) {
			return err
		}
	}
	return nil
}

// fingerprint changes when a database or its log is written.
func fingerprint(path string) string {
	var b strings.Builder
	for _, name := range []string{path, path + "-wal", path + "-journal"} {
		if info, err := os.Stat(name); err == nil {
			fmt.Fprintf(&b, "%d %d ", info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

func copyFile(ctx context.Context, from, to string) error {
	src, err := os.OpenFile(from, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	for err == nil {
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(dst, src, 16<<20)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return errors.Join(err, dst.Close())
}

// check makes sure that the database is sound, unless it is to be looked at fast, and one of OpenClaw's. It learns its
// shape.
func (db *database) check(ctx context.Context, opts Options) error {
	if !opts.Fast {
		var result string
		if err := db.sql.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&result); err != nil {
			return err
		}
		if result != "ok" {
			return ErrCorrupt
		}
	}
	var version int
	if err := db.sql.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
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
			return ErrNewer
		}
		return ErrForeign
	}
	return nil
}

// shape returns the first of the tables that exists.
func (db *database) shape(ctx context.Context, names ...string) (tableShape, error) {
	for _, name := range names {
		t := tableShape{name: name}
		err := db.each(ctx, "SELECT name FROM pragma_table_info(?)", []any{name}, func(scan func(...any) error) error {
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

// each calls row for every row of a query.
func (db *database) each(ctx context.Context, query string, args []any, row func(scan func(...any) error) error) error {
	rows, err := db.sql.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
