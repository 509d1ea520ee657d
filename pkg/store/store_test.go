package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"clawctl/internal/testkit"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

func openStore(t *testing.T, path string) *store.SQLite {
	t.Helper()
	s, err := store.Open(context.Background(), path, store.Options{LockTimeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func newStore(t *testing.T) *store.SQLite {
	t.Helper()
	return openStore(t, filepath.Join(t.TempDir(), "s.db"))
}

// query reads the database of a store directly, as the sqlite3 shell does.
func query(t *testing.T, path, statement string, args ...any) (rows []string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	result, err := db.Query(statement, args...)
	if err != nil {
		t.Fatal(statement, err)
	}
	defer result.Close()
	columns, _ := result.Columns()
	for result.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := result.Scan(into...); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, strings.TrimSuffix(fmt.Sprintln(values...), "\n"))
	}
	if err := result.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestConformance(t *testing.T) {
	testContract(t, func(t *testing.T) store.SessionStore {
		s := newStore(t)
		for key, lines := range suiteSessions {
			if err := s.Save(context.Background(),
				&store.Conversation{Info: store.Info{Key: key}, Records: recordsOf(lines...)}); err != nil {
				t.Fatal(err)
			}
		}
		return s
	})
}

// The documented queries must use the indexes, and a program must be able to write with SQL alone.
func TestSQLContract(t *testing.T) {
	s := newStore(t)
	for statement, want := range map[string]string{
		"SELECT * FROM messages WHERE session_key = 'k' ORDER BY timestamp": "SEARCH messages USING INDEX " +
			"idx_messages_session (session_key=?)",
		"SELECT * FROM messages WHERE session_key = 'k' AND parent_id = 'p'": "SEARCH messages USING INDEX " +
			"idx_messages_parent (session_key=? AND parent_id=?)",
		"SELECT * FROM sessions WHERE key = 'k'": "SEARCH sessions USING INDEX " +
			"sqlite_autoindex_sessions_1 (key=?)",
		"SELECT count(*) FROM messages WHERE session_key = 'k' AND timestamp > 5": "SEARCH messages USING COVERING " +
			"INDEX idx_messages_session (session_key=? AND timestamp>?)",
	} {
		plan := strings.Join(query(t, s.Path(), "EXPLAIN QUERY PLAN "+statement), "\n")
		if !strings.Contains(plan, want) || strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "SCAN") {
			t.Errorf("%s\n%s", statement, plan)
		}
	}
	query(t, s.Path(), "INSERT INTO sessions VALUES ('by:hand', 1, 2, NULL)")
	for i := range 3 {
		query(t, s.Path(), "INSERT INTO messages(id, session_key, parent_id, type, timestamp, data) VALUES (?, "+
			"'by:hand', NULL, 'custom', ?, ?)", fmt.Sprint(i), 9-i, fmt.Sprintf(`{"type":"custom","id":"%d"}`, i))
	}
	if err := s.Append(context.Background(), "by:hand", record(`{"type":"custom","id":"3"}`)); err != nil {
		t.Fatal(err)
	}
	session, err := s.Load(context.Background(), "by:hand")
	if err != nil || session.Info.Records != 4 {
		t.Fatal(session.Info, err)
	}
	ids := ""
	for rec, err := range session.Records {
		if err != nil {
			t.Fatal(err)
		}
		ids += rec.ID()
	}
	if ids != "0123" {
		t.Error("wrong order:", ids)
	}
}

func TestRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		make string
		want error
	}{
		"another program's": {"CREATE TABLE people(name)", dbfile.ErrForeign},
		"another application": {"PRAGMA application_id = 7; PRAGMA user_version = 1; CREATE TABLE sessions(key)",
			dbfile.ErrForeign},
		"with an invalid version": {"PRAGMA application_id = 1668047223; PRAGMA user_version = -5; CREATE TABLE " +
			"sessions(key)", dbfile.ErrForeign},
		"written by a newer clawctl": {"PRAGMA application_id = 1668047223; PRAGMA user_version = 99; CREATE TABLE " +
			"sessions(key)", dbfile.ErrNewer},
	} {
		path := filepath.Join(t.TempDir(), "x.db")
		query(t, path, test.make)
		before, _ := os.ReadFile(path)
		if s, err := store.Open(context.Background(), path, store.Options{}); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
			s.Close()
		}
		if after, _ := os.ReadFile(path); string(before) != string(after) {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

// A file format that SQLite can read but not write is not reported as a read-only disk.
func TestNewerFormat(t *testing.T) {
	s := newStore(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data := testkit.Read(t, s.Path())
	data[18] = 3
	testkit.Write(t, s.Path(), data)
	if _, err := store.Open(context.Background(), s.Path(), store.Options{}); !errors.Is(err, dbfile.ErrNewer) {
		t.Error(err)
	}
}

func TestClosedStoreIsOneFile(t *testing.T) {
	folder := t.TempDir()
	s, err := store.Open(context.Background(), filepath.Join(folder, "s.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Append(context.Background(), "k", record(`{"type":"custom"}`)),
		s.Close()); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Error(entries, err)
	}
}

// A record appended after a line without a line end starts a new line.
func TestAppendAfterTail(t *testing.T) {
	ctx := context.Background()
	for _, tail := range []string{`{"type":"custom","id":"whole"}`, `{"type":"cus`} {
		s := newStore(t)
		b, err := s.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		tr := &store.Transcript{Key: "k", BaseKey: "k", SessionID: "k", Kind: "live"}
		if err := b.Create(tr, store.Metadata{}); err != nil {
			t.Fatal(err)
		}
		a, err := b.Extend(tr, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		liner, h := store.NewLiner(tr), newHash()
		rec := record(tail)
		h.Write(rec.Raw)
		if err := errors.Join(a.Add([]store.Line{liner.Line(rec)}), a.Finish(store.DigestOf(h)),
			b.Commit()); err != nil {
			t.Fatal(err)
		}
		if err := s.Append(ctx, "k", record(`{"type":"custom","id":"next"}`)); err != nil {
			t.Fatal(err)
		}
		list, err := s.Transcripts(ctx)
		if err != nil {
			t.Fatal(err)
		}
		text, err := s.Text(ctx, list[0], store.Whole)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(text)
		text.Close()
		if want := tail + "\n" + `{"type":"custom","id":"next"}` + "\n"; err != nil || string(got) != want ||
			list[0].Bytes != int64(len(want)) || list[0].Sum != sumOf(want) {
			t.Errorf("%q %+v %v", got, list[0], err)
		}
	}
}

func TestReaderSeesOneState(t *testing.T) {
	ctx := context.Background()
	s := newStore(t)
	for i := range 10 {
		if err := s.Append(ctx, "k", record(fmt.Sprintf(`{"type":"custom","id":"%d"}`, i))); err != nil {
			t.Fatal(err)
		}
	}
	session, err := s.Load(ctx, "k")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for rec, err := range session.Records {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, rec.ID())
		if err := s.Append(ctx, "k", record(`{"type":"custom","id":"meanwhile"}`)); err != nil {
			t.Fatal(err)
		}
	}
	if len(ids) != 10 || slices.Contains(ids, "meanwhile") {
		t.Error(ids)
	}
}

// Many processes may create the same store at once. Connections in one process are just as separate.
func TestConcurrentOpen(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), "s.db")
		results := make(chan error)
		for range 4 {
			go func() {
				s, err := store.Open(context.Background(), path, store.Options{LockTimeout: 10 * time.Second})
				if err == nil {
					err = s.Close()
				}
				results <- err
			}()
		}
		for range 4 {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
	}
}

