package openclaw

import "context"

// AppVersion returns the version of the OpenClaw that wrote the database last, "" if the database does not say so.
func (db *Database) AppVersion(ctx context.Context) string { return db.metaText(ctx, "app_version") }

// ownerAgent returns the agent that a database says it belongs to, or "".
func (db *Database) ownerAgent(ctx context.Context) string { return db.metaText(ctx, "agent_id") }

// metaText returns a column of what a database says about itself, or "". Old databases have another table of this name.
func (db *Database) metaText(ctx context.Context, column string) (text string) {
	if !db.meta.has("meta_key") || !db.meta.has(column) {
		return ""
	}
	query := "SELECT " + db.meta.column(column) + " FROM schema_meta WHERE meta_key = 'primary'"
	_ = db.file.DB.QueryRowContext(ctx, query).Scan(&text) // a database without it can be read as well
	return text
}
