package store

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"time"

	"clawctl/pkg/jsonl"
)

// Append adds one record at the end of a session.
func (s *SQLite) Append(ctx context.Context, key string, record *jsonl.Record) error {
	return s.AppendAfter(ctx, key, anyLength, record)
}

// anyLength makes AppendAfter add a record whatever the session has.
const anyLength = -1

// AppendAfter is Append for a record that is based on text the caller has read. If the session no longer has exactly
// that many bytes, AppendAfter writes nothing and returns ErrConflict.
func (s *SQLite) AppendAfter(ctx context.Context, key string, bytes int64, record *jsonl.Record) error {
	if !isWhole(record) {
		return ErrNotRecord
	}
	return s.Write(ctx, func(b *Batch) error {
		t, err := b.transcriptOf(key)
		if err != nil {
			return err
		}
		if err = b.mustBeCounted(t); err != nil {
			return err
		}
		if bytes != anyLength && t.Bytes != bytes {
			return fmt.Errorf("%w: expected %d bytes, got %d", ErrConflict, bytes, t.Bytes)
		}
		return b.AddRecords(t, []*jsonl.Record{record})
	})
}

// isWhole reports whether a record can be a line of its own.
func isWhole(rec *jsonl.Record) bool { return rec != nil && rec.Legible() && rec.Damage == nil }

// Save stores a session: it merges the metadata and adds the records that are not stored yet.
func (s *SQLite) Save(ctx context.Context, session *Conversation) error {
	return s.Write(ctx, func(b *Batch) error {
		t, err := b.transcriptOf(session.Key)
		if err != nil {
			return err
		}
		if err = b.Describe(session.Key, session.Metadata); err != nil {
			return err
		}
		stored, err := b.View().Text(b.ctx, t, Whole)
		if err != nil {
			return err
		}
		defer stored.Close()
		have := jsonl.NewReader(stored, jsonl.Options{})
		return b.addRecords(t, func(yield func(*jsonl.Record, error) bool) {
			isCounted := false
			for rec, err := range session.Records {
				isNew := false
				if err == nil {
					isNew, err = isNext(have, rec)
				}
				if isNew && !isCounted {
					isCounted, err = true, b.mustBeCounted(t)
				}
				if (isNew || err != nil) && !yield(rec, err) {
					return
				}
			}
		})
	})
}

// isNext reports whether a record follows everything that is stored. If it differs from the next stored record, that is
// a conflict.
func isNext(have *jsonl.Reader, rec *jsonl.Record) (is bool, err error) {
	next, err := nextLegible(have)
	switch {
	case err != nil:
		return false, err
	case !isWhole(rec) && next == nil:
		return false, ErrNotRecord
	case next != nil && string(next.Stated()) != string(rec.Stated()):
		return false, fmt.Errorf("%w: record %d", ErrConflict, next.Line)
	}
	return next == nil, nil
}

// nextLegible returns the next record, or nil at the end.
func nextLegible(r *jsonl.Reader) (*jsonl.Record, error) {
	for {
		rec, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil
		case err != nil:
			return nil, err
		case rec.Legible():
			return rec, nil
		}
	}
}

// Write runs a transaction. If part fails, nothing is written.
func (s *SQLite) Write(ctx context.Context, part func(*Batch) error) error {
	b, err := s.Begin(ctx)
	if err != nil {
		return err
	}
	if err := part(b); err != nil {
		b.Rollback()
		return err
	}
	return b.Commit()
}

// Transcript returns the transcript of a session, or nil if there is no such session. Rows that other programs inserted
// become part of it.
func (b *Batch) Transcript(key string) (*Transcript, error) {
	if exists, err := b.View().Exists(b.ctx, key); err != nil || !exists {
		return nil, err
	}
	return b.transcriptOf(key)
}

// mustBeCounted refuses a session that has other rows than its transcript says.
func (b *Batch) mustBeCounted(t *Transcript) error { return b.MustBeWhole(t, LastRow{}) }

// AddRecords adds records at the end of a session, which must be whole.
func (b *Batch) AddRecords(t *Transcript, records []*jsonl.Record) error {
	return b.addRecords(t, func(yield func(*jsonl.Record, error) bool) {
		for _, rec := range records {
			if !yield(rec, nil) {
				return
			}
		}
	})
}

