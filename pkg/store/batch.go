package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"time"

	"clawctl/pkg/store/dbfile"
)

// rowsAtOnce is the maximum number of records per INSERT statement. It must be a power of two.
const rowsAtOnce = 32

// A Batch is a write transaction. Other processes wait until it ends, and readers see the state before it.
type Batch struct {
	ctx   context.Context
	store *SQLite
	db    querier // the writer

	lastReceipt int64             // the highest id of a receipt; 0 if it is not known yet
	created     map[string]string // the metadata of sessions that have no transcript yet
}

// Begin starts a transaction. It fails with dbfile.ErrLocked if another process does not end its own in time, and with
// a [TriggersError] if another program has put triggers into the store.
func (s *SQLite) Begin(ctx context.Context) (*Batch, error) {
	s.writing.Lock()
	if _, err := s.writer.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		s.writing.Unlock()
		return nil, dbfile.Classify(err)
	}
	b := &Batch{ctx: ctx, store: s, db: s.writer}
	if err := s.refuseTriggers(ctx); err != nil { // nobody can add one before the batch ends
		b.Rollback()
		return nil, err
	}
	return b, nil
}

// Commit makes everything durable that the batch has written.
func (b *Batch) Commit() error {
	defer b.store.writing.Unlock()
	return b.store.end(nil)
}

// Rollback undoes everything that the batch has written.
func (b *Batch) Rollback() {
	defer b.store.writing.Unlock()
	_ = b.store.end(context.Canceled)
}

// InSavepoint runs a part of the batch. If the part fails, it alone is rolled back.
func (b *Batch) InSavepoint(part func() error) error {
	if err := b.exec("SAVEPOINT part"); err != nil {
		return err
	}
	if err := part(); err != nil {
		_, _ = b.store.writer.ExecContext(context.Background(), "ROLLBACK TO part; RELEASE part")
		return err
	}
	return b.exec("RELEASE part")
}

// exec runs a statement, which is prepared once for all batches.
func (b *Batch) exec(query string, args ...any) error {
	_, err := b.run(query, args...)
	return err
}

func (b *Batch) run(query string, args ...any) (sql.Result, error) {
	prepared, err := b.store.writer.get(b.ctx, query)
	if err != nil {
		return nil, dbfile.Classify(err)
	}
	result, err := prepared.ExecContext(b.ctx, args...)
	return result, dbfile.Classify(err)
}

// forEach runs statements that have the key of a session as their only parameter.
func (b *Batch) forEach(key string, queries ...string) error {
	for _, query := range queries {
		if err := b.exec(query, key); err != nil {
			return err
		}
	}
	return nil
}

// update changes the row of a session in sessions or in transcripts, whose key is the last parameter, and its seal.
func (b *Batch) update(key, query string, values ...any) error {
	if err := b.exec(query, append(values, key)...); err != nil {
		return err
	}
	return b.reseal(key)
}

// DataVersion returns a number that changes when another process writes to the store.
func (b *Batch) DataVersion() (int64, error) { return dataVersion(b.ctx, b.store.writer.Conn) }

// View reads the store as the batch sees it, including what it has written.
func (b *Batch) View() *View {
	return &View{db: b.db}
}

// sessionTables are the tables whose rows belong to a session. The foreign keys of the schema keep them consistent for
// other programs. A batch updates them itself, because Bulk turns foreign keys off.
var sessionTables = []string{
	"messages", "transcripts", "quarantine", "framing", "receipts", "uncompared", "heads", "archived",
}

// Drop deletes a session: one that this batch created, or the stored part of a source that cannot be read.
func (b *Batch) Drop(key string) error {
	if err := b.dropRows(key); err != nil {
		return err
	}
	return b.exec("DELETE FROM sessions WHERE key = ?", key)
}

// dropRows deletes all rows of a session.
func (b *Batch) dropRows(key string) error {
	if err := b.dropPacked("session_key = ?", key); err != nil {
		return err
	}
	for _, table := range sessionTables {
		if err := b.exec("DELETE FROM "+table+" WHERE session_key = ?", key); err != nil {
			return err
		}
	}
	return nil
}

