package store

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store/dbfile"
)

// hostileStore makes a store with one session and applies a statement to it.
func hostileStore(t *testing.T, statement string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	s, err := Open(context.Background(), path, Options{})
	if err == nil {
		err = s.Append(context.Background(), "k", (&jsonl.Parser{}).Parse([]byte(`{"type":"custom","id":"1"}`), 1, 0))
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	db, err := sql.Open("sqlite", path)
	if err == nil {
		_, err = db.Exec(statement)
	}
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	return path
}

// A store whose tables are queries is refused: they may have no end.
func TestStoreOfViews(t *testing.T) {
	path := hostileStore(t, `PRAGMA foreign_keys = 0; ALTER TABLE messages RENAME TO other;
CREATE VIEW messages AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n`)
	if _, err := OpenReader(context.Background(), path); !errors.Is(err, dbfile.ErrCorrupt) {
		t.Errorf("reading: %v", err)
	}
	if _, err := Open(context.Background(), path, Options{}); !errors.Is(err, dbfile.ErrCorrupt) {
		t.Errorf("writing: %v", err)
	}
}

// Nothing that others have added to the schema of a store is evaluated, neither when it is read nor when it is checked.
// Each of these would fail or never end.
func TestStoreWithExpressions(t *testing.T) {
	const fails = "abs(-9223372036854775807 - 1)"
	for name, test := range map[string]struct {
		statement string
		want      error
	}{
		"own column": {"ALTER TABLE messages ADD COLUMN x TEXT AS (" + fails + ")", dbfile.ErrCorrupt},
		"long default": {"ALTER TABLE messages ADD COLUMN x TEXT DEFAULT '" + strings.Repeat("x", 2000) + "'",
			dbfile.ErrCorrupt},
		"other column": {"CREATE TABLE t(a); INSERT INTO t VALUES (1); " +
			"ALTER TABLE t ADD COLUMN x TEXT AS (" + fails + ")", nil},
		"check": {"CREATE TABLE t(a CHECK (a <> 1)); PRAGMA ignore_check_constraints = 1; " +
			"INSERT INTO t VALUES (1)", nil},
		"index": {"CREATE INDEX x ON messages(" + fails + ") WHERE id = 'other'; PRAGMA writable_schema = 1; " +
			"UPDATE sqlite_schema SET sql = replace(sql, 'other', '1') WHERE name = 'x'", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := OpenReader(context.Background(), hostileStore(t, test.statement))
			if !errors.Is(err, test.want) {
				t.Fatal(err)
			}
			if err != nil {
				return
			}
			defer r.Close()
			if err := r.Check(context.Background()); err != nil {
				t.Error("quick check:", err)
			}
			faults, err := NewAuditor(context.Background(), r).Audit()
			if err != nil || slices.ContainsFunc(faults, func(f Problem) bool { return f.Kind == Damaged }) {
				t.Errorf("audit: %v, %v", faults, err)
			}
		})
	}
}

// A row that is longer than any line is an error, and not held in memory.
func TestStoreWithLongRow(t *testing.T) {
	defer func(limit int) { maxRow = limit }(maxRow)
	maxRow = 1 << 20
	path := hostileStore(t, "UPDATE messages SET data = '"+strings.Repeat("x", 2<<20)+"'")
	r, err := OpenReader(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	list, err := r.Transcripts(context.Background())
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	text, err := r.Text(context.Background(), list[0], Whole)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	if _, err := io.Copy(io.Discard, text); !errors.Is(err, dbfile.ErrCorrupt) {
		t.Error(err)
	}
}
