package hold

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"clawctl/internal/regex"
	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/store/dbfile"
)

// namingColumns are columns of OpenClaw's tables that may name a transcript: by path, by name, or by digest.
var namingColumns = regex.Lazy(`(?i)json|file|path|name|sha256`)

// namingTables are the tables about sessions and transcripts. transcript_events is not among them: what a conversation
// says about a file does not make the file part of it.
var namingTables = regex.Lazy(`(?i)^(?:session_nodes|session_entries|session_windows|sessions|session_\w*archives)$`)

// maxNaming is the maximum size of a value that may name a transcript.
const maxNaming = 64 << 20

// searchDatabase holds every file that a row of an OpenClaw database names.
func (h *holder) searchDatabase(path string) error {
	if err := checkNaming(h.ctx, path); err != nil {
		return err
	}
	db, err := dbfile.OpenReadOnly(h.ctx, path)
	if err != nil {
		return err
	}
	defer db.Close()
	columns, err := namingColumnsOf(h.ctx, db)
	if err != nil {
		return db.Classify(err)
	}
	for _, c := range columns {
		if err := h.searchColumn(db, c, path); err != nil {
			return db.Classify(err)
		}
	}
	return nil
}

// checkNaming returns an error if a database may name files in a way that is not known: if it cannot be read, or if it
// is newer than the newest known schema.
func checkNaming(ctx context.Context, path string) error {
	db, err := openclaw.OpenDatabase(ctx, path, openclaw.DatabaseOptions{Fast: true})
	if errors.Is(err, openclaw.ErrNoTranscripts) {
		return nil
	}
	if err != nil {
		return err
	}
	defer db.Close()
	if db.IsNewer() {
		return dbfile.ErrNewer
	}
	return nil
}

type tableColumn struct{ table, column string }

// namingColumnsOf returns the columns that may name a transcript. It refuses a database that computes one of them.
func namingColumnsOf(ctx context.Context, db *dbfile.ReadOnlyDB) (list []tableColumn, err error) {
	var tables []string
	err = db.Each(ctx, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')", nil,
		func(scan func(...any) error) error {
			var name string
			err := scan(&name)
			if namingTables().MatchString(name) {
				tables = append(tables, name)
			}
			return err
		})
	for _, name := range tables {
		if err != nil {
			return nil, err
		}
		var t dbfile.Table
		t, err = dbfile.ReadTable(ctx, db.DB, name)
		if err == nil && (len(t.Columns) == 0 || slices.ContainsFunc(t.Computed, namingColumns().MatchString)) {
			err = fmt.Errorf("%w: %s is no ordinary table", dbfile.ErrForeign, name)
		}
		for _, column := range t.Columns {
			if namingColumns().MatchString(column) {
				list = append(list, tableColumn{name, column})
			}
		}
	}
	return list, err
}

// searchColumn holds the files that the values of a column name.
func (h *holder) searchColumn(db *dbfile.ReadOnlyDB, c tableColumn, by string) error {
	query := fmt.Sprintf("SELECT octet_length(%[2]s), CASE WHEN octet_length(%[2]s) <= %[3]d THEN %[2]s END "+
		"FROM %[1]s WHERE typeof(%[2]s) = 'text'", dbfile.QuoteName(c.table), dbfile.QuoteName(c.column), maxNaming)
	return db.Each(h.ctx, query, nil, func(scan func(...any) error) error {
		var size int64
		var value []byte
		if err := scan(&size, &value); err != nil {
			return err
		}
		if size > maxNaming {
			return fmt.Errorf("%w: a value of %s.%s is too long", dbfile.ErrCorrupt, c.table, c.column)
		}
		openclaw.EachText(value, func(text string) {
			h.holdNamed(text, "", by)
			h.holdDigest(text, by)
		})
		return nil
	})
}

// holdDigest holds the file in cold storage that is named after a digest.
func (h *holder) holdDigest(digest, by string) {
	if len(digest) != hex.EncodedLen(sha256.Size) {
		return
	}
	for _, ending := range []string{".jsonl", ".jsonl.zst"} {
		for _, f := range h.byBase[digest+ending] {
			h.hold(f, Hold{Registered, by})
		}
	}
}
