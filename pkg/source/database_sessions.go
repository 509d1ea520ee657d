package source

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// sessions lists every session of the database: those with events, the archives, and those in cold storage. Sessions in
// cold storage files are returned separately, by file name.
func (db *database) sessions(ctx context.Context, agent string) (list []*Session, cold map[string]*Session, err error) {
	entries, err := db.entries(ctx)
	if err == nil {
		list, err = db.eventSessions(ctx, agent, entries)
	}
	if err == nil && db.archive.name != "" {
		err = db.addArchives(ctx, agent, &list)
	}
	if err == nil && db.cold.name != "" {
		cold, err = db.addCold(ctx, agent, entries, &list)
	}
	version := db.appVersion(ctx)
	for _, s := range list {
		s.AppVersion = version
		s.stamp = func() (store.Stamp, error) { return databaseStamp(s), nil }
		s.checkDatabase = db.quickCheck
	}
	return list, cold, db.Classify(err)
}

// entries reads the registrations by session id. Several keys may share an id.
func (db *database) entries(ctx context.Context) (entryList, error) {
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
	err := db.Each(ctx, query, nil, func(scan func(...any) error) error {
		var key, id, text, field, value string
		err := scan(&key, &id, &text, &field, &value)
		if err == nil && id != "" {
			entries.add(key, id, text, field, value)
		}
		return err
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
		line := strings.ReplaceAll(text, "\n", " ")
		e := parseEntry(key, (&jsonl.Parser{Verbatim: true}).Parse([]byte(line), 1, 0).Value())
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
func (db *database) owner(column, by string) string {
	if !db.windows.has(column) || !db.windows.has(by) {
		return "''"
	}
	return "coalesce((SELECT w." + column + " FROM " + db.windows.name + " w WHERE w." + by +
		" = e.session_id LIMIT 1), '')"
}

// eventSessions lists the sessions that have events.
func (db *database) eventSessions(ctx context.Context, agent string, entries entryList) (list []*Session,
	err error) {
	query := "SELECT session_id, " + db.owner("session_key", "session_id") + ", " +
		db.owner("reason", "previous_session_id") + ", " + db.measures()
	err = db.Each(ctx, query, nil, func(scan func(...any) error) error {
		s := &Session{Agent: agent, Path: db.path, InDatabase: true, hasRows: true}
		var next string
		var modified int64
		if err := scan(&s.ID, &s.Key, &next, &s.Bytes, &modified); err != nil {
			return err
		}
		s.Modified = timeOfMillis(modified)
		s.place(entries, next)
		s.open = func() (*Input, error) { return db.openEvents(s, "") }
		s.endTime = func() time.Time { return db.lastTime(s) }
		if db.isLarge {
			s.measure = func(ctx context.Context) error { return db.measure(ctx, s) }
		}
		list = append(list, s)
		return nil
	})
	return list, err
}

// measure adds up the rows of one session.
func (db *database) measure(ctx context.Context, s *Session) error {
	query := "SELECT coalesce(" + db.sumOfBytes() + ", 0) FROM transcript_events WHERE session_id = ?"
	if err := db.QueryRowContext(ctx, query, s.ID).Scan(&s.Bytes); err != nil {
		return db.Classify(err)
	}
	s.measure = nil
	return nil
}

// sumOfBytes returns the expression for the size of rows as lines of a transcript.
func (db *database) sumOfBytes() string {
	size := "octet_length(event_json)"
	if db.events.has("event_zstd") {
		size += ", event_utf8_bytes"
	}
	return "CAST(sum(coalesce(" + size + ", 0) + 1) AS INTEGER)"
}

// measures returns the rest of the query for sessions: the columns for size and time, and the table with one row for
// each session. If sizes are not wanted, the index is asked for one id after the other, so that few rows are read.
func (db *database) measures() string {
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

// place makes a session of a database the current one of its key, or an earlier one. next is why its successor began.
func (s *Session) place(entries entryList, next string) {
	if own := entries[s.ID]; len(own) > 0 {
		s.Kind, s.Key, s.Entry, s.Listed = Live, own[0].Key, own[0], true
		for _, e := range own[1:] {
			s.alias(e.Key)
		}
		return
	}
	s.Kind, s.Generation = Archive, "window."+s.ID
	if next == "reset" {
		s.Kind = Reset
	}
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
func (db *database) addArchives(ctx context.Context, agent string, list *[]*Session) error {
	query := "SELECT session_id, generation, " + db.archive.column("session_key") + ", " + db.archive.column("reason") +
		", " + db.archive.column("archive_name") +
		", coalesce(octet_length(archive_blob), 0), " + db.archive.number("created_at") + " FROM " + db.archive.name
	return db.Each(ctx, query, nil, func(scan func(...any) error) error {
		s := &Session{Agent: agent, Path: db.path, InDatabase: true}
		var generation, reason, name string
		var created int64
		if err := scan(&s.ID, &generation, &s.Key, &reason, &name, &s.Bytes, &created); err != nil {
			return err
		}
		if s.Kind = Kind(reason); !slices.Contains(Kinds, s.Kind) {
			s.Kind = Archive
		}
		s.Modified, s.Generation = timeOfMillis(created), string(s.Kind)+"."+generation
		if parsed, ok := ParseName(name); ok && parsed.Generation != "" {
			s.Generation = parsed.Generation
		}
		s.open = func() (*Input, error) {
			return db.openBlob(s, "SELECT archive_blob, archive_sha256 FROM session_transcript_archives WHERE "+
				"session_id = ? AND generation = ?", s.ID, generation)
		}
		*list = append(*list, s)
		return nil
	})
}

// addCold lists the sessions in cold storage: those in the database and, separately by file name, those in files.
func (db *database) addCold(ctx context.Context, agent string, entries entryList,
	list *[]*Session) (map[string]*Session, error) {
	files := map[string]*Session{}
	query := "SELECT session_id, archive_name, archive_blob IS NOT NULL, " +
		"coalesce(octet_length(archive_blob), " + db.cold.number("archive_bytes") + "), " +
		db.owner("session_key", "session_id") + ", " +
		db.owner("reason", "previous_session_id") + " FROM " + db.cold.name + " e"
	err := db.Each(ctx, query, nil, func(scan func(...any) error) error {
		s := &Session{Agent: agent, Path: db.path, InDatabase: true}
		var name, next string
		var here bool
		if err := scan(&s.ID, &name, &here, &s.Bytes, &s.Key, &next); err != nil {
			return err
		}
		s.place(entries, next)
		if !here {
			files[name] = s
			return nil
		}
		s.open = func() (*Input, error) {
			in, err := db.openBlob(s, "SELECT archive_blob, archive_sha256 FROM session_transcript_cold_archives "+
				"WHERE session_id = ?", s.ID)
			if err != nil {
				return nil, err
			}
			return unwrapCold(in), nil
		}
		*list = append(*list, s)
		return nil
	})
	return files, err
}

// openBlob opens a blob after checking its checksum. The size of the session is that of the blob.
func (db *database) openBlob(s *Session, query string, args ...any) (*Input, error) {
	var blob []byte
	var want string
	if s.Bytes > maxRow {
		return nil, &jsonl.Damage{Code: jsonl.TooLong, Line: 1, Column: 1, Detail: fmt.Sprintf("an archive of %d bytes",
			s.Bytes)}
	}
	if err := db.QueryRow(query, args...).Scan(&blob, &want); err != nil {
		return nil, db.Classify(err)
	}
	if sum := sha256.Sum256(blob); hex.EncodeToString(sum[:]) != want {
		return nil, fmt.Errorf("%w: the archive does not match its checksum", dbfile.ErrCorrupt)
	}
	return Wrap(bytes.NewReader(blob), s.Place())
}

// openEvents opens the rows of a session as the lines of a transcript.
func (db *database) openEvents(s *Session, condition string) (*Input, error) {
	ctx, cancel := context.WithCancel(context.Background())
	rows, err := db.QueryContext(ctx, db.eventQuery(condition), s.ID)
	if err != nil {
		cancel()
		return nil, db.Classify(err)
	}
	reader := &eventReader{db: db, rows: rows}
	return &Input{Reader: reader, Name: s.Place(), Size: s.Bytes, finishes: func() {
		cancel()
		rows.Close()
		reader.frames.close()
	}}, nil
}

// lastRows leaves out all but the last rows of a session.
const lastRows = "AND seq >= (SELECT min(seq) FROM (SELECT seq FROM transcript_events l " +
	"WHERE l.session_id = transcript_events.session_id ORDER BY seq DESC LIMIT 8))"

// lastTime returns the time of the last row of a session that has one.
func (db *database) lastTime(s *Session) (last time.Time) {
	for _, condition := range []string{lastRows, ""} {
		in, err := db.openEvents(s, condition)
		if err != nil {
			return time.Time{}
		}
		last = new(endReader).lastTime(in)
		in.Close()
		if !last.IsZero() {
			return last
		}
	}
	return last
}

// eventQuery returns the query for the rows of a session that an eventReader reads. A condition may leave some out.
func (db *database) eventQuery(condition string) string {
	columns := "NULL, NULL, event_json IS NULL"
	if db.events.has("event_zstd") {
		columns = limited("event_zstd") + ", event_utf8_bytes, coalesce(event_json, event_zstd) IS NULL"
	}
	return "SELECT seq, octet_length(event_json), " + limited("event_json") + ", " + columns +
		" FROM transcript_events WHERE session_id = ? " + condition + " ORDER BY seq"
}
