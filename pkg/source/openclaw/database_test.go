package openclaw

import (
	"clawctl/pkg/jsonl"
	"database/sql"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// A row that is longer than any line is not held in memory. The other rows are read, and the error comes at the end.
func TestLongRow(t *testing.T) {
	defer func(limit int64) { maxRow = limit }(maxRow)
	maxRow = 1 << 20
	path := filepath.Join(t.TempDir(), "x.sqlite")
	writeDatabase(t, path, `CREATE TABLE session_nodes(session_key TEXT PRIMARY KEY, current_session_id TEXT,
		entry_json TEXT);
		CREATE TABLE transcript_events(session_id TEXT, seq INTEGER, event_json TEXT, PRIMARY KEY(session_id, seq));
		CREATE TABLE session_transcript_archives(session_id TEXT, generation TEXT, archive_blob BLOB,
		archive_sha256 TEXT);
		INSERT INTO session_nodes VALUES('k', 'a', zeroblob(64 << 20));
		INSERT INTO transcript_events VALUES('a', 0, '{}'), ('a', 1, zeroblob(64 << 20)), ('a', 2, '[]'), ('b', 0, '{}');
		INSERT INTO session_transcript_archives VALUES('c', '1', zeroblob(64 << 20), '')`)
	bytes := allocated(func() {
		db, err := OpenDatabase(t.Context(), path, DatabaseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		sessions, err := db.Sessions(t.Context())
		if err != nil || len(sessions) != 3 {
			t.Fatal(sessions, err)
		}
		for _, s := range sessions {
			text, err := textOf(db, s)
			if s.ID == "a" && text != "{}\n[]\n" {
				t.Errorf("read %q", text)
			}
			var damage *jsonl.Damage
			if isLong := errors.As(err, &damage) && damage.Code == jsonl.TooLong; isLong != (s.ID != "b") {
				t.Errorf("%s: %v", s.ID, err)
			}
		}
	})
	if bytes > 16<<20 {
		t.Errorf("%.0f bytes were allocated", bytes)
	}
}

func writeDatabase(t *testing.T, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
}

// textOf returns what a database keeps of a session.
func textOf(db *Database, s DatabaseSession) (string, error) {
	if s.Storage != InRows {
		blob, err := db.ReadArchive(s)
		return string(blob), err
	}
	rows, err := db.OpenEvents(s.ID)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	text, err := io.ReadAll(rows)
	return string(text), err
}

// A value that is not one JSON value is not joined, and the registration stays as it is.
func TestBadSnapshot(t *testing.T) {
	const raw = `{"sessionId":"a","skillsSnapshot":1}`
	for _, value := range []string{"", "{", `1,"label":"planted"`, "1} {", strings.Repeat("[", 10_001)} {
		if got := withField(jsonl.Value(raw), "skillsSnapshot", value); string(got) != raw {
			t.Errorf("%.20q: %.80s", value, got)
		}
	}
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	if got := withField(jsonl.Value(raw), "skillsSnapshot", deep); string(got) != raw {
		t.Errorf("too deep: %.80s", got)
	}
}
