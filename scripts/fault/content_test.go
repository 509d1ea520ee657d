//go:build linux

package fault

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/pkg/store/dbfile"
)

// A content is everything in a store, except what differs between two imports: row numbers, times of receipts, and
// which of several equal sources was imported first.
type content struct {
	Sessions map[string]string // the digest of each session
	Counts   map[string]int    // the number of rows of each table
	Sources  map[string]int    // the number of sources of each session
}

// contentQueries return every row of a table, with the session's key as the first column. The order does not depend on
// the row numbers of other sessions.
var contentQueries = map[string]string{
	"sessions": "SELECT key, created_at, updated_at, metadata FROM sessions ORDER BY key",
	"messages": "SELECT session_key, id, parent_id, type, timestamp, CAST(data AS BLOB) FROM messages " +
		"ORDER BY session_key, rowid",
	"quarantine": "SELECT session_key, line, code, bytes FROM quarantine ORDER BY session_key, line",
	"framing":    "SELECT session_key, line, before, after FROM framing ORDER BY session_key, line",
	"transcripts": "SELECT session_key, base_key, generation, session_id, agent, kind, lines, records, bytes, tail, " +
		"line_end, sha256, last_time FROM transcripts ORDER BY session_key",
	"packed": "SELECT session_key, path, part, packed.bytes FROM packed JOIN receipts ON receipts.id = receipt " +
		"ORDER BY session_key, path, part",
	"receipts": "SELECT session_key, path, root, kind, size, mtime, sha256, lines, bytes, replaced FROM receipts " +
		"ORDER BY session_key, path, sha256, replaced",
}

// readContent reads a store in another process, because this one must not keep files open on a mount that it unmounts.
func readContent(path string) (*content, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ended := execute(self, "content", path)
	if ended.code != 0 {
		return nil, errors.New(strings.TrimSpace(ended.stderr))
	}
	c := &content{}
	return c, json.Unmarshal([]byte(ended.stdout), c)
}

// contentPart prints the content of a store.
func contentPart(args []string) int {
	c, err := contentOf(args[0])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(c)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// contentOf checks a store with SQLite and reads it.
func contentOf(path string) (*content, error) {
	return readTables(path, func(context.Context, *dbfile.ReadOnlyDB) (map[string]string, error) {
		return contentQueries, nil
	})
}

// rowsOf reads everything in the store of a folder, with what differs between two imports. It may not be there.
func rowsOf(folder string) (*content, error) {
	path := filepath.Join(folder, storeName)
	if !exists(path) {
		return nil, nil
	}
	return readTables(path, func(ctx context.Context, db *dbfile.ReadOnlyDB) (map[string]string, error) {
		rows, err := db.DB.QueryContext(ctx, "SELECT name FROM sqlite_master WHERE type = 'table'")
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		queries := map[string]string{}
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				return nil, err
			}
			queries[name] = "SELECT '', * FROM " + dbfile.QuoteName(name)
		}
		return queries, rows.Err()
	})
}

// readTables checks a store with SQLite, and reads the rows of its tables by queries.
func readTables(path string, queriesOf func(context.Context, *dbfile.ReadOnlyDB) (map[string]string, error)) (*content,
	error) {
	ctx := context.Background()
	db, err := dbfile.OpenReadOnly(ctx, path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	var sound string
	if err := db.DB.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&sound); err != nil || sound != "ok" {
		return nil, fmt.Errorf("integrity check: %s %w", sound, err)
	}
	queries, err := queriesOf(ctx, db)
	if err != nil {
		return nil, err
	}
	c := &content{map[string]string{}, map[string]int{}, map[string]int{}}
	for _, table := range slices.Sorted(maps.Keys(queries)) {
		if err := c.add(ctx, db, table, queries[table]); err != nil {
			return nil, fmt.Errorf("read %s: %w", table, err)
		}
	}
	return c, nil
}

// add adds the rows of a table to the digests.
func (c *content) add(ctx context.Context, db *dbfile.ReadOnlyDB, table, query string) error {
	rows, err := db.DB.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, pointers := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
	for i := range values {
		pointers[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return err
		}
		c.Counts[table]++
		key := string(values[0])
		if table == "receipts" {
			c.Sources[key]++
		}
		if table == "sessions" && key != "" {
			values[3] = canonical(values[3])
		}
		h := sha256.New()
		fmt.Fprintf(h, "%s %s", c.Sessions[key], table)
		for _, v := range values {
			fmt.Fprintf(h, " %t %d ", v == nil, len(v))
			h.Write(v)
		}
		c.Sessions[key] = hex.EncodeToString(h.Sum(nil))
	}
	return rows.Err()
}

// canonical removes from metadata what depends on the number of imports.
func canonical(metadata []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(metadata, &fields) != nil {
		return metadata
	}
	delete(fields, "source")
	text, err := json.Marshal(fields)
	if err != nil {
		return metadata
	}
	return text
}

// differsFrom describes how a content differs from the reference, or returns nil.
func (c *content) differsFrom(reference *content) error {
	var wrong []string
	for _, table := range slices.Sorted(maps.Keys(contentQueries)) {
		if have, want := c.Counts[table], reference.Counts[table]; have != want {
			wrong = append(wrong, fmt.Sprintf("%d rows in %s, want %d", have, table, want))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(reference.Sessions)) {
		if c.Sessions[key] != reference.Sessions[key] {
			wrong = append(wrong, "different "+key)
		}
	}
	for key := range c.Sessions {
		if reference.Sessions[key] == "" {
			wrong = append(wrong, "unexpected "+key)
		}
	}
	if wrong == nil {
		return nil
	}
	return errors.New(strings.Join(wrong[:min(len(wrong), 6)], ", "))
}

// lacks returns the sessions that are missing from the store or differ from the reference.
func (c *content) lacks(keys []string, reference *content) (missing []string) {
	for _, key := range keys {
		if c.Sessions[key] != reference.Sessions[key] {
			missing = append(missing, key)
		}
	}
	return missing
}
