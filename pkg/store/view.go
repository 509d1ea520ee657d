package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store/dbfile"
)

// A View reads a store.
type View struct {
	db querier
	// lease returns one state of the store, and a function that releases it. It is nil if db is one.
	lease    func(context.Context) (db querier, release func() error, err error)
	archived *archivedKeys // of a snapshot; nil for a store that changes while it is read
}

// A Reader is a store that is open for reading only. Everything that is read with it is one state of the store.
type Reader struct {
	View
	pool     *sql.DB
	snapshot *snapshot          // nil if a transaction would keep others from writing
	file     *dbfile.ReadOnlyDB // nil if the store is read while others write
}

// OpenReader opens a store for reading. It uses the locks of SQLite, and others can write meanwhile. A store that
// cannot be written at all is read without changing anything in its folder.
func OpenReader(ctx context.Context, path string) (*Reader, error) {
	if isMarked(path) {
		if r := openShared(ctx, path); r != nil {
			return r, nil
		}
	}
	file, err := dbfile.OpenReadOnly(ctx, path)
	if err != nil {
		return nil, err
	}
	r := &Reader{pool: file.DB, file: file}
	if err := r.begin(ctx); err != nil {
		file.Close()
		return nil, file.Classify(err)
	}
	return r, nil
}

// openShared opens a store that others may write. It returns nil if that is not possible.
func openShared(ctx context.Context, path string) *Reader {
	pool, err := dbfile.OpenOwnReader(path, "mode=rw&_pragma=busy_timeout(5000)")
	if err != nil {
		return nil
	}
	r := &Reader{pool: pool}
	if r.begin(ctx) != nil {
		pool.Close()
		return nil
	}
	return r
}

// begin takes the snapshot that is read. Without a log, a transaction would keep others from writing, and each text is
// read in a transaction of its own.
func (r *Reader) begin(ctx context.Context) error {
	var err error
	if r.snapshot, err = newSnapshot(ctx, r.pool); err != nil {
		return err
	}
	r.View = View{db: r.snapshot.conns[0].Conn, lease: r.snapshot.lease, archived: &archivedKeys{}}
	have, err := version(ctx, r.db)
	if err == nil && have == 0 {
		err = dbfile.ErrUnfinished
	}
	mode := ""
	if err == nil {
		mode, err = one[string](ctx, r.db, "PRAGMA journal_mode")
	}
	if err == nil && (r.file != nil || mode == "wal") {
		return nil
	}
	err = errors.Join(err, r.snapshot.close())
	r.snapshot, r.View = nil, viewOf(r.pool)
	r.pool.SetMaxIdleConns(maxSnapshotConns) // sessions are read by the thousand
	return err
}

// Close releases the store.
func (r *Reader) Close() error {
	if r.snapshot != nil {
		_ = r.snapshot.close() // it has only read
	}
	if r.file != nil {
		return r.file.Close()
	}
	return r.pool.Close()
}

// Abandon removes the private copy of a store that cannot be closed because it is still being read.
func (r *Reader) Abandon() error {
	if r.file == nil {
		return nil
	}
	return r.file.DiscardCopy()
}

// Check checks the whole file for corruption.
func (r *Reader) Check(ctx context.Context) error {
	err := dbfile.QuickCheck(ctx, r.pool)
	if r.file != nil {
		return r.file.Classify(err)
	}
	return dbfile.Classify(err)
}

// IsStore reports whether a database is a clawctl store of any version.
func IsStore(ctx context.Context, path string) bool {
	if isMarked(path) {
		return true
	}
	file, err := dbfile.OpenReadOnly(ctx, path)
	if err != nil {
		return false
	}
	defer file.Close()
	id, err := one[int](ctx, file.DB, "PRAGMA application_id")
	return err == nil && id == applicationID
}

// IsUnfinished reports whether a database has no tables yet, as a store that is being made.
func IsUnfinished(ctx context.Context, path string) bool {
	r, err := OpenReader(ctx, path)
	if err == nil {
		r.Close()
	}
	return errors.Is(err, dbfile.ErrUnfinished)
}

// isMarked reports whether the header of a file says that it is a store. The header of a new store may still be in its
// log.
func isMarked(path string) bool {
	h, err := dbfile.ReadHeader(path)
	return err == nil && h.Application == applicationID
}

// Transcripts returns the transcript of every session.
func (v *View) Transcripts(ctx context.Context) ([]*Transcript, error) {
	return transcripts(ctx, v.db, "ORDER BY session_key")
}

