package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/pkg/store/dbfile"
)

// applicationID marks a database as a clawctl store: "claw".
const applicationID = 0x636c6177

// A migration upgrades the schema by one version.
type migration struct {
	statements string
	fill       func(*SQLite, context.Context) error // fills new columns of existing rows; may be nil
	additive   bool                                 // it changes nothing that is there, so that no backup is needed
}

// migrations upgrade the schema from one version (PRAGMA user_version) to the next. The first one creates it.
//
// The tables sessions and messages are the documented interface for SQL. An id is not a primary key, because ids
// repeat across sessions and, in damaged files, within one. The order of a session's records is that of their rowids.
// The other tables hold what is needed to return every source byte for byte.
var migrations = []migration{{statements: `
CREATE TABLE sessions (
    key        TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    metadata   JSON
);
CREATE TABLE messages (
    id          TEXT NOT NULL,
    session_key TEXT NOT NULL,
    parent_id   TEXT,
    type        TEXT NOT NULL,
    timestamp   INTEGER NOT NULL,
    data        JSON NOT NULL,
    FOREIGN KEY (session_key) REFERENCES sessions(key) ON UPDATE CASCADE ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX idx_messages_session ON messages(session_key, timestamp);
CREATE INDEX ` + parentIndex + `;

-- One row a session: whose it is, and the digest of its text as its source has it.
CREATE TABLE transcripts (
    session_key TEXT PRIMARY KEY REFERENCES sessions(key) ON UPDATE CASCADE ON DELETE CASCADE,
    base_key    TEXT NOT NULL,    -- the session's key without its generation
    generation  TEXT NOT NULL,    -- '' for the current one
    session_id  TEXT NOT NULL,
    agent       TEXT NOT NULL,
    kind        TEXT NOT NULL,
    lines       INTEGER NOT NULL,
    records     INTEGER NOT NULL, -- of these lines, those in messages
    bytes       INTEGER NOT NULL,
    tail        INTEGER NOT NULL, -- of these bytes, those of a last line that has no line end
    line_end    TEXT NOT NULL,    -- of every line that framing does not name
    sha256      TEXT NOT NULL,
    state       BLOB NOT NULL,    -- of the digest, to go on with it
    last_time   INTEGER NOT NULL,
    own         INTEGER NOT NULL  -- of these bytes, those that came from no source
);
-- Lines that are not records: damaged ones with their code, blank ones without.
CREATE TABLE quarantine (
    session_key TEXT NOT NULL REFERENCES sessions(key) ON UPDATE CASCADE ON DELETE CASCADE,
    line        INTEGER NOT NULL,
    code        TEXT NOT NULL,
    bytes       BLOB NOT NULL     -- with the line end
);
CREATE INDEX idx_quarantine ON quarantine(session_key, line);
-- The bytes around the text of a record, unless they are nothing before it and line_end after it.
CREATE TABLE framing (
    session_key TEXT NOT NULL REFERENCES sessions(key) ON UPDATE CASCADE ON DELETE CASCADE,
    line        INTEGER NOT NULL,
    before      BLOB NOT NULL,
    after       BLOB NOT NULL
);
CREATE INDEX idx_framing ON framing(session_key, line);
-- One row for every source that was read: which file it was, and which session begins with its text.
CREATE TABLE receipts (
    id          INTEGER PRIMARY KEY,
    path        TEXT NOT NULL,    -- of the file, or DATABASE#SESSION
    root        TEXT NOT NULL,    -- the folder that the source was found below
    session_key TEXT NOT NULL REFERENCES sessions(key) ON UPDATE CASCADE ON DELETE CASCADE,
    kind        TEXT NOT NULL,
    size        INTEGER NOT NULL, -- of the file
    mtime       INTEGER NOT NULL, -- in nanoseconds
    device      INTEGER NOT NULL,
    inode       INTEGER NOT NULL,
    sha256      TEXT NOT NULL,    -- of the text, decompressed
    lines       INTEGER NOT NULL,
    bytes       INTEGER NOT NULL,
    imported_at INTEGER NOT NULL,
    replaced    INTEGER NOT NULL DEFAULT 0, -- the file has other text now
    in_database INTEGER NOT NULL,
    packed_sha256 TEXT NOT NULL   -- of the file's bytes, where they are in packed
);
CREATE UNIQUE INDEX idx_receipts_path ON receipts(path) WHERE NOT replaced;
CREATE INDEX idx_receipts_session ON receipts(session_key);
-- Sessions that were written, but not yet read back and compared with their sources.
CREATE TABLE uncompared (
    session_key TEXT PRIMARY KEY REFERENCES sessions(key) ON UPDATE CASCADE ON DELETE CASCADE
);
-- The bytes of sources that were compressed.
CREATE TABLE packed (
    receipt INTEGER NOT NULL REFERENCES receipts(id) ON DELETE CASCADE,
    part    INTEGER NOT NULL,
    bytes   BLOB NOT NULL,
    PRIMARY KEY (receipt, part)
);
`}, {statements: `
-- Checksums of rows: see seal.go. The one of a row of sessions is in session_seal.
ALTER TABLE transcripts ADD COLUMN session_seal INTEGER;
ALTER TABLE transcripts ADD COLUMN seal INTEGER;
ALTER TABLE receipts ADD COLUMN seal INTEGER;
ALTER TABLE quarantine ADD COLUMN seal INTEGER;
ALTER TABLE framing ADD COLUMN seal INTEGER;
-- When the file of a receipt was last changed in any way, in nanoseconds.
ALTER TABLE receipts ADD COLUMN ctime INTEGER NOT NULL DEFAULT 0;
-- The receipt of a source that was not read to its end has the size -1.
UPDATE receipts SET size = -1 WHERE size = 0 AND mtime = 0 AND device = 0 AND inode = 0 AND root <> '' AND bytes > 0;
`, fill: (*SQLite).sealAll}, {statements: `
-- Where a session ends: what the next record follows. See head.go.
CREATE TABLE heads (
    session_key TEXT PRIMARY KEY REFERENCES sessions(key) ON UPDATE CASCADE ON DELETE CASCADE,
    bytes       INTEGER NOT NULL, -- of the session's text that it describes
    state       TEXT NOT NULL,
    seal        INTEGER
);
-- Deleted sessions, and their text in parts. See trash.go.
CREATE TABLE trash (
    id          INTEGER PRIMARY KEY,
    session_key TEXT NOT NULL,
    deleted_at  INTEGER NOT NULL,
    reason      TEXT NOT NULL,
    about       TEXT NOT NULL,    -- its rows of sessions, transcripts and receipts, as JSON
    seal        INTEGER
);
CREATE INDEX idx_trash_session ON trash(session_key);
CREATE TABLE trash_parts (
    trash   INTEGER NOT NULL REFERENCES trash(id) ON DELETE CASCADE,
    receipt INTEGER NOT NULL,     -- 0 for the text, or the number of a receipt whose compressed bytes these are
    part    INTEGER NOT NULL,
    bytes   BLOB NOT NULL,
    PRIMARY KEY (trash, receipt, part)
);
`, additive: true}, {statements: `
-- Since this version, a row of quarantine may hold several lines in a row: see Line.Join.
`, additive: true}, {statements: `
-- Bundles outside the store, and the sessions whose text lies in them. See archive.go.
CREATE TABLE archives (
    id         INTEGER PRIMARY KEY,
    path       TEXT NOT NULL,
    size       INTEGER NOT NULL,
    written_at INTEGER NOT NULL,
    seal       INTEGER
);
CREATE TABLE archived (
    session_key TEXT PRIMARY KEY REFERENCES sessions(key) ON UPDATE CASCADE ON DELETE CASCADE,
    archive     INTEGER NOT NULL REFERENCES archives(id),
    member      TEXT NOT NULL,    -- the path of its file in the archive
    frame       INTEGER NOT NULL, -- where the frame of the file begins in the archive
    frame_size  INTEGER NOT NULL,
    skip        INTEGER NOT NULL, -- where the file begins in the frame
    sha256      TEXT NOT NULL,
    damaged     INTEGER NOT NULL, -- it has damaged lines
    seal        INTEGER
);
`, additive: true}}