// HasID reports whether a session has a record with an id and a time. An index makes that fast.
func (b *Batch) HasID(key, id string, millis int64) (bool, error) {
	const query = "SELECT EXISTS (SELECT 1 FROM messages WHERE session_key = ? AND timestamp = ? AND id = ?)"
	return one[bool](b.ctx, b.db, query, key, millis, id)
}

// transcriptOf returns the transcript of a session, and creates both if they do not exist. Rows that other programs
// inserted become part of it.
func (b *Batch) transcriptOf(key string) (*Transcript, error) {
	t, err := b.View().Transcript(b.ctx, key)
	if err != nil || t != nil {
		return t, err
	}
	t = UnknownTranscript(key)
	err = b.exec("INSERT OR IGNORE INTO sessions(key, created_at, updated_at, metadata) VALUES (?, 0, 0, '{}')", key)
	if err != nil {
		return nil, err
	}
	return t, b.recount(t)
}

func first[T any](list []*T) *T {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// recount computes the digest of a session's text from its rows.
func (b *Batch) recount(t *Transcript) error {
	text, err := b.View().Text(b.ctx, t, Whole)
	if err != nil {
		return err
	}
	defer text.Close()
	h, err := t.hash()
	if err != nil {
		return err
	}
	for rec, err := range jsonl.Records(text, jsonl.Options{BeforeRead: b.ctx.Err}) {
		if err != nil {
			return err
		}
		h.Write(rec.Raw)
		t.Lines, t.Records, t.Bytes = t.Lines+1, t.Records+1, t.Bytes+int64(len(rec.Raw))
		if at, ok := rec.Time(); ok {
			t.LastTime = at.UnixMilli()
		}
	}
	d := DigestOf(h)
	t.Sum, t.state = d.Sum, d.State
	return nil
}

// addRecords adds records that come from no source to a transcript, and continues its digest. Without records nothing
// changes.
func (b *Batch) addRecords(t *Transcript, records iter.Seq2[*jsonl.Record, error]) error {
	var a *Appender
	var h hash.Hash
	var liner *Liner
	isUndigested := t.Sum == "" && t.Lines > 0 // its rows may differ from what was digested
	for rec, err := range records {
		if err == nil && !isWhole(rec) {
			err = ErrNotRecord
		}
		if err == nil && a == nil {
			a, h, err = b.beginAddition(t)
			liner = NewLiner(t)
		}
		if err != nil {
			return err
		}
		line := liner.Line(rec)
		line.Before, line.After = "", t.LineEnd
		h.Write(line.Text)
		h.Write([]byte(line.After))
		t.Own += int64(len(line.Text) + len(line.After))
		if err := a.Add([]Line{line}); err != nil {
			return err
		}
	}
	if a == nil {
		return nil
	}
	digest := DigestOf(h)
	if isUndigested {
		digest.Sum = ""
	}
	return a.Finish(digest)
}

// beginAddition returns what adds records to a transcript, and the hash of its text.
func (b *Batch) beginAddition(t *Transcript) (a *Appender, h hash.Hash, err error) {
	if err = b.Unarchive(t); err != nil { // before the end of its last line changes
		return nil, nil, err
	}
	if h, err = t.hash(); err != nil {
		return nil, nil, err
	}
	if err = b.terminate(t, h); err != nil {
		return nil, nil, err
	}
	a, err = b.Extend(t, time.UnixMilli(max(t.LastTime, 0)))
	return a, h, err
}

// terminate adds the missing line end of the last line before another line follows.
func (b *Batch) terminate(t *Transcript, h hash.Hash) error {
	if t.Tail == 0 {
		return nil
	}
	err := b.exec("UPDATE quarantine SET bytes = CAST(bytes || ? AS BLOB) WHERE session_key = ? AND line = ?",
		t.LineEnd, t.Key, t.Lines)
	if err != nil {
		return err
	}
	err = b.exec("UPDATE framing SET after = CAST(? AS BLOB) WHERE session_key = ? AND line = ?",
		t.LineEnd, t.Key, t.Lines)
	if err != nil {
		return err
	}
	h.Write([]byte(t.LineEnd))
	t.Bytes, t.Own, t.Tail = t.Bytes+int64(len(t.LineEnd)), t.Own+int64(len(t.LineEnd)), 0
	return b.resealLines(t.Key)
}
