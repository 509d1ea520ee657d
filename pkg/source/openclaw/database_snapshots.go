package openclaw

import (
	"encoding/json"

	"clawctl/pkg/jsonl"
)

// snapshotColumns returns the expressions for a field that schema 24 moved from the registration to a table of its own
// and for the field's value, and the join that reads them. Both are empty before schema 24. One statement reads the
// registration and its fields, so that they are from one state of the database.
func (db *Database) snapshotColumns() (columns, join string) {
	t := db.snapshots
	if t.name == "" {
		return "'', ''", ""
	}
	return t.column("field") + ", " + t.column("value_json"),
		" LEFT JOIN " + t.name + " ON " + t.name + ".session_key = " + db.nodes.name + ".session_key"
}

// withField returns a registration with a field from the table. The table wins over a value in the registration. A
// registration or a value that is not JSON changes nothing.
func withField(raw jsonl.Value, field, value string) jsonl.Value {
	if !raw.IsObject() || !json.Valid([]byte(value)) {
		return raw
	}
	joined := raw.Without(field).With(field, []byte(value))
	if !json.Valid(joined) {
		return raw // nested too deeply
	}
	return joined
}
