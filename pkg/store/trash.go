package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"strconv"
	"time"

	"clawctl/internal/failure"
	"clawctl/pkg/store/dbfile"
)

// The trash holds deleted sessions outside the tables of sessions, so that nothing that reads sessions can see them. A
// trashed session is its text in parts, and a description from which its rows are made again.

// A TrashedSession was deleted and can be restored.
type TrashedSession struct {
	ID      int64
	Key     string
	Deleted time.Time
	Reason  string
	About
}

// An About is what the store knows about a session besides its text.
type About struct {
	Transcript Transcript       `json:"transcript"`
	Created    int64            `json:"created"`
	Updated    int64            `json:"updated"`
	Metadata   string           `json:"metadata"`
	Receipts   []*ImportReceipt `json:"receipts,omitempty"`
	TextSum    string           `json:"textSum"` // the SHA-256 of the text as it was
}

// TrashPrefix begins the names of items of the trash.
const TrashPrefix = "trash:"

// Name returns the name of the item, because the trash may hold several sessions with the same key.
func (t *TrashedSession) Name() string { return TrashName(t.ID) }

// TrashName returns the name of the item of the trash with this id.
func TrashName(id int64) string { return TrashPrefix + strconv.FormatInt(id, 10) }

const trashColumns = "id, session_key, deleted_at, reason, about"

// ErrNoSession is the error for a key that no session has.
var ErrNoSession error = &failure.Sentinel{Code: failure.NotFound, Text: "no such session"}

// Trash moves a session to the trash.
func (b *Batch) Trash(key string, at time.Time, reason string) (*TrashedSession, error) {
	about, err := b.View().About(b.ctx, key)
	if err != nil {
		return nil, err
	}
	item := &TrashedSession{Key: key, Deleted: at, Reason: reason, About: *about}
	result, err := b.run("INSERT INTO trash(session_key, deleted_at, reason, about) VALUES (?, ?, ?, '')", key,
		at.UnixMilli(), reason)
	if err != nil {
		return nil, err
	}
	if item.ID, err = result.LastInsertId(); err != nil {
		return nil, err
	}
	if err := b.copyToTrash(item); err != nil {
		return nil, err
	}
	if err := b.describeTrashed(item); err != nil {
		return nil, err
	}
	return item, b.Drop(key)
}

// describeTrashed writes what the trash knows about a session.
func (b *Batch) describeTrashed(item *TrashedSession) error {
	about, err := json.Marshal(item.About)
	if err != nil {
		return err
	}
	seal := sealOf(item.ID, item.Key, item.Deleted.UnixMilli(), item.Reason, string(about))
	return b.exec("UPDATE trash SET about = ?, seal = ? WHERE id = ?", string(about), seal, item.ID)
}

// About returns what is known about a session besides its text.
func (v *View) About(ctx context.Context, key string) (*About, error) {
	list, err := collect(ctx, v.db, "SELECT created_at, updated_at, coalesce(metadata, '') FROM sessions WHERE key = ?",
		[]any{key}, func(scan scanFunc) (*About, error) {
			about := &About{}
			return about, scan(&about.Created, &about.Updated, &about.Metadata)
		})
	if err != nil {
		return nil, err
	}
	if list == nil {
		return nil, fmt.Errorf("%w: %s", ErrNoSession, key)
	}
	about := list[0]
	t, err := v.Transcript(ctx, key)
	if err != nil {
		return nil, err
	}
	if t == nil {
		t = UnknownTranscript(key)
		t.Records, err = one[int64](ctx, v.db, "SELECT count(*) FROM messages WHERE session_key = ?", key)
		if err != nil {
			return nil, err
		}
	}
	about.Transcript, about.TextSum = *t, t.Sum
	about.Receipts, err = v.ReceiptsOf(ctx, key)
	return about, err
}

// copyToTrash copies the text of a session and the bytes of its compressed sources.
func (b *Batch) copyToTrash(item *TrashedSession) error {
	text, err := b.View().Text(b.ctx, &item.Transcript, Whole)
	if err != nil {
		return err
	}
	defer text.Close()
	if item.TextSum, err = b.putParts(trashParts(item, 0), text); err != nil {
		return err
	}
	for i, r := range item.Receipts {
		if err := b.exec("INSERT INTO trash_parts(trash, receipt, part, bytes) SELECT ?, ?, part, bytes FROM packed "+
			"WHERE receipt = ?", item.ID, i+1, r.ID); err != nil {
			return err
		}
	}
	return nil
}

// Purge deletes a trashed session for good.
func (b *Batch) Purge(id int64) error {
	if err := b.exec("DELETE FROM trash_parts WHERE trash = ?", id); err != nil {
		return err
	}
	return b.exec("DELETE FROM trash WHERE id = ?", id)
}

// EraseDeleted makes SQLite overwrite what is deleted from now on, until the store is closed.
func (s *SQLite) EraseDeleted(ctx context.Context) error {
	_, err := s.writer.ExecContext(ctx, "PRAGMA secure_delete = 1")
	return dbfile.Classify(err)
}

