package store

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"strings"
	"sync"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/store/dbfile"
)

// A trigger of another program may remove or change what a batch writes, and SQLite reports success. So a batch
// promises what has to be there when it ends, and looks before it commits. Lines that an Appender adds are not
// promised: an import compares them with their source after the commit.

// ErrNotKept is the error for a batch that did not change the store as it should. Nothing is committed.
var ErrNotKept error = notKeptError{}

type notKeptError struct{}

func (notKeptError) Error() string { return "what was read back is not what was written" }

// FailureAt names the store, what probably happened, and the command that checks the rest.
func (e notKeptError) FailureAt(place string) *failure.Error {
	return failure.New(failure.Differs, "%v, so nothing was changed; another program's trigger may be the cause", e).
		At(place).WithHint(failure.Command("clawctl", "verify", place))
}

// A promise checks something that a batch has done to the session with a key.
type promise func(b *Batch, key string) error

// promises are what a batch has to find before it commits.
type promises struct {
	sessions map[string][]promise      // by the keys of sessions
	trash    map[int64]*TrashedSession // by the ids of items, nil for one that was purged
}

func newPromises() promises {
	return promises{sessions: map[string][]promise{}, trash: map[int64]*TrashedSession{}}
}

func (p promises) clone() promises { return promises{maps.Clone(p.sessions), maps.Clone(p.trash)} }

// promise adds a promise about a session.
func (p promises) promise(key string, made promise) { p.sessions[key] = append(p.sessions[key], made) }

// promiseGone replaces what was promised about a session that was deleted or renamed.
func (p promises) promiseGone(key string) { p.sessions[key] = []promise{(*Batch).isGone} }

// rename moves what was promised about a session to its new key.
func (p promises) rename(old, key string) {
	if old != key {
		p.sessions[key] = p.sessions[old]
		p.promiseGone(old)
	}
}

// Check reads back what the batch has written. It returns ErrNotKept if something else is there.
func (b *Batch) Check() error {
	for key, list := range b.promises.sessions {
		for _, kept := range list {
			if err := kept(b, key); err != nil {
				return err
			}
		}
	}
	for id, item := range b.promises.trash {
		if err := b.checkTrash(id, item); err != nil {
			return err
		}
	}
	b.promises = newPromises()
	return nil
}

// mustHold returns ErrNotKept unless a condition of SQL holds.
func (b *Batch) mustHold(condition string, args ...any) error {
	var holds bool
	if err := b.row("SELECT "+condition, args...).Scan(&holds); err != nil {
		return dbfile.Classify(err)
	}
	if !holds {
		return ErrNotKept
	}
	return nil
}

func (b *Batch) isGone(key string) error {
	return b.mustHold("NOT EXISTS (SELECT 1 FROM sessions WHERE key = ?1) AND NOT EXISTS (SELECT 1 FROM messages WHERE "+
		"session_key = ?1)", key)
}

// countRows returns how many rows a session has in each table.
func (b *Batch) countRows(key string) (counts string, err error) {
	err = b.row(countRowsQuery(), key).Scan(&counts)
	return counts, dbfile.Classify(err)
}

var countRowsQuery = sync.OnceValue(func() string {
	var counts []string
	for _, table := range sessionTables {
		counts = append(counts, "(SELECT count(*) FROM "+table+" WHERE session_key = ?1)")
	}
	return "SELECT " + strings.Join(counts, " || ' ' || ")
})

// hasTranscript promises the description of a session. t is what it says at the end of the batch.
func hasTranscript(t *Transcript) promise {
	return func(b *Batch, key string) error {
		have, err := b.View().Transcript(b.ctx, key)
		if err != nil {
			return err
		}
		if have == nil || sealOf(have.values()...) != sealOf(t.values()...) {
			return ErrNotKept
		}
		return nil
	}
}

// noText is the SHA-256 of what follows the text of a session that nobody else has added to.
var noText = sync.OnceValue(func() string { return sumOf(nil) })

// hasText promises the whole text of a session, the columns of its records, and the SHA-256 of what others have added.
func hasText(t *Transcript, others string) promise {
	return func(b *Batch, key string) error {
		text, err := b.View().Text(b.ctx, t, Whole)
		if err != nil {
			return err
		}
		defer text.Close()
		h, rest := sha256.New(), sha256.New()
		if _, err := text.WriteLines(h, t.Lines); err != nil {
			return err
		}
		if _, err := io.Copy(rest, text); err != nil {
			return err
		}
		wrong, err := b.View().CheckRows(b.ctx, t)
		if err != nil {
			return err
		}
		if wrong != 0 || hex.EncodeToString(rest.Sum(nil)) != others || !bytes.Equal(DigestOf(h).State, t.state) {
			return ErrNotKept
		}
		return nil
	}
}

// hasLineEnd promises the end of a line that had none.
func hasLineEnd(line int64, end string) promise {
	return func(b *Batch, key string) error {
		return b.mustHold("EXISTS (SELECT 1 FROM framing WHERE session_key = ?1 AND line = ?2 AND after = CAST(?3 AS BLOB)) "+
			"OR EXISTS (SELECT 1 FROM quarantine WHERE session_key = ?1 AND line = ?2 AND substr(bytes, -length(?3)) = "+
			"CAST(?3 AS BLOB))", key, line, end)
	}
}

// isThere promises the records of an addition: their columns, and that their text takes the digest to a state.
func (a *addition) isThere(after []byte) promise {
	return func(b *Batch, key string) error {
		h, liner, parser := sha256.New(), a.first, jsonl.Parser{}
		if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(a.before); err != nil {
			return err
		}
		rows := []any{a.appender.lines.Row + 1, a.appender.lines.Last}
		err := each(b.ctx, b.store.writer, rowsQuery, rows, func(scan func(...any) error) error {
			var row storedRow
			if err := row.scan(scan); err != nil {
				return err
			}
			if line := liner.Line(parser.Parse(row.data, 1, 0)); !row.matches(&line, key) {
				return ErrNotKept
			}
			h.Write(row.data)
			h.Write([]byte(a.appender.t.LineEnd))
			return nil
		})
		if err == nil && !bytes.Equal(DigestOf(h).State, after) {
			err = ErrNotKept
		}
		return dbfile.Classify(err)
	}
}

// checkTrash checks that an item is in the trash with all of its bytes, or that it is gone.
func (b *Batch) checkTrash(id int64, item *TrashedSession) error {
	if item == nil {
		return b.mustHold("NOT EXISTS (SELECT 1 FROM trash WHERE id = ?1) AND NOT EXISTS (SELECT 1 FROM trash_parts WHERE "+
			"trash = ?1)", id)
	}
	if err := b.mustHold("EXISTS (SELECT 1 FROM trash WHERE id = ?1 AND session_key = ?2 AND seal = ?3) AND ?4 = "+
		"(SELECT count(*) FROM trash_parts WHERE trash = ?1)", id, item.Key, item.seal, item.parts); err != nil {
		return err
	}
	text, err := b.View().TrashText(b.ctx, item)
	if err != nil {
		return err
	}
	defer text.Close()
	if _, err = io.Copy(io.Discard, text); errors.Is(err, dbfile.ErrCorrupt) {
		return ErrNotKept
	}
	return err
}
