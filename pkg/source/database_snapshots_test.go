package source

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store/dbfile"
)

// snapshotTable is the table that schema 24 adds, with one of its triggers.
const snapshotTable = `CREATE TABLE session_entry_snapshots(session_key TEXT NOT NULL, field TEXT NOT NULL,
	value_json TEXT NOT NULL, PRIMARY KEY(session_key, field)) STRICT, WITHOUT ROWID;
	CREATE TRIGGER session_entry_snapshots_after_insert AFTER INSERT ON session_entry_snapshots BEGIN
	UPDATE session_nodes SET snapshot_revision = snapshot_revision + 1 WHERE session_key = NEW.session_key; END;`

// migrateTo24 changes a database as OpenClaw's migration does: the new column is the last one.
func migrateTo24(t *testing.T, db *sql.DB) {
	t.Helper()
	must(t, db, "ALTER TABLE session_nodes ADD COLUMN snapshot_revision INTEGER NOT NULL DEFAULT 0;"+snapshotTable+
		"PRAGMA user_version = 24")
}

// createAs25 makes the tables anew, as a new database has them: the new column is the fourth one.
func createAs25(t *testing.T, db *sql.DB) {
	t.Helper()
	must(t, db, `CREATE TABLE fresh(session_key TEXT PRIMARY KEY, current_session_id TEXT, entry_json TEXT,
		snapshot_revision INTEGER NOT NULL DEFAULT 0, label TEXT);
		INSERT INTO fresh(session_key, current_session_id, entry_json) SELECT session_key, current_session_id, entry_json
		FROM session_nodes; DROP TABLE session_nodes; ALTER TABLE fresh RENAME TO session_nodes;`+snapshotTable+
		"PRAGMA user_version = 25")
}

// migrateTo26 adds the columns that schema 26 derives from the JSON.
func migrateTo26(t *testing.T, db *sql.DB) {
	t.Helper()
	migrateTo24(t, db)
	for _, column := range []string{
		"navigation_type TEXT", "navigation_custom_type TEXT", "navigation_display INTEGER", "message_role TEXT",
		"navigation_last_type TEXT", "navigation_last_custom_type TEXT", "navigation_valid INTEGER",
	} {
		must(t, db, "ALTER TABLE transcript_events ADD COLUMN "+column)
	}
	must(t, db, `ALTER TABLE session_nodes ADD COLUMN session_started_at INTEGER;
		ALTER TABLE session_nodes ADD COLUMN has_optional_references INTEGER; PRAGMA user_version = 26`)
}

// insertSnapshots adds registrations of every shape, each with a session.
func insertSnapshots(t *testing.T, db *sql.DB) (want map[string]string) {
	t.Helper()
	want = map[string]string{}
	for i, row := range []struct{ entry, fields, want string }{
		{`{"sessionId":"n0","label":"x"}`, `{"skillsSnapshot":{"version":7},"systemPromptReport":null}`,
			`{"sessionId":"n0","label":"x","skillsSnapshot":{"version":7},"systemPromptReport":null}`},
		{`{"skillsSnapshot":{"version":1},"sessionId":"n1"}`, `{"skillsSnapshot":{"version":2}}`,
			`{"sessionId":"n1","skillsSnapshot":{"version":2}}`}, // the table wins
		{`{"skillsSnapshot":{"version":1},"sessionId":"n2"}`, `{}`, `{"skillsSnapshot":{"version":1},"sessionId":"n2"}`},
		{`{"sessionId":"n3","large":12345678901234567890,"large":1.0}`, `{"sessionDiffBaseline":[1e3]}`,
			`{"sessionId":"n3","large":12345678901234567890,"large":1.0,"sessionDiffBaseline":[1e3]}`},
		{`{"sessionId":"n4"`, `{"skillsSnapshot":1}`, ``},
	} {
		id, key := fmt.Sprintf("n%d", i), fmt.Sprintf("agent:main:n%d", i)
		must(t, db, "INSERT INTO session_nodes(session_key, current_session_id, entry_json) VALUES(?, ?, ?)", key, id,
			row.entry)
		must(t, db, "INSERT INTO transcript_events(session_id, seq, event_json) VALUES(?, 0, '{}')", id)
		for field, value := range jsonl.Value(row.fields).Members() {
			must(t, db, "INSERT INTO session_entry_snapshots(session_key, field, value_json) VALUES(?, ?, ?)", key, field,
				string(value))
		}
		want[id] = row.want
	}
	return want
}