// UncomparedKeys returns the sessions that were written but not yet compared with their sources.
func (v *View) UncomparedKeys(ctx context.Context) ([]string, error) {
	return column[string](ctx, v.db, "SELECT session_key FROM uncompared")
}

// DamagedKeys returns the sessions that have damaged lines.
func (v *View) DamagedKeys(ctx context.Context) (map[string]bool, error) {
	query := "SELECT DISTINCT session_key FROM quarantine WHERE code <> ''"
	has, err := hasArchives(ctx, v.db)
	if err != nil {
		return nil, err
	}
	if has {
		query += " UNION SELECT session_key FROM archived WHERE damaged"
	}
	return v.set(ctx, query)
}

// set returns the texts of a query for one column.
func (v *View) set(ctx context.Context, query string, args ...any) (map[string]bool, error) {
	list, err := column[string](ctx, v.db, query, args...)
	set := map[string]bool{}
	for _, text := range list {
		set[text] = true
	}
	return set, err
}

// Receipts returns every receipt, in the order in which they were made.
func (v *View) Receipts(ctx context.Context) ([]*ImportReceipt, error) {
	return receipts(ctx, v.db, "")
}

// ReceiptsOf returns the receipts of one session.
func (v *View) ReceiptsOf(ctx context.Context, key string) ([]*ImportReceipt, error) {
	return receipts(ctx, v.db, "WHERE session_key = ?", key)
}

// Text opens a part of the text of a transcript. It reads one state, even if others write meanwhile.
func (v *View) Text(ctx context.Context, t *Transcript, from LineRange) (*Text, error) {
	db, release, err := v.openState(ctx)
	if err != nil {
		return nil, err
	}
	text, err := v.openText(ctx, db, t, from)
	if err != nil {
		return nil, errors.Join(err, release())
	}
	text.done = release
	return text, nil
}

// openText opens a part of a text. One that begins with the first row may begin in an archive instead.
func (v *View) openText(ctx context.Context, db querier, t *Transcript, from LineRange) (*Text, error) {
	text, err := openText(ctx, db, t, from)
	if err != nil || from.Row > 0 || from.Last > 0 || t.Bytes == 0 {
		return text, err
	}
	archived, err := v.isArchived(ctx, db, t.Key)
	if err != nil || !archived {
		return text, err
	}
	return text, text.openArchived(t, from.Line)
}

// infoQuery lists sessions. The last column is for sessions that were not imported but written by other programs.
const infoQuery = "SELECT s.key, s.created_at, s.updated_at, coalesce(s.metadata, ''), coalesce(t.records, (SELECT " +
	"count(*) FROM messages m WHERE m.session_key = s.key)) FROM sessions s LEFT JOIN transcripts t ON " +
	"t.session_key = s.key "

// List returns every session, in the order of their keys.
func (v *View) List(ctx context.Context) ([]Info, error) { return v.list(ctx, "ORDER BY s.key") }

func (v *View) list(ctx context.Context, where string, args ...any) ([]Info, error) {
	return collect(ctx, v.db, infoQuery+where, args, func(scan scanFunc) (info Info, err error) {
		var created, updated int64
		var metadata string
		err = scan(&info.Key, &created, &updated, &metadata, &info.Records)
		info.Created, info.Updated = time.UnixMilli(created).UTC(), time.UnixMilli(updated).UTC()
		_ = json.Unmarshal([]byte(metadata), &info.Metadata) // other programs may have written anything
		return info, err
	})
}

// Contents is what a store has, without the texts.
type Contents struct {
	Infos       []Info                 // of all sessions, in the order of their keys
	Transcripts map[string]*Transcript // by key; of a session that another program wrote, only the key is known
	Receipts    []*ImportReceipt       // of these sessions; another program may have deleted others
}