// parentIndex finds the children of a record. The ids of a session have no order, so that every commit would write
// almost all pages of a large session's index again. A large import therefore drops the index, and builds it at its
// end. If it is interrupted, the next import builds the index.
const (
	parentIndexName = "idx_messages_parent"
	parentIndex     = parentIndexName + " ON messages(session_key, parent_id)"
)

// DropParentIndex drops the index of parents until BuildParentIndex.
func (b *Batch) DropParentIndex() error { return b.exec("DROP INDEX IF EXISTS " + parentIndexName) }

// HasParentIndex reports whether the index of parents exists.
func (v *View) HasParentIndex(ctx context.Context) (bool, error) {
	return one[bool](ctx, v.db, "SELECT count(*) FROM sqlite_schema WHERE name = ?", parentIndexName)
}

// BuildParentIndex builds the index of parents if it is missing. That reads all records, while other processes wait if
// they want to write. SQLite sorts in files beside the store, because the usual folder for them may be small.
func (s *SQLite) BuildParentIndex(ctx context.Context) error {
	// If SQLite cannot write there, because the store is a link, it uses the usual folder after all.
	s.setTempFolder(ctx, filepath.Dir(s.path))
	// The folder counts for every database of the process, and may be gone before the next one is opened. Windows then
	// has no place for temporary files, whereas Unix looks for another folder.
	defer s.setTempFolder(context.WithoutCancel(ctx), "")
	return s.Write(ctx, func(b *Batch) error { return b.exec("CREATE INDEX IF NOT EXISTS " + parentIndex) })
}

