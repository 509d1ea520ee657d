package source

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clawctl/pkg/jsonl"

	_ "modernc.org/sqlite" // the driver
)

// Reasons why a database cannot be a source.
var (
	ErrCorrupt = errors.New("the database is corrupt")
	ErrForeign = errors.New("the database is not one of OpenClaw's")
	ErrNewer   = errors.New("the database is of a newer OpenClaw than clawctl knows")
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
func FindDatabase(path string) (*Place, error) {
	db, err := openDatabase(path)
	if err != nil {
		return nil, err
	}
	place := &Place{Path: path, Databases: []string{path}, closers: []io.Closer{db}}
	absolute, err := filepath.Abs(path)
	if err != nil {
		absolute = path
	}
	if place.Sessions, err = db.sessions(agentOf(absolute)); err != nil {
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

	nodes   tableShape // session_nodes, or session_entries before schema 14
	windows tableShape // session_windows, or sessions
	zstd    bool       // transcript_events has compressed rows
	archive bool       // there are archive blobs
}

// A tableShape is a table under the name that this database has for it, "" where it has none.
type tableShape struct {
	name    string
	columns []string
}

func (t tableShape) has(column string) bool { return slices.Contains(t.columns, column) }

func openDatabase(path string) (*database, error) {
	db := &database{path: path}
	dsn, err := db.dataSource()
	if err != nil {
		return nil, err
	}
	if db.sql, err = sql.Open("sqlite", dsn); err != nil {
		return nil, err
	}
	if err := db.check(); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// Close releases the database and a private copy.
func (db *database) Close() error {
	err := db.sql.Close()
	if db.copy != "" {
		err = errors.Join(err, os.RemoveAll(db.copy))
	}
	return err
}

// dataSource decides how to open the database without leaving a trace. Without a write-ahead log it is read as it is.
// Beside a live writer, whose -wal and -shm both stand, it is read like any reader would, but without write access to
// either. A -wal alone is what a crashed writer left; reading it in place would create a -shm, so a copy is read.
func (db *database) dataSource() (string, error) {
	path, options := db.path, "mode=ro&immutable=1"
	wal, shm := fileSize(path+"-wal") > 0, fileSize(path+"-shm") >= 0
	switch {
	case wal && shm:
		options = "mode=ro&readonly_shm=1"
	case wal:
		copied, err := copyDatabase(path)
		if err != nil {
			return "", err
		}
		db.copy, path, options = filepath.Dir(copied), copied, "mode=rw"
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

// fileSize returns -1 for a file that is not there.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

// copyDatabase copies a database and its -wal into a private folder, again where they changed meanwhile.
func copyDatabase(path string) (string, error) {
	folder, err := os.MkdirTemp("", "clawctl-*") // 0700
	if err != nil {
		return "", err
	}
	copied := filepath.Join(folder, "copy.sqlite")
	for range 5 {
		before := fingerprint(path)
		err = errors.Join(copyFile(path, copied), copyFile(path+"-wal", copied+"-wal"))
		if err == nil && fingerprint(path) == before {
			return copied, nil
		}
	}
	os.RemoveAll(folder)
	return "", errors.Join(fmt.Errorf("copy %s: it keeps changing", path), err)
}

// fingerprint changes when a database or its log is written.
func fingerprint(path string) string {
	var b strings.Builder
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			fmt.Fprintf(&b, "%d %d ", info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

func copyFile(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}

// check makes sure that the database is sound and one of OpenClaw's, and learns its shape.
func (db *database) check() error {
	var result string
	if err := db.sql.QueryRow("PRAGMA quick_check(1)").Scan(&result); err != nil {
		return fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	if result != "ok" {
		return ErrCorrupt
	}
	var version int
	if err := db.sql.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	events, err := db.shape("transcript_events")
	if err != nil {
		return err
	}
	if !events.has("session_id") || !events.has("seq") || !events.has("event_json") {
		if version > newestSchema && events.name != "" {
			return ErrNewer
		}
		return ErrForeign
	}
	db.zstd = events.has("event_zstd")
	if db.nodes, err = db.shape("session_nodes", "session_entries"); err != nil {
		return err
	}
	if db.windows, err = db.shape("session_windows", "sessions"); err != nil {
		return err
	}
	archives, err := db.shape("session_transcript_archives")
	db.archive = archives.has("archive_blob")
	return err
}

// shape returns the first of the tables that exists.
func (db *database) shape(names ...string) (tableShape, error) {
	for _, name := range names {
		columns, err := queryColumn(db.sql, "SELECT name FROM pragma_table_info(?)", name)
		if err != nil {
			return tableShape{}, fmt.Errorf("%w: %v", ErrCorrupt, err)
		}
		if len(columns) > 0 {
			return tableShape{name, columns}, nil
		}
	}
	return tableShape{}, nil
}

func queryColumn(db *sql.DB, query string, args ...any) (list []string, err error) {
	rows, err := db.Query(query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, rows.Err()
}

// sessions lists every session of the database: the windows with their events, and the archives.
func (db *database) sessions(agent string) ([]*Session, error) {
	entries, err := db.entries()
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	list, err := db.windowSessions(agent, entries)
	if err == nil && db.archive {
		var archived []*Session
		archived, err = db.archivedSessions(agent)
		list = append(list, archived...)
	}
	if err != nil {
		err = fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	return list, err
}

// entries reads the registrations by session id.
func (db *database) entries() (map[string]Entry, error) {
	entries := map[string]Entry{}
	current := "current_session_id"
	if !db.nodes.has(current) {
		current = "session_id"
	}
	if !db.nodes.has(current) || !db.nodes.has("session_key") || !db.nodes.has("entry_json") {
		return entries, nil
	}
	rows, err := db.sql.Query("SELECT session_key, " + current + ", coalesce(entry_json, '') FROM " + db.nodes.name)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var key, id, text string
		if err := rows.Scan(&key, &id, &text); err != nil {
			return nil, err
		}
		line := strings.ReplaceAll(text, "\n", " ")
		e := parseEntry(key, (&jsonl.Parser{}).Parse([]byte(line), 1, 0).Value())
		e.Key, e.SessionID, e.File = key, id, ""
		entries[id] = e
	}
	return entries, rows.Err()
}

// windowSessions lists the sessions that have events. One that is not the current session of its key is an earlier
// generation.
func (db *database) windowSessions(agent string, entries map[string]Entry) ([]*Session, error) {
	size := "octet_length(event_json)"
	if db.zstd {
		size = "coalesce(octet_length(event_json), event_utf8_bytes)"
	}
	key, reason := "NULL", "NULL"
	if db.windows.has("session_key") {
		key = "(SELECT w.session_key FROM " + db.windows.name + " w WHERE w.session_id = e.session_id)"
	}
	if db.windows.has("previous_session_id") && db.windows.has("reason") {
		reason = "(SELECT w.reason FROM " + db.windows.name + " w WHERE w.previous_session_id = e.session_id LIMIT 1)"
	}
	rows, err := db.sql.Query("SELECT session_id, coalesce(" + key + ", ''), coalesce(" + reason + ", ''), sum(" + size + " + 1), max(created_at) FROM transcript_events e GROUP BY session_id")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []*Session
	for rows.Next() {
		s := &Session{Agent: agent, Kind: Live, Path: db.path, InDatabase: true}
		var next string
		var modified int64
		if err := rows.Scan(&s.ID, &s.Key, &next, &s.Bytes, &modified); err != nil {
			return nil, err
		}
		s.Modified = time.UnixMilli(modified)
		if e, current := entries[s.ID]; current {
			s.Key, s.Entry, s.Listed = e.Key, e, true
		} else {
			s.Kind, s.Generation = Archive, "window."+s.ID
			if next == "reset" {
				s.Kind = Reset
			}
		}
		s.open = func() (*Input, error) { return db.openEvents(s) }
		list = append(list, s)
	}
	return list, rows.Err()
}

// archivedSessions lists the transcripts that OpenClaw keeps as blobs.
func (db *database) archivedSessions(agent string) ([]*Session, error) {
	rows, err := db.sql.Query("SELECT session_id, generation, session_key, reason, encoding, archive_name, length(archive_blob), created_at FROM session_transcript_archives")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []*Session
	for rows.Next() {
		s := &Session{Agent: agent, Path: db.path, InDatabase: true}
		var generation, encoding, name string
		var created int64
		if err := rows.Scan(&s.ID, &generation, &s.Key, &s.Kind, &encoding, &name, &s.Bytes, &created); err != nil {
			return nil, err
		}
		s.Modified, s.Generation = time.UnixMilli(created), string(s.Kind)+"."+generation
		if parsed, ok := ParseName(name); ok && parsed.Generation != "" {
			s.Generation = parsed.Generation
		}
		s.open = func() (*Input, error) { return db.openArchive(s.ID, generation, s.Path) }
		list = append(list, s)
	}
	return list, rows.Err()
}

// openArchive opens a blob after comparing it with its checksum.
func (db *database) openArchive(id, generation, name string) (*Input, error) {
	var blob []byte
	var want string
	err := db.sql.QueryRow("SELECT archive_blob, archive_sha256 FROM session_transcript_archives WHERE session_id = ? AND generation = ?", id, generation).Scan(&blob, &want)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	if sum := sha256.Sum256(blob); hex.EncodeToString(sum[:]) != want {
		return nil, fmt.Errorf("%w: the archive does not fit its checksum", ErrCorrupt)
	}
	return Wrap(bytes.NewReader(blob), name)
}

// openEvents opens the rows of a session as the lines that they were.
func (db *database) openEvents(s *Session) (*Input, error) {
	columns := "event_json, NULL, NULL"
	if db.zstd {
		columns = "event_json, event_zstd, event_utf8_bytes"
	}
	ctx, cancel := context.WithCancel(context.Background())
	rows, err := db.sql.QueryContext(ctx, "SELECT seq, "+columns+" FROM transcript_events WHERE session_id = ? ORDER BY seq", s.ID)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	reader := &eventReader{rows: rows}
	return &Input{Reader: reader, Name: s.Path + "#" + s.ID, Size: s.Bytes, finishes: func() {
		cancel()
		rows.Close()
		reader.frames.close()
	}}, nil
}
