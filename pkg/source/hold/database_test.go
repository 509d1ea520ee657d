package hold

import (
	"database/sql"
	"path/filepath"
	"testing"
)

// The name of a column is no SQL. The one here has an expression in it that cannot be evaluated.
func TestHostileColumn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.sqlite")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(`CREATE TABLE transcript_events(session_id TEXT, seq INTEGER, event_json TEXT);
		CREATE TABLE session_nodes(session_key TEXT PRIMARY KEY, current_session_id TEXT);
		INSERT INTO session_nodes VALUES('k', 's');
		ALTER TABLE session_nodes ADD COLUMN "json""||abs(-9223372036854775807 - 1)||""" TEXT DEFAULT 'a'`)
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	if err := (&holder{ctx: t.Context()}).searchDatabase(path); err != nil {
		t.Error(err)
	}
}