// Distrust notes that the text of a session may not match its digest. Then no source counts as a copy of it or as
// unchanged.
func (b *Batch) Distrust(key string) error {
	if err := b.exec("UPDATE receipts SET mtime = 0 WHERE session_key = ?", key); err != nil {
		return err
	}
	if err := b.resealReceipts(key); err != nil {
		return err
	}
	return b.update(key, "UPDATE transcripts SET sha256 = '' WHERE session_key = ?")
}

// SetSum changes the digest of a transcript, "" for none. So it reverts Distrust after the text was read.
func (b *Batch) SetSum(t *Transcript, sum string) error {
	if t.Sum == sum {
		return nil
	}
	t.Sum = sum
	return b.update(t.Key, "UPDATE transcripts SET sha256 = ? WHERE session_key = ?", sum)
}

// IsWhole reports whether a transcript still has exactly the rows it was stored with. If its text is in an archive, it
// must have none, and the digest is compared whenever the text is read.
func (b *Batch) IsWhole(t *Transcript) (bool, error) {
	archived, err := b.isArchived(t.Key)
	if err != nil {
		return false, err
	}
	if archived {
		return b.hasNoOthers(t)
	}
	records, err := one[int64](b.ctx, b.db, "SELECT count(*) FROM messages WHERE session_key = ?", t.Key)
	if err != nil || records != t.Records {
		return false, err
	}
	others := int64(0)
	err = each(b.ctx, b.db, "SELECT "+limited("bytes", "bytes")+" FROM quarantine WHERE session_key = ?",
		[]any{t.Key}, func(scan scanFunc) error {
			var text sql.RawBytes
			err := scan(&text)
			others += countLines(text)
			return err
		})
	return records+others == t.Lines, err
}

// MarkUncompared notes that a session was written and must be compared with its source.
func (b *Batch) MarkUncompared(key string) error {
	return b.exec("INSERT OR IGNORE INTO uncompared(session_key) VALUES (?)", key)
}

// MarkCompared notes that a session with this digest matches its source. If another import has continued the session
// since, it stays marked as uncompared.
func (b *Batch) MarkCompared(key, sum string) error {
	return b.exec("DELETE FROM uncompared WHERE session_key = ?1 AND NOT EXISTS (SELECT 1 FROM transcripts WHERE "+
		"session_key = ?1 AND sha256 <> ?2)", key, sum)
}

// Create creates a session with an empty transcript.
func (b *Batch) Create(t *Transcript, metadata Metadata) error {
	metadata.Agent, metadata.SessionID, metadata.Kind, metadata.Generation = t.Agent, t.SessionID, t.Kind, t.Generation
	if err := b.dropOrphans(t.Key); err != nil {
		return err
	}
	text, err := json.Marshal(metadata)
	if err != nil {
		return err
	}
	b.created = map[string]string{t.Key: string(text)}
	return b.exec("INSERT INTO sessions(key, created_at, updated_at, metadata) VALUES (?, 0, 0, ?)", t.Key, string(text))
}

// dropOrphans deletes the rows of a session that was deleted without foreign keys.
func (b *Batch) dropOrphans(key string) error {
	if are, err := one[bool](b.ctx, b.db, hasOrphansQuery(), key); err != nil || !are {
		return err
	}
	return b.dropRows(key)
}

// hasOrphansQuery asks whether there are rows of a session that does not exist.
var hasOrphansQuery = sync.OnceValue(func() string {
	var some []string
	for _, table := range sessionTables {
		some = append(some, "EXISTS (SELECT 1 FROM "+table+" WHERE session_key = ?1)")
	}
	return "SELECT NOT EXISTS (SELECT 1 FROM sessions WHERE key = ?1) AND (" + strings.Join(some, " OR ") + ")"
})

