package openclaw

import (
	"context"
	"database/sql"
	"errors"

	"clawctl/pkg/store/dbfile"
)

// A GrowingDatabase is an OpenClaw database that is read again and again while its owner writes it. No connection is
// open, and no lock is held, between a release and the next view of it.
type GrowingDatabase struct {
	State int // counts the changes that were seen

	path        string
	db          *Database
	view        *RowView // the one that is open, or nil
	fingerprint string
	again       bool // it has just changed: two writes may have the same time
}

// NewGrowingDatabase returns a database that nothing has been read from.
func NewGrowingDatabase(path string) *GrowingDatabase { return &GrowingDatabase{path: path} }

// Look counts a change if the database may have other rows than at the last call. It looks at the files only.
func (g *GrowingDatabase) Look() {
	now := dbfile.WriteStamp(g.path)
	changed := now != g.fingerprint
	if changed || g.again {
		g.State++
	}
	g.fingerprint, g.again = now, changed
}

// View returns a connection, which is the same until the release. The database itself is opened again only if it is no
// longer the one that was opened.
func (g *GrowingDatabase) View(ctx context.Context) (*RowView, error) {
	if g.view != nil {
		return g.view, nil
	}
	if g.db != nil && g.db.file.Changed() {
		if err := g.Close(); err != nil {
			return nil, err
		}
	}
	if g.db == nil {
		db, err := OpenDatabase(ctx, g.path, DatabaseOptions{Fast: true})
		if err != nil {
			return nil, err
		}
		g.db = db
	}
	conn, err := g.db.file.DB.Conn(ctx)
	if err != nil {
		return nil, g.db.file.Classify(err)
	}
	g.view = &RowView{db: g.db, conn: conn}
	return g.view, nil
}

// Release closes the connection.
func (g *GrowingDatabase) Release() error {
	view := g.view
	if g.view = nil; view == nil {
		return nil
	}
	return view.conn.Close()
}

// Close releases the database.
func (g *GrowingDatabase) Close() error {
	err := g.Release()
	db := g.db
	if g.db = nil; db == nil {
		return err
	}
	return errors.Join(err, db.Close())
}

// A RowView reads rows of a database with one connection.
type RowView struct {
	db   *Database
	conn *sql.Conn
}

// A Row is one line of a session in a database. Its text is valid until the next one.
type Row struct {
	Seq  int64
	Text []byte
	Err  error // why the row has no text
}

// From calls yield for every row of a session from a number on.
func (v *RowView) From(ctx context.Context, id string, seq int64, yield func(Row) error) error {
	rows, err := v.conn.QueryContext(ctx, v.db.eventQuery("AND seq >= ?"), id, seq)
	if err != nil {
		return v.db.file.Classify(err)
	}
	defer rows.Close()
	reader := &eventReader{db: v.db, rows: rows}
	defer reader.frames.close()
	for rows.Next() {
		row := Row{Err: reader.next(), Seq: reader.seq}
		if row.Err == nil {
			row.Text = reader.buf[:len(reader.buf)-len("\n")]
		}
		if err := yield(row); err != nil {
			return err
		}
	}
	return v.db.file.Classify(rows.Err())
}

// StartOfLast returns the number of the first of the last n rows of a session, and whether that is its first row. ok is
// false if it has no rows.
func (v *RowView) StartOfLast(ctx context.Context, id string, n int) (seq int64, isFirst, ok bool, err error) {
	var start, first sql.NullInt64
	err = v.conn.QueryRowContext(ctx, "SELECT (SELECT min(seq) FROM (SELECT seq FROM transcript_events WHERE "+
		"session_id = ?1 ORDER BY seq DESC LIMIT ?2)), (SELECT min(seq) FROM transcript_events WHERE session_id = ?1)",
		id, n).Scan(&start, &first)
	return start.Int64, start == first, start.Valid, v.db.file.Classify(err)
}

// CountBefore returns how many rows of a session come before a number.
func (v *RowView) CountBefore(ctx context.Context, id string, seq int64) (n int64, err error) {
	const query = "SELECT count(*) FROM transcript_events WHERE session_id = ? AND seq < ?"
	return n, v.db.file.Classify(v.conn.QueryRowContext(ctx, query, id, seq).Scan(&n))
}

// IsTransient reports whether an error of reading a database goes away by reading it again later.
func IsTransient(err error) bool {
	return errors.Is(err, dbfile.ErrChanged) || errors.Is(err, dbfile.ErrLocked)
}
