package openclaw

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store/dbfile"
)

// A Storage says how a database keeps a transcript.
type Storage int

// The ways to keep a transcript.
const (
	InRows     Storage = iota // an event in each row
	InArchive                 // compressed, in one value
	InColdRow                 // a cold archive, in one value
	InColdFile                // a cold archive, in a file
)

// A DatabaseSession is what a database says about one of its transcripts.
type DatabaseSession struct {
	ID       string
	Key      string
	Storage  Storage
	Bytes    int64 // as stored; 0 if they were not added up
	Modified time.Time

	Entries []Entry // registrations with its id
	Next    string  // why its successor began, or ""

	// Generation and Reason are those of an archive. File is the name that it had, or the name of a cold archive.
	Generation, Reason, File string
}

// Sessions lists every session of the database: those with events, the archives, and those in cold storage. It returns
// those that it could read besides an error.
func (db *Database) Sessions(ctx context.Context) ([]DatabaseSession, error) {
	entries, err := db.entries(ctx)
	if err != nil {
		return nil, db.file.Classify(err)
	}
	list, err := db.eventSessions(ctx, entries)
	if err == nil && db.archive.name != "" {
		err = db.addArchives(ctx, &list)
	}
	if err == nil && db.cold.name != "" {
		err = db.addCold(ctx, entries, &list)
	}
	return list, db.file.Classify(err)
}

// entries reads the registrations by session id. Several keys may share an id.
func (db *Database) entries(ctx context.Context) (entryList, error) {
	entries := entryList{}
	if db.nodes.name == "" {
		return entries, nil
	}
	current := "current_session_id"
	if !db.nodes.has(current) {
		current = "session_id"
	}
	fields, join := db.snapshotColumns()
	query := "SELECT " + db.nodes.column("session_key") + ", " + db.nodes.column(current) + ", " +
		db.nodes.column("entry_json") + ", " + fields + " FROM " + db.nodes.name + join + " ORDER BY 1, 4"
	err := db.file.Each(ctx, query, nil, func(scan func(...any) error) error {
		var key, id, text, field, value string
		err := scan(&key, &id, &text, &field, &value)
		if err != nil {
			return err
		}
		if id != "" {
			entries.add(key, id, text, field, value)
		}
		return nil
	})
	return entries, err
}

// An entryList holds the registrations of a database by session id.
type entryList map[string][]Entry

// add adds a row: a registration, and one of its fields if that is in a table of its own. A registration with several
// such fields has a row for each.
func (l entryList) add(key, id, text, field, value string) {
	known := l[id]
	if len(known) == 0 || field == "" || known[len(known)-1].Key != key {
		e := ParseEntry(key, parseWhole([]byte(text)).Value())
		e.Key, e.SessionID, e.File = key, id, ""
		known = append(known, e)
		l[id] = known
	}
	if last := &known[len(known)-1]; field != "" {
		last.Raw = withField(last.Raw, field, value)
	}
}

// maxRow is the maximum size of a value that is read from a database, the same as that of a line. SQLite holds a value
// in memory as a whole. Tests make it smaller.
var maxRow int64 = jsonl.DefaultMaxLine

// limited returns the expression for a column, or NULL if its value is too large. SQLite knows the size without reading
// the value.
func limited(column string) string {
	return fmt.Sprintf("CASE WHEN octet_length(%[1]s) <= %[2]d THEN %[1]s END", column, maxRow)
}

// column returns the expression for a text column, or that of an empty text if the table does not have the column.
func (t tableShape) column(name string) string {
	if !t.has(name) {
		return "''"
	}
	return "coalesce(" + limited(t.name+"."+name) + ", '')"
}

// owner returns the expression for a column of the window of session e.
func (db *Database) owner(column, by string) string {
	if !db.windows.has(column) || !db.windows.has(by) {
		return "''"
	}
	return "coalesce((SELECT w." + column + " FROM " + db.windows.name + " w WHERE w." + by +
		" = e.session_id LIMIT 1), '')"
}

func (db *Database) eventSessions(ctx context.Context, entries entryList) (list []DatabaseSession, err error) {
	query := "SELECT session_id, " + db.owner("session_key", "session_id") + ", " +
		db.owner("reason", "previous_session_id") + ", " + db.measures()
	err = db.file.Each(ctx, query, nil, func(scan func(...any) error) error {
		s := DatabaseSession{Storage: InRows}
		var modified int64
		if err := scan(&s.ID, &s.Key, &s.Next, &s.Bytes, &modified); err != nil {
			return err
		}
		s.Modified, s.Entries = timeOfMillis(modified), entries[s.ID]
		list = append(list, s)
		return nil
	})
	return list, err
}

// Measure adds up the rows of one session.
func (db *Database) Measure(ctx context.Context, id string) (bytes int64, err error) {
	query := "SELECT coalesce(" + db.sumOfBytes() + ", 0) FROM transcript_events WHERE session_id = ?"
	err = db.file.DB.QueryRowContext(ctx, query, id).Scan(&bytes)
	return bytes, db.file.Classify(err)
}

// sumOfBytes returns the expression for the size of rows as lines of a transcript.
func (db *Database) sumOfBytes() string {
	size := "octet_length(event_json)"
	if db.events.has("event_zstd") {
		size += ", event_utf8_bytes"
	}
	return "CAST(sum(coalesce(" + size + ", 0) + 1) AS INTEGER)"
}