// A file that is not a store is refused and left unchanged.
func TestOpenRefusesOtherFiles(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want error
	}{
		"text": {"not a database, but a text of more than a hundred bytes" + strings.Repeat(".", 100),
			dbfile.ErrForeign},
		"short": {"SQLite format 3\x00", dbfile.ErrCorrupt},
	} {
		path := filepath.Join(t.TempDir(), "s.db")
		testkit.Write(t, path, test.text)
		if _, err := store.Open(context.Background(), path, store.Options{}); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != test.text {
			t.Errorf("%s was changed: %v", name, err)
		}
	}
}

// Renaming or removing a session also changes its rows in other tables, with foreign keys and in bulk mode.
func TestRowsGoWithTheirSession(t *testing.T) {
	tables := []string{"messages", "transcripts", "quarantine", "framing", "receipts", "uncompared"}
	for _, bulk := range []bool{false, true} {
		t.Run(fmt.Sprintf("bulk=%v", bulk), func(t *testing.T) {
			ctx, s := context.Background(), newStore(t)
			if bulk {
				if err := s.Bulk(ctx); err != nil {
					t.Fatal(err)
				}
			}
			write := func(part func(b *store.Batch) error) {
				t.Helper()
				b, err := s.Begin(ctx)
				if err == nil {
					err = errors.Join(part(b), b.Commit())
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			tr := &store.Transcript{Key: "old", BaseKey: "old", SessionID: "s"}
			write(func(b *store.Batch) error { return fillEveryTable(b, tr) })
			write(func(b *store.Batch) error { return b.Rename(tr, "new", "", "live") })
			for _, table := range tables {
				if got := query(t, s.Path(), "SELECT session_key FROM "+table); !slices.Equal(got, []string{"new"}) {
					t.Errorf("%s after the rename: %q", table, got)
				}
			}
			write(func(b *store.Batch) error { return b.Drop("new") })
			for _, table := range append(tables, "sessions", "packed") {
				if got := query(t, s.Path(), "SELECT * FROM "+table); len(got) > 0 {
					t.Errorf("left in %s: %q", table, got)
				}
			}
		})
	}
}

// fillEveryTable adds a session with a row in each table.
func fillEveryTable(b *store.Batch, t *store.Transcript) error {
	if err := b.Create(t, store.Metadata{}); err != nil {
		return err
	}
	a, err := b.Extend(t, time.Now())
	if err != nil {
		return err
	}
	receipt := &store.ImportReceipt{Path: "p.jsonl.gz", SessionKey: t.Key}
	return errors.Join(
		a.Add([]store.Line{{Code: "CL102", Text: []byte("damaged\n")},
			{IsRecord: true, ID: "a", Text: []byte("{}"), Before: " ", After: "\r\n"}}),
		a.Finish(store.DigestOf(newHash())),
		b.MarkUncompared(t.Key), b.PutReceipt(receipt), b.PutPacked(receipt, strings.NewReader("packed")))
}

// Whatever a first import leaves that is killed before it has made the tables: readers say what it is, and the next
// import completes it.
func TestUnfinishedStore(t *testing.T) {
	for name, write := range map[string]func(t *testing.T, path string) error{
		"nothing": func(_ *testing.T, path string) error { return os.WriteFile(path, nil, 0o600) },
		"a page without tables": func(t *testing.T, path string) error {
			db, err := dbfile.OpenOwn(path, "")
			if err != nil {
				return err
			}
			defer db.Close()
			conn, err := db.Conn(t.Context())
			if err == nil {
				_, err = conn.ExecContext(t.Context(), "PRAGMA page_size = 32768; PRAGMA journal_mode = WAL")
				conn.Close()
			}
			return err
		},
	} {
		path := filepath.Join(t.TempDir(), "s.db")
		if err := write(t, path); err != nil {
			t.Fatal(err)
		}
		if _, err := store.OpenReader(t.Context(), path); !errors.Is(err, dbfile.ErrUnfinished) || !dbfile.Is(path) {
			t.Errorf("%s: %v", name, err)
		}
		s, err := store.Open(t.Context(), path, store.Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(name, err)
		}
		r, err := store.OpenReader(t.Context(), path)
		if err != nil {
			t.Fatal(name, err)
		}
		r.Close()
	}
}