// setTempFolder tells SQLite where to put temporary files: in a folder, or in the system's usual one if it is "".
func (s *SQLite) setTempFolder(ctx context.Context, folder string) {
	folder = strings.ReplaceAll(folder, "'", "''")
	_, _ = s.writer.ExecContext(ctx, "PRAGMA temp_store_directory = '"+folder+"'")
}

// newest is the version of the schema that this clawctl writes.
func newest() int { return len(migrations) }

// version returns the version of the schema, or 0 for a database without tables.
func version(ctx context.Context, db querier) (int, error) {
	var id, version, tables int
	err := db.QueryRowContext(ctx, "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) FROM "+
		"pragma_application_id, pragma_user_version").Scan(&id, &version, &tables)
	switch {
	case err != nil:
		return 0, err
	case id == 0 && version == 0 && tables == 0:
		return 0, nil
	case id != applicationID || version < 1:
		return 0, dbfile.ErrForeign
	case version > newest():
		return 0, dbfile.ErrNewer
	}
	return version, checkTables(ctx, db, version)
}

// tables are the tables of a store, newerTables those that version lifeVersion added, and archiveTables those of
// archiveVersion.
var (
	tables = []string{
		"sessions", "messages", "transcripts", "quarantine", "framing", "receipts", "uncompared", "packed",
	}
	newerTables   = []string{"heads", "trash", "trash_parts"}
	archiveTables = []string{"archives", "archived"}
)

// lifeVersion is the first version of the schema with heads and a trash.
const lifeVersion = 3

// checkTables checks that the tables of a store are ordinary ones, and not queries that somebody has given their names,
// and that the values of their columns are in the file.
func checkTables(ctx context.Context, db querier, version int) error {
	names := tables
	if version >= lifeVersion {
		names = slices.Concat(tables, newerTables)
	}
	if version >= archiveVersion {
		names = slices.Concat(names, archiveTables)
	}
	for _, name := range names {
		switch t, err := dbfile.ReadTable(ctx, db, name); {
		case err != nil:
			return err
		case len(t.Columns) == 0:
			return fmt.Errorf("%w: %s is not a table", dbfile.ErrCorrupt, name)
		case len(t.Computed) > 0:
			return fmt.Errorf("%w: %s.%s is not stored but computed", dbfile.ErrCorrupt, name, t.Computed[0])
		}
	}
	return nil
}

// migrate upgrades the schema to the newest version in one transaction. It makes a backup first, unless the store is
// empty, or nothing that is in it changes.
func (s *SQLite) migrate(ctx context.Context) error {
	have, err := version(ctx, s.writer)
	if err == nil {
		err = s.refuseTriggers(ctx)
	}
	if err != nil || have == newest() {
		return err
	}
	if have > 0 && changesTables(migrations[have:]) {
		if err := s.backup(ctx, have); err != nil {
			return err
		}
	}
	if _, err := s.writer.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err = func() error {
		have, err := version(ctx, s.writer) // another process may have been faster
		if err != nil {
			return err
		}
		for ; have < newest(); have++ {
			if err := s.apply(ctx, migrations[have]); err != nil {
				return err
			}
		}
		_, err = s.writer.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d",
			applicationID, newest()))
		return err
	}()
	return s.end(err)
}

// IsOlder reports whether opening a store for writing would upgrade its schema.
func IsOlder(path string) bool {
	h, err := dbfile.ReadHeader(path)
	return err == nil && h.Application == applicationID && int(h.Version) < newest()
}

// CopyTo copies a store to a new file, without changing anything in its folder.
func CopyTo(ctx context.Context, path, copy string) error {
	file, err := dbfile.OpenReadOnly(ctx, path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := version(ctx, file.DB); err != nil {
		return file.Classify(err)
	}
	conn, err := file.DB.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// The database itself stays read-only, but a connection that may only query writes no other file either.
	if _, err = conn.ExecContext(ctx, "PRAGMA query_only = 0"); err == nil {
		_, err = conn.ExecContext(ctx, "VACUUM INTO ?", copy)
	}
	return file.Classify(err)
}

// changesTables reports whether migrations change what is in a store.
func changesTables(pending []migration) bool {
	return slices.ContainsFunc(pending, func(m migration) bool { return !m.additive })
}

func (s *SQLite) apply(ctx context.Context, m migration) error {
	if _, err := s.writer.ExecContext(ctx, m.statements); err != nil || m.fill == nil {
		return err
	}
	return m.fill(s, ctx)
}

// backup copies the store to a file that is named after the version of its schema.
func (s *SQLite) backup(ctx context.Context, version int) error {
	path := fmt.Sprintf("%s.schema-%d.bak", s.path, version)
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		return err // an interrupted migration has made it already
	}
	file, err := atomicfile.Create(path, atomicfile.Options{})
	if err != nil {
		return err
	}
	defer file.Abandon()
	if _, err := s.writer.ExecContext(ctx, "VACUUM INTO ?", file.TempName()); err != nil {
		return err
	}
	return file.Commit()
}

// createPrivate creates an empty file that only its owner can read. SQLite gives the files beside a database the same
// mode.
func createPrivate(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}
