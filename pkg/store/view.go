package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"clawctl/pkg/dbfile"
	"clawctl/pkg/jsonl"
)

// A View reads a store.
type View struct{ db querier }

// A Reader is a store that is open for reading only.
type Reader struct {
	View
	pool *sql.DB
	file *dbfile.ReadOnlyDB // nil if the store is read while others write
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
	have, err := version(ctx, file)
	if err == nil && have == 0 {
		err = dbfile.ErrForeign
	}
	if err != nil {
		file.Close()
		return nil, file.Classify(err)
	}
	return newReader(file.DB, file), nil
}

// openShared opens a store that others may write. It returns nil if that is not possible.
func openShared(ctx context.Context, path string) *Reader {
	pool, err := dbfile.OpenOwn(path, "mode=rw&_pragma=busy_timeout(5000)&_pragma=query_only(1)")
	if err != nil {
		return nil
	}
	if have, err := version(ctx, pool); err != nil || have == 0 {
		pool.Close()
		return nil
	}
	return newReader(pool, nil)
}

func newReader(pool *sql.DB, file *dbfile.ReadOnlyDB) *Reader {
	pool.SetMaxIdleConns(4) // sessions are read by the thousand
	return &Reader{View{newPreparedPool(pool)}, pool, file}
}

// Close releases the store.
func (r *Reader) Close() error {
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
	var id int
	err = file.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id)
	return err == nil && id == applicationID
}

// isMarked reports whether the header of a file says that it is a store. The header of a new store may still be in its
// log.
func isMarked(path string) bool {
	h, err := dbfile.ReadHeader(path)
	return err == nil && h.Application == applicationID
}

// Transcripts returns the transcript of every session.
func (v *View) Transcripts(ctx context.Context) ([]*Transcript, error) {
	list, err := transcripts(ctx, v.db, "ORDER BY session_key")
	return list, dbfile.Classify(err)
}

// UncomparedKeys returns the sessions that were written but not yet compared with their sources.
func (v *View) UncomparedKeys(ctx context.Context) (keys []string, err error) {
	err = each(ctx, v.db, "SELECT session_key FROM uncompared", nil, func(scan func(...any) error) error {
		var key string
		err := scan(&key)
		keys = append(keys, key)
		return err
	})
	return keys, dbfile.Classify(err)
}

// DamagedKeys returns the sessions that have damaged lines.
func (v *View) DamagedKeys(ctx context.Context) (keys map[string]bool, err error) {
	keys = map[string]bool{}
	err = each(ctx, v.db, "SELECT DISTINCT session_key FROM quarantine WHERE code <> ''", nil,
		func(scan func(...any) error) error {
			var key string
			err := scan(&key)
			keys[key] = true
			return err
		})
	return keys, dbfile.Classify(err)
}

// Receipts returns every receipt, in the order in which they were made.
func (v *View) Receipts(ctx context.Context) ([]*Receipt, error) { return receipts(ctx, v.db) }

// Text opens a part of the text of a transcript. It reads one state, even if others write meanwhile.
func (v *View) Text(ctx context.Context, t *Transcript, from LineRange) (*Text, error) {
	pool, isPool := v.db.(*preparedPool)
	if !isPool {
		return openText(ctx, v.db, t, from) // already in a transaction
	}
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return nil, dbfile.Classify(err)
	}
	text, err := openText(ctx, &preparedTx{tx, pool}, t, from)
	if err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	text.done = func() error {
		if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) { // a canceled one has already ended
			return err
		}
		return nil
	}
	return text, nil
}

// infoQuery lists sessions. The last column is for sessions that were not imported but written by other programs.
const infoQuery = "SELECT s.key, s.created_at, s.updated_at, coalesce(s.metadata, ''), coalesce(t.records, (SELECT " +
	"count(*) FROM messages m WHERE m.session_key = s.key)) FROM sessions s LEFT JOIN transcripts t ON " +
	"t.session_key = s.key "

// List returns every session, in the order of their keys.
func (v *View) List(ctx context.Context) ([]Info, error) { return v.list(ctx, "ORDER BY s.key") }

func (v *View) list(ctx context.Context, where string, args ...any) (list []Info, err error) {
	err = each(ctx, v.db, infoQuery+where, args, func(scan func(...any) error) error {
		var info Info
		var created, updated int64
		var metadata string
		err := scan(&info.Key, &created, &updated, &metadata, &info.Records)
		info.Created, info.Updated = time.UnixMilli(created).UTC(), time.UnixMilli(updated).UTC()
		_ = json.Unmarshal([]byte(metadata), &info.Metadata) // other programs may have written anything
		list = append(list, info)
		return err
	})
	return list, dbfile.Classify(err)
}

// Load returns the session of a key, or a new one if it does not exist.
func (v *View) Load(ctx context.Context, key string) (*Session, error) {
	infos, err := v.list(ctx, "WHERE s.key = ?", key)
	if err != nil {
		return nil, err
	}
	if len(infos) == 0 {
		return &Session{Info: Info{Key: key}, Records: func(func(*jsonl.Record, error) bool) {}}, nil
	}
	return &Session{Info: infos[0], Records: v.records(ctx, key)}, nil
}

// records yields the records of a session.
func (v *View) records(ctx context.Context, key string) iter.Seq2[*jsonl.Record, error] {
	return func(yield func(*jsonl.Record, error) bool) {
		t, err := v.transcript(ctx, key)
		if err == nil {
			err = v.eachRecord(ctx, t, yield)
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// transcript returns the transcript of a session. If another program wrote the session, only its key is known.
func (v *View) transcript(ctx context.Context, key string) (*Transcript, error) {
	list, err := transcripts(ctx, v.db, "WHERE session_key = ?", key)
	if err != nil || len(list) == 0 {
		return UnknownTranscript(key), dbfile.Classify(err)
	}
	return list[0], nil
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
// that does not match, or 0.
func (v *View) CheckRows(ctx context.Context, t *Transcript) (wrong int64, err error) {
	liner, parser := NewLiner(&Transcript{SessionID: t.SessionID}), jsonl.Parser{}
	n := int64(0)
	runs, err := runsOf(ctx, v.db, t.Key, 0)
	for _, r := range runs {
		if err != nil || wrong != 0 {
			break
		}
		err = each(ctx, v.db, "SELECT id, session_key, coalesce(parent_id, ''), type, timestamp, data FROM messages "+
			"WHERE rowid BETWEEN ? AND ? ORDER BY rowid", []any{r.first, r.last}, func(scan func(...any) error) error {
			var id, key, parent, kind string
			var at int64
			var data []byte
			if err := scan(&id, &key, &parent, &kind, &at, &data); err != nil {
				return err
			}
			n++
			line := liner.Line(parser.Parse(data, n, 0))
			if wrong == 0 && (line.ID != id || key != t.Key || line.Parent != parent || line.Type != kind ||
				line.Time != at) {
				wrong = n
			}
			return nil
		})
	}
	return wrong, dbfile.Classify(err)
}