// A registration includes the fields that schemas since 24 keep in a table of their own.
func TestSnapshots(t *testing.T) {
	for name, reshape := range map[string]func(*testing.T, *sql.DB){
		"24": migrateTo24, "25": createAs25, "26": migrateTo26,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.sqlite")
			db := newDatabase(t, path, schemaNodes)
			reshape(t, db)
			want := insertSnapshots(t, db)
			db.Close()
			checkSessions(t, path)
			entries := entriesOf(t, path)
			for id, entry := range want {
				if got, found := entries[id]; !found || got != entry {
					t.Errorf("%s: %s, want %s", id, got, entry)
				}
			}
		})
	}
}

// entriesOf returns the registrations of a database as they are exported.
func entriesOf(t *testing.T, path string) map[string]string {
	t.Helper()
	p, err := FindDatabase(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if len(p.Problems) > 0 {
		t.Errorf("%v", p.Problems)
	}
	entries := map[string]string{}
	for _, s := range p.Sessions {
		entries[s.ID] = string(s.Entry.Raw)
	}
	return entries
}

// The example of schema 24 has the whole registrations beside it.
func TestSharedSnapshots(t *testing.T) {
	folder := shared + "openclaw-sqlite-24/"
	expected, err := os.ReadFile(folder + "entries.expected.json")
	if err != nil {
		t.Skip("needs ../shared/transcripts")
	}
	var want map[string]any
	if err := json.Unmarshal(expected, &want); err != nil {
		t.Fatal(err)
	}
	got := map[string]any{}
	for _, s := range find(t, folder).Sessions {
		var entry any
		if err := json.Unmarshal(s.Entry.Raw, &entry); err != nil {
			t.Errorf("%s: %v", s.Key, err)
		}
		got[s.Key] = entry
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A newer schema is read with one remark if it has the columns that are needed, and refused otherwise.
func TestNewerSchemas(t *testing.T) {
	for change, refused := range map[string]string{
		"": "",
		"PRAGMA user_version = 30; CREATE TABLE extra(x)":                            "",
		"ALTER TABLE session_transcript_archives DROP COLUMN created_at":             "",
		"ALTER TABLE transcript_events RENAME COLUMN event_json TO body":             "events.event_json",
		"ALTER TABLE transcript_events RENAME COLUMN event_utf8_bytes TO size":       "event_utf8_bytes",
		"ALTER TABLE session_nodes RENAME COLUMN current_session_id TO current":      "nodes.current",
		"ALTER TABLE session_entry_snapshots RENAME COLUMN value_json TO value":      "value_json",
		"ALTER TABLE session_transcript_archives RENAME COLUMN archive_blob TO blob": "archive_blob",
	} {
		path := filepath.Join(t.TempDir(), "x.sqlite")
		db := newDatabase(t, path, schemaNodes)
		migrateTo24(t, db)
		must(t, db, "PRAGMA user_version = 27; "+change)
		db.Close()
		p, err := FindDatabase(context.Background(), path, Options{})
		if refused != "" {
			if !errors.Is(err, dbfile.ErrNewer) || !strings.Contains(err.Error(), refused) {
				t.Errorf("%s: %v", change, err)
			}
			continue
		}
		if err != nil || len(p.Problems) != 1 || p.Problems[0].Code != NewerSchema {
			t.Fatalf("%s: %v %v", change, p, err)
		}
		p.Close()
		checkSessions(t, path)
	}
}

// A row without text is an error, not an empty line.
func TestRowWithoutText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.sqlite")
	db := newDatabase(t, path, schemaNodes)
	must(t, db, "UPDATE transcript_events SET event_json = NULL, event_zstd = NULL WHERE session_id = 's2' AND seq = 2")
	must(t, db, "INSERT INTO transcript_events(session_id, seq, event_json) VALUES('s1', 1, '')")
	db.Close()
	p, err := FindDatabase(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	facts := Inspect(context.Background(), p.Sessions, 1)
	for i, s := range p.Sessions {
		if isBroken := errors.Is(facts[i].Err, dbfile.ErrCorrupt); isBroken != (s.ID == "s2") {
			t.Errorf("%s: %v", s.ID, facts[i].Err)
		}
	}
}
