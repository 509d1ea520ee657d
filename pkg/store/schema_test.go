package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
)

// Opening a store with an older schema upgrades it in place and keeps a copy of the original beside it.
func TestMigration(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "s.db")
	old, err := Open(ctx, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	record := (&jsonl.Parser{}).Parse([]byte(`{"type":"custom","id":"kept"}`), 1, 0)
	if err := old.Append(ctx, "k", record); err != nil {
		t.Fatal(err)
	}
	old.Close()

	migrations = append(migrations, migration{statements: "ALTER TABLE sessions ADD COLUMN mood TEXT"})
	defer func() { migrations = migrations[:len(migrations)-1] }()
	s, err := Open(ctx, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var version, columns int
	if err := s.writer.QueryRowContext(ctx, "SELECT user_version, (SELECT count(*) FROM "+
		"pragma_table_info('sessions')) FROM pragma_user_version").Scan(&version, &columns); err != nil ||
		version != newest() || columns != 5 {
		t.Error(version, columns, err)
	}
	backup := fmt.Sprintf("%s.schema-%d.bak", path, newest()-1)
	if info, err := os.Stat(backup); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatal(info, err)
	}
	for _, file := range []string{path, backup} {
		r, err := OpenReader(ctx, file)
		if err != nil {
			t.Fatal(err)
		}
		session, err := r.Load(ctx, "k")
		if err != nil {
			t.Fatal(err)
		}
		for rec, err := range session.Records {
			if err != nil || rec.ID() != "kept" {
				t.Error(file, rec, err)
			}
		}
		r.Close()
	}
}

// A store keeps the size of pages that it was made with, and works as one of today's.
func TestOlderPages(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "s.db")
	create(t, path, "PRAGMA page_size = 32768", "CREATE TABLE first(x)", "DROP TABLE first")
	s, err := Open(ctx, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	line := `{"type":"custom","id":"kept","data":"` + strings.Repeat("x", 99_999) + `"}`
	record := (&jsonl.Parser{}).Parse([]byte(line), 1, 0)
	if err := s.Append(ctx, "k", record); err != nil {
		t.Fatal(err)
	}
	var size int
	if err := s.writer.QueryRowContext(ctx, "PRAGMA page_size").Scan(&size); err != nil || size != 32768 {
		t.Error(size, err)
	}
	session, err := s.Load(ctx, "k")
	if err != nil {
		t.Fatal(err)
	}
	for rec, err := range session.Records {
		if err != nil || string(rec.Text()) != string(record.Text()) {
			t.Error(rec, err)
		}
	}
}

// A store whose first page was lost when the power was cut is made again. Nothing else is taken for one.
func TestUnbornStore(t *testing.T) {
	const journalHead = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7\x00\x00\x00\x00nonc\x00\x00\x00"
	const sizes = "\x00\x00\x02\x00\x00\x01\x00\x00"
	journal := func(pages string) string { return journalHead + pages + sizes + strings.Repeat("\x00", 484) }
	zeros := strings.Repeat("\x00", pageSize)
	for name, c := range map[string]struct {
		file, journal string
		isUnborn      bool
	}{
		"zeros":                 {zeros, journal("\x00"), true},
		"a page before":         {zeros, journal("\x01"), false},
		"no journal":            {zeros, "", false},
		"a journal without end": {zeros, journalHead, false},
		"another file":          {zeros[1:] + "x", journal("\x00"), false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.db")
			for file, text := range map[string]string{path: c.file, path + "-journal": c.journal} {
				testkit.Write(t, file, text)
			}
			s, err := Open(context.Background(), path, Options{})
			if err == nil {
				s.Close()
			}
			if isUnborn := err == nil; isUnborn != c.isUnborn {
				t.Fatal(err)
			}
			if data, err := os.ReadFile(path); !c.isUnborn && (string(data) != c.file || err != nil) {
				t.Error("the file has changed", err)
			}
		})
	}
}

// create makes a database with statements.
func create(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}