// Trash lists the deleted sessions, the latest first.
func (v *View) Trash(ctx context.Context) (list []*TrashedSession, err error) {
	have, err := version(ctx, v.db)
	if err != nil || have < lifeVersion {
		return nil, err
	}
	return collect(ctx, v.db, "SELECT "+trashColumns+" FROM trash ORDER BY deleted_at DESC, id DESC", nil,
		func(scan scanFunc) (*TrashedSession, error) {
			item := &TrashedSession{}
			var at int64
			var about string
			if err := scan(&item.ID, &item.Key, &at, &item.Reason, &about); err != nil {
				return nil, err
			}
			item.Deleted = time.UnixMilli(at).UTC()
			if json.Unmarshal([]byte(about), &item.About) != nil {
				return nil, fmt.Errorf("%w: a row of trash cannot be read", dbfile.ErrCorrupt)
			}
			return item, nil
		})
}

// TrashText opens the text of a trashed session, and checks its digest at the end.
func (v *View) TrashText(ctx context.Context, item *TrashedSession) (io.ReadCloser, error) {
	return v.openChecked(ctx, trashParts(item, 0), item.TextSum)
}

// openChecked opens parts, and checks their digest at the end.
func (v *View) openChecked(ctx context.Context, p parts, sum string) (io.ReadCloser, error) {
	in, err := v.openParts(ctx, p)
	if err != nil {
		return nil, err
	}
	return newCheckedReader(in, sum), nil
}

// A checkedReader reports a text that does not have its digest instead of its end.
type checkedReader struct {
	from io.Reader
	io.Closer
	hash hash.Hash
	want string
}

func newCheckedReader(r io.ReadCloser, want string) *checkedReader {
	h := sha256.New()
	return &checkedReader{io.TeeReader(r, h), r, h, want}
}

func (c *checkedReader) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if err == io.EOF && hex.EncodeToString(c.hash.Sum(nil)) != c.want {
		err = fmt.Errorf("%w: the text does not have its digest", dbfile.ErrCorrupt)
	}
	return n, err
}

// Untrash puts a trashed session back under its old name, and removes it from the trash. The name must be free. A
// receipt is left out if its file has been imported again.
func (b *Batch) Untrash(item *TrashedSession) (*Transcript, error) {
	t := item.Transcript
	t.forgetText()
	text, err := b.View().TrashText(b.ctx, item)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	if err := b.CreateFrom(&t, Metadata{}, text, time.UnixMilli(item.Updated)); err != nil {
		return nil, err
	}
	if err := b.describeAs(t.Key, &item.About); err != nil {
		return nil, err
	}
	if item.Transcript.Sum == "" {
		if err := b.SetSum(&t, ""); err != nil {
			return nil, err
		}
	}
	for i, r := range item.Receipts {
		if err := b.untrashReceipt(item.ID, i+1, *r); err != nil {
			return nil, err
		}
	}
	return &t, b.Purge(item.ID)
}

// describeAs gives a session the times and the metadata that it had.
func (b *Batch) describeAs(key string, a *About) error {
	return b.update(key, "UPDATE sessions SET created_at = ?, updated_at = ?, metadata = ? WHERE key = ?", a.Created,
		a.Updated, a.Metadata)
}

// untrashReceipt puts a receipt back, unless its file has been imported again.
func (b *Batch) untrashReceipt(trash int64, number int, r ImportReceipt) error {
	const isTaken = "SELECT EXISTS (SELECT 1 FROM receipts WHERE path = ? AND NOT replaced)"
	taken, err := one[bool](b.ctx, b.db, isTaken, r.Path)
	if err != nil || taken && !r.Replaced {
		return err
	}
	if r.ID, err = b.nextReceipt(); err != nil {
		return err
	}
	if err := b.PutReceipt(&r); err != nil {
		return err
	}
	return b.exec("INSERT INTO packed(receipt, part, bytes) SELECT ?, part, bytes FROM trash_parts WHERE trash = ? AND "+
		"receipt = ?", r.ID, trash, number)
}

// CreateFrom creates a session with a text. t says whose it is, and gets its length and digest.
func (b *Batch) CreateFrom(t *Transcript, metadata Metadata, text io.Reader, stamp time.Time) error {
	if err := b.Create(t, metadata); err != nil {
		return err
	}
	return b.addText(t, text, stamp)
}

// joinedLines add single lines to a transcript, and join those that are not records.
type joinedLines struct {
	appender *Appender
	waiting  []Line // at most one that others may be joined to
}

func (j *joinedLines) add(line Line) error {
	if len(j.waiting) > 0 && j.waiting[0].Join(&line) {
		return nil
	}
	if err := j.flush(); err != nil {
		return err
	}
	if line.IsRecord {
		return j.appender.Add([]Line{line})
	}
	line.Text = bytes.Clone(line.Text)
	j.waiting = append(j.waiting, line)
	return nil
}

func (j *joinedLines) flush() error {
	err := j.appender.Add(j.waiting)
	j.waiting = j.waiting[:0]
	return err
}

// SetOwn stores how many bytes of a session came from no source.
func (b *Batch) SetOwn(t *Transcript) error {
	return b.update(t.Key, "UPDATE transcripts SET own = ? WHERE session_key = ?", t.Own)
}