// Rename gives a session another key and generation.
func (b *Batch) Rename(t *Transcript, baseKey, generation, kind string) error {
	key := Name(baseKey, generation)
	b.created = nil
	if err := b.dropOrphans(key); err != nil {
		return err
	}
	if err := b.exec("UPDATE sessions SET key = ? WHERE key = ?", key, t.Key); err != nil {
		return err
	}
	for _, table := range sessionTables {
		if err := b.exec("UPDATE "+table+" SET session_key = ? WHERE session_key = ?", key, t.Key); err != nil {
			return err
		}
	}
	t.Key, t.BaseKey, t.Generation, t.Kind = key, baseKey, generation, kind
	err := b.Describe(key, Metadata{Agent: t.Agent, Kind: kind, Generation: generation})
	if err == nil && generation == "" {
		err = b.exec("UPDATE sessions SET metadata = json_remove(metadata, '$.generation') WHERE key = ? AND "+
			"json_valid(metadata)", key)
	}
	if err == nil {
		err = b.resealReceipts(key)
	}
	if err != nil {
		return err
	}
	return b.update(key, "UPDATE transcripts SET base_key = ?, generation = ?, kind = ?, agent = ? WHERE session_key = ?",
		baseKey, generation, kind, t.Agent)
}

// Describe merges metadata into that of a session. Fields that metadata does not set keep their values.
func (b *Batch) Describe(key string, metadata Metadata) error {
	b.created = nil
	have, err := one[string](b.ctx, b.db, "SELECT coalesce(metadata, '{}') FROM sessions WHERE key = ?", key)
	if err != nil {
		return err
	}
	merged, err := mergeMetadata(have, metadata)
	if err != nil || merged == have {
		return err
	}
	return b.update(key, "UPDATE sessions SET metadata = ? WHERE key = ?", merged)
}

// mergeMetadata sets the fields of metadata in a JSON object. A value that is not an object is replaced.
func mergeMetadata(have string, metadata Metadata) (string, error) {
	fields, news := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	text, err := json.Marshal(metadata)
	if err != nil {
		return "", err
	}
	if json.Unmarshal([]byte(have), &fields) != nil || fields == nil {
		fields = map[string]json.RawMessage{}
	}
	if err := json.Unmarshal(text, &news); err != nil {
		return "", err
	}
	before := maps.Clone(fields)
	maps.Copy(fields, news)
	if maps.EqualFunc(before, fields, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
		return have, nil
	}
	text, err = json.Marshal(fields)
	return string(text), err
}

// An Appender adds lines to a transcript.
type Appender struct {
	batch   *Batch
	t       *Transcript
	pending []*Line // records of the lines being added
	created int64
	stamp   time.Time
	lines   LineRange
}

// Lines returns the range of lines that were added, after Finish. Its rows are consecutive, because nobody else can
// write during the batch.
func (a *Appender) Lines() LineRange { return a.lines }

// Extend returns an appender for a transcript. It brings a text back that lies in an archive. It removes a last line
// that has no line end, and the caller adds that line again. stamp is the time of a session whose records have none.
func (b *Batch) Extend(t *Transcript, stamp time.Time) (*Appender, error) {
	if t.Bytes > 0 {
		if err := b.Unarchive(t); err != nil {
			return nil, err
		}
	}
	a := &Appender{batch: b, t: t, stamp: stamp}
	if t.Tail > 0 {
		if err := a.dropTail(); err != nil {
			return nil, err
		}
	}
	last, err := b.lastRow()
	a.lines = LineRange{Line: t.Lines, Row: last, Last: last, Plain: true}
	return a, err
}

// dropTail removes the last line.
func (a *Appender) dropTail() error {
	t := a.t
	result, err := a.batch.run("DELETE FROM quarantine WHERE session_key = ? AND line = ?", t.Key, t.Lines)
	if err != nil {
		return err
	}
	if n, _ := result.RowsAffected(); n == 0 {
		err = a.batch.exec("DELETE FROM messages WHERE rowid = (SELECT max(rowid) FROM messages WHERE session_key = ?)",
			t.Key)
		if err != nil {
			return err
		}
		err = a.batch.exec("DELETE FROM framing WHERE session_key = ? AND line = ?", t.Key, t.Lines)
		if err != nil {
			return err
		}
		t.Records--
	}
	t.Lines, t.Bytes, t.Tail = t.Lines-1, t.Bytes-t.Tail, 0
	return nil
}

// Add adds lines. It does not retain them.
func (a *Appender) Add(lines []Line) error {
	for i := range lines {
		if err := a.add(&lines[i]); err != nil {
			return err
		}
	}
	return a.insert()
}