// Contents returns what a store has, without the texts.
func (v *View) Contents(ctx context.Context) (*Contents, error) {
	c := &Contents{Transcripts: map[string]*Transcript{}}
	var err error
	if c.Infos, err = v.List(ctx); err != nil {
		return nil, err
	}
	for _, info := range c.Infos {
		c.Transcripts[info.Key] = UnknownTranscript(info.Key)
	}
	list, err := v.Transcripts(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range list {
		if c.Transcripts[t.Key] != nil {
			c.Transcripts[t.Key] = t
		}
	}
	receipts, err := v.Receipts(ctx)
	c.Receipts = slices.DeleteFunc(receipts, func(r *ImportReceipt) bool { return c.Transcripts[r.SessionKey] == nil })
	return c, err
}

// Load returns the session of a key, or a new one if it does not exist.
func (v *View) Load(ctx context.Context, key string) (*Conversation, error) {
	infos, err := v.list(ctx, "WHERE s.key = ?", key)
	if err != nil {
		return nil, err
	}
	if len(infos) == 0 {
		return &Conversation{Info: Info{Key: key}, Records: func(func(*jsonl.Record, error) bool) {}}, nil
	}
	return &Conversation{Info: infos[0], Records: v.records(ctx, key)}, nil
}

// records yields the records of a session.
func (v *View) records(ctx context.Context, key string) iter.Seq2[*jsonl.Record, error] {
	return func(yield func(*jsonl.Record, error) bool) {
		err := v.InOneState(ctx, func(v *View) error {
			t, err := v.Transcript(ctx, key)
			if err != nil {
				return err
			}
			if t == nil { // another program wrote the session
				t = UnknownTranscript(key)
			}
			return v.eachRecord(ctx, t, yield)
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// Exists reports whether there is a session with a key, whichever program wrote it.
func (v *View) Exists(ctx context.Context, key string) (bool, error) {
	return one[bool](ctx, v.db, "SELECT EXISTS (SELECT 1 FROM sessions WHERE key = ?)", key)
}

// Transcript returns the transcript of a session, or nil if it has none.
func (v *View) Transcript(ctx context.Context, key string) (*Transcript, error) {
	list, err := transcripts(ctx, v.db, "WHERE session_key = ?", key)
	return first(list), err
}

func (v *View) eachRecord(ctx context.Context, t *Transcript, yield func(*jsonl.Record, error) bool) error {
	text, err := v.Text(ctx, t, Whole)
	if err != nil {
		return err
	}
	defer text.Close()
	for rec, err := range jsonl.Records(text, jsonl.Options{BeforeRead: ctx.Err}) {
		if err != nil {
			return err
		}
		if rec.Legible() && !yield(rec, nil) {
			return nil
		}
	}
	return nil
}

// CheckRows checks that the columns of a session's rows match their records. It returns the number of the first record
// that does not match, or 0. Rows that other programs added are not checked, and a session in an archive has no others.
func (v *View) CheckRows(ctx context.Context, t *Transcript) (wrong int64, err error) {
	liner, parser := NewLiner(&Transcript{SessionID: t.SessionID}), jsonl.Parser{}
	n := int64(0)
	err = v.InOneState(ctx, func(v *View) error {
		archived, err := v.isArchived(ctx, v.db, t.Key)
		if err != nil || archived {
			n = t.Records
			return err
		}
		runs, err := runsOf(ctx, v.db, t.Key, 0)
		for _, r := range runs {
			if err != nil || wrong != 0 || n >= t.Records {
				break
			}
			err = each(ctx, v.db, rowsQuery, []any{r.first, r.last}, func(scan scanFunc) error {
				var row storedRow
				if err := row.scan(scan); err != nil || n >= t.Records || wrong != 0 {
					return err
				}
				n++
				if line := liner.Line(parser.Parse(row.data, n, 0)); !row.matches(&line, t.Key) {
					wrong = n
				}
				return nil
			})
		}
		return err
	})
	if err == nil && wrong == 0 && n < t.Records {
		wrong = n + 1 // it is missing
	}
	return wrong, err
}

const rowsQuery = "SELECT id, session_key, parent_id, type, timestamp, CAST(data AS BLOB), typeof(data) FROM " +
	"messages WHERE rowid BETWEEN ? AND ? ORDER BY rowid"

// A storedRow is a row of messages. Its values have the types that SQLite has stored.
type storedRow struct {
	id, key, parent, kind, at any
	data                      []byte
	dataType                  string
}

func (r *storedRow) scan(scan scanFunc) error {
	return scan(&r.id, &r.key, &r.parent, &r.kind, &r.at, &r.data, &r.dataType)
}

// matches reports whether the row is the one that clawctl would write for a line.
func (r *storedRow) matches(line *Line, key string) bool {
	var parent any
	if line.HasParent {
		parent = line.Parent
	}
	return line.IsRecord && r.id == any(line.ID) && r.key == any(key) && r.parent == parent &&
		r.kind == any(line.Type) && r.at == any(line.Time) && r.dataType == "text"
}
