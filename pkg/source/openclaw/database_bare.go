package openclaw

import (
	"context"
	"errors"
	"path/filepath"
)

// ErrNoTranscripts is the error of an OpenClaw database from before transcripts were kept in databases, or of an empty
// one.
var ErrNoTranscripts = errors.New("the database has no transcripts")

// agentTables are the tables that OpenClaw's databases had before they held transcripts.
var agentTables = []string{"schema_meta", "cache_entries", "auth_profile_store", "auth_profile_state"}

// isAgentDatabase reports whether a database without transcripts is OpenClaw's: it has the tables of an old agent
// database, or has OpenClaw's name and no tables at all.
func (db *Database) isAgentDatabase(ctx context.Context) bool {
	if t, err := db.shape(ctx, agentTables...); err != nil || t.name != "" {
		return err == nil
	}
	var tables int
	err := db.file.DB.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables)
	return err == nil && tables == 0 && filepath.Base(db.path) == DatabaseName
}