func (a *Appender) add(line *Line) error {
	t, at := a.t, a.t.Lines+1
	t.Lines += line.Count()
	t.Bytes += int64(len(line.Before) + len(line.Text) + len(line.After))
	if !strings.HasSuffix(line.After, "\n") && (line.IsRecord || !bytes.HasSuffix(line.Text, []byte("\n"))) {
		t.Tail = int64(len(line.Before) + len(line.Text) + len(line.After))
	}
	if !line.IsRecord {
		a.lines.Plain = false
		return a.batch.exec("INSERT INTO quarantine(session_key, line, code, bytes, seal) VALUES (?, ?, ?, ?, ?)",
			t.Key, at, line.Code, line.Text, sealOf(at, line.Code, line.Text))
	}
	if t.LineEnd == "" && line.After != "" {
		t.LineEnd = line.After
	}
	if t.Records++; a.created == 0 {
		a.created = line.Time
	}
	t.LastTime = line.Time
	a.lines.Last++
	if line.Before != "" || line.After != t.LineEnd || line.After == "" {
		a.lines.Plain = false
		before, after := []byte(line.Before), []byte(line.After)
		err := a.batch.exec("INSERT INTO framing(session_key, line, before, after, seal) VALUES (?, ?, ?, ?, ?)", t.Key,
			at, before, after, sealOf(at, before, after))
		if err != nil {
			return err
		}
	}
	if a.pending = append(a.pending, line); len(a.pending) == rowsAtOnce {
		return a.insert()
	}
	return nil
}

// insert writes the pending records with as few statements as possible.
func (a *Appender) insert() error {
	lines := a.pending
	a.pending = a.pending[:0]
	for _, s := range inserts() {
		if len(lines) < s.rows {
			continue
		}
		if err := a.batch.exec(s.statement, a.arguments(lines[:s.rows])...); err != nil {
			return err
		}
		lines = lines[s.rows:]
	}
	return nil
}

func (a *Appender) arguments(lines []*Line) []any {
	args := make([]any, 0, 1+5*rowsAtOnce)
	args = append(args, a.t.Key)
	for _, line := range lines {
		var parent any
		if line.HasParent {
			parent = line.Parent
		}
		args = append(args, line.ID, parent, line.Type, line.Time, line.Text)
	}
	return args
}

// An insertion is a statement that inserts a fixed number of records.
type insertion struct {
	rows      int
	statement string
}

// inserts has a statement for every power of two, the largest first. Together they insert any number of records below
// twice the largest.
var inserts = sync.OnceValue(func() (list []insertion) {
	for n := rowsAtOnce; n > 0; n /= 2 {
		list = append(list, insertion{n, insertRows(n)})
	}
	return list
})

// insertRows returns the statement that inserts n records of one session, whose key is the first parameter. With OR
// FAIL and a foreign key that is checked at the commit, SQLite needs no journal for each statement. The caller rolls
// back if one fails.
func insertRows(n int) string {
	const row = "(?1, ?, ?, ?, ?, CAST(? AS TEXT))"
	return "INSERT OR FAIL INTO messages(session_key, id, parent_id, type, timestamp, data) VALUES " +
		row + strings.Repeat(", "+row, n-1)
}

// Finish stores the transcript. digest covers the complete text.
func (a *Appender) Finish(digest Digest) error {
	t := a.t
	t.Sum, t.state = digest.Sum, digest.State
	if t.LineEnd == "" {
		t.LineEnd = "\n"
	}
	session, err := a.touch()
	if err != nil {
		return err
	}
	values := append(t.values(), sealOf(session...))
	return a.batch.exec("INSERT OR REPLACE INTO transcripts("+transcriptColumns+
		", session_seal, seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		append(values, sealOf(values...))...)
}

// touch updates the times of the session, and returns the values of its row.
func (a *Appender) touch() ([]any, error) {
	b, key, stamp := a.batch, a.t.Key, a.stamp.UnixMilli()
	created, updated := cmp.Or(a.created, stamp), cmp.Or(a.t.LastTime, stamp)
	err := b.exec(`UPDATE sessions SET created_at = CASE WHEN created_at = 0 THEN ? ELSE created_at END, `+
		`updated_at = ? WHERE key = ?`, created, updated, key)
	if metadata, isNew := b.created[key]; isNew && err == nil {
		b.created = nil
		return []any{key, created, updated, metadata}, nil
	}
	if err != nil {
		return nil, err
	}
	return b.sessionRow(key)
}