// measures returns the rest of the query for sessions: the columns for size and time, and the table with one row for
// each session. If sizes are not wanted, the index is asked for one id after the other, so that few rows are read.
func (db *Database) measures() string {
	const next = "SELECT min(session_id) FROM transcript_events"
	const ids = " FROM (WITH RECURSIVE ids(session_id) AS (" + next + " UNION ALL SELECT (" + next +
		" WHERE session_id > ids.session_id) FROM ids WHERE ids.session_id IS NOT NULL) " +
		"SELECT session_id FROM ids WHERE session_id IS NOT NULL) e"
	hasTime := db.events.has("created_at")
	switch {
	case db.namesOnly || db.isLarge && !hasTime:
		return "0, 0" + ids
	case db.isLarge:
		return "0, " + wholeNumber("(SELECT created_at FROM transcript_events t WHERE t.session_id = e.session_id "+
			"ORDER BY seq DESC LIMIT 1)") + ids
	}
	created := "0"
	if hasTime {
		created = wholeNumber("max(created_at)")
	}
	return db.sumOfBytes() + ", " + created + " FROM transcript_events e WHERE session_id IS NOT NULL GROUP BY session_id"
}

// timeOfMillis converts milliseconds to a time. The result is zero if they are out of range.
func timeOfMillis(ms int64) time.Time {
	t, ok := jsonl.ParseTime(jsonl.Value(strconv.FormatInt(ms, 10)))
	if !ok {
		return time.Time{}
	}
	return t
}

// addArchives lists the transcripts that OpenClaw keeps as blobs.
func (db *Database) addArchives(ctx context.Context, list *[]DatabaseSession) error {
	query := "SELECT session_id, generation, " + db.archive.column("session_key") + ", " + db.archive.column("reason") +
		", " + db.archive.column("archive_name") +
		", coalesce(octet_length(archive_blob), 0), " + db.archive.number("created_at") + " FROM " + db.archive.name
	return db.file.Each(ctx, query, nil, func(scan func(...any) error) error {
		s := DatabaseSession{Storage: InArchive}
		var created int64
		if err := scan(&s.ID, &s.Generation, &s.Key, &s.Reason, &s.File, &s.Bytes, &created); err != nil {
			return err
		}
		s.Modified = timeOfMillis(created)
		*list = append(*list, s)
		return nil
	})
}

// addCold lists the sessions in cold storage.
func (db *Database) addCold(ctx context.Context, entries entryList, list *[]DatabaseSession) error {
	query := "SELECT session_id, archive_name, archive_blob IS NOT NULL, " +
		"coalesce(octet_length(archive_blob), " + db.cold.number("archive_bytes") + "), " +
		db.owner("session_key", "session_id") + ", " +
		db.owner("reason", "previous_session_id") + " FROM " + db.cold.name + " e"
	return db.file.Each(ctx, query, nil, func(scan func(...any) error) error {
		s := DatabaseSession{Storage: InColdFile}
		var here bool
		if err := scan(&s.ID, &s.File, &here, &s.Bytes, &s.Key, &s.Next); err != nil {
			return err
		}
		if here {
			s.Storage = InColdRow
		}
		s.Entries = entries[s.ID]
		*list = append(*list, s)
		return nil
	})
}

// ReadArchive returns the blob of a session that is kept as one, after checking its checksum.
func (db *Database) ReadArchive(s DatabaseSession) ([]byte, error) {
	if s.Bytes > maxRow {
		return nil, &jsonl.Damage{Code: jsonl.TooLong, Line: 1, Column: 1, Detail: fmt.Sprintf("an archive of %d bytes",
			s.Bytes)}
	}
	query, args := "SELECT archive_blob, archive_sha256 FROM session_transcript_cold_archives WHERE session_id = ?",
		[]any{s.ID}
	if s.Storage == InArchive {
		query = "SELECT archive_blob, archive_sha256 FROM session_transcript_archives WHERE session_id = ? AND generation = ?"
		args = append(args, s.Generation)
	}
	var blob []byte
	var want string
	if err := db.file.DB.QueryRow(query, args...).Scan(&blob, &want); err != nil {
		return nil, db.file.Classify(err)
	}
	if sum := sha256.Sum256(blob); hex.EncodeToString(sum[:]) != want {
		return nil, fmt.Errorf("%w: the archive does not match its checksum", dbfile.ErrCorrupt)
	}
	return blob, nil
}

// OpenEvents opens the rows of a session as the lines of a transcript.
func (db *Database) OpenEvents(id string) (io.ReadCloser, error) { return db.openEvents(id, "") }

// OpenLastEvents opens only the last rows of a session.
func (db *Database) OpenLastEvents(id string) (io.ReadCloser, error) {
	return db.openEvents(id, lastRows)
}

func (db *Database) openEvents(id, condition string) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancel(context.Background())
	rows, err := db.file.DB.QueryContext(ctx, db.eventQuery(condition), id)
	if err != nil {
		cancel()
		return nil, db.file.Classify(err)
	}
	return &eventReader{db: db, rows: rows, cancel: cancel}, nil
}

// lastRows leaves out all but the last rows of a session.
const lastRows = "AND seq >= (SELECT min(seq) FROM (SELECT seq FROM transcript_events l " +
	"WHERE l.session_id = transcript_events.session_id ORDER BY seq DESC LIMIT 8))"

// eventQuery returns the query for the rows of a session that an eventReader reads. A condition may leave some out.
func (db *Database) eventQuery(condition string) string {
	columns := "NULL, NULL, event_json IS NULL"
	if db.events.has("event_zstd") {
		columns = limited("event_zstd") + ", event_utf8_bytes, coalesce(event_json, event_zstd) IS NULL"
	}
	return "SELECT seq, octet_length(event_json), " + limited("event_json") + ", " + columns +
		" FROM transcript_events WHERE session_id = ? " + condition + " ORDER BY seq"
}
