package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"clawctl/pkg/store/dbfile"
)

// parts are the rows of a blob that is stored in parts: the original bytes of a compressed source, or the text of a
// deleted session.
type parts struct {
	table string
	owner string // the columns that say whose parts they are
	ids   []any  // the values of these columns
}

// partSize is the size of a part.
const partSize = 1 << 20

func packedParts(receipt int64) parts { return parts{"packed", "receipt", []any{receipt}} }

// trashParts are the text of a deleted session if number is 0, and otherwise the compressed bytes of a receipt.
func trashParts(item *TrashedSession, number int) parts {
	return parts{"trash_parts", "trash, receipt", []any{item.ID, number}}
}

// where is the condition for the parts.
func (p parts) where() string { return "(" + p.owner + ") = (" + places(len(p.ids)) + ")" }

func places(n int) string { return "?" + strings.Repeat(", ?", n-1) }

// A partReader reads parts. It has no open query between two of them, so that others can be written.
type partReader struct {
	parts
	ctx  context.Context
	db   querier
	next int
	rest []byte
	done func() error
}

// openParts opens parts in one state of the store.
func (v *View) openParts(ctx context.Context, p parts) (*partReader, error) {
	db, release, err := v.openState(ctx)
	return &partReader{parts: p, ctx: ctx, db: db, done: release}, err
}

// Read reads the next bytes.
func (r *partReader) Read(buf []byte) (int, error) {
	for len(r.rest) == 0 {
		var n int
		query := "SELECT count(*), max(bytes) FROM " + r.table + " WHERE " + r.where() + " AND part = ?"
		err := r.db.QueryRowContext(r.ctx, query, append(slices.Clone(r.ids), r.next)...).Scan(&n, &r.rest)
		if err != nil {
			return 0, dbfile.Classify(err)
		}
		if n == 0 {
			return 0, io.EOF
		}
		r.next++
	}
	n := copy(buf, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close ends the reading.
func (r *partReader) Close() error { return r.done() }

// A partWriter writes parts.
type partWriter struct {
	parts
	batch *Batch
	buf   []byte
	next  int
}

// Write adds bytes.
func (w *partWriter) Write(data []byte) (int, error) {
	w.buf = append(w.buf, data...)
	for len(w.buf) >= partSize {
		if err := w.put(partSize); err != nil {
			return 0, err
		}
	}
	return len(data), nil
}

func (w *partWriter) put(n int) error {
	err := w.batch.exec("INSERT INTO "+w.table+"("+w.owner+", part, bytes) VALUES ("+places(len(w.ids)+2)+")",
		append(slices.Clone(w.ids), w.next, w.buf[:n])...)
	w.buf = w.buf[n:]
	w.next++
	return err
}

// flush writes the last part.
func (w *partWriter) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	return w.put(len(w.buf))
}

// putParts stores a text in parts, and returns its SHA-256.
func (b *Batch) putParts(p parts, text io.Reader) (sum string, err error) {
	w, h := &partWriter{parts: p, batch: b}, sha256.New()
	if _, err := io.Copy(io.MultiWriter(w, h), text); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), w.flush()
}

// newParts is where the numbers of new parts begin, until the old ones are gone.
const newParts = 1 << 40

// eraseParts edits a blob, and returns the SHA-256 of the new one.
func (b *Batch) eraseParts(
	p parts, edit func(w io.Writer, in io.Reader) (bool, error),
) (sum string, changed bool, err error) {
	in, err := b.View().openParts(b.ctx, p)
	if err != nil {
		return "", false, err
	}
	w, h := &partWriter{parts: p, batch: b, next: newParts}, sha256.New()
	changed, err = edit(io.MultiWriter(w, h), in)
	if err == nil && changed {
		err = w.replace()
	}
	return hex.EncodeToString(h.Sum(nil)), changed, err
}

// replace puts the new parts in the place of the old ones.
func (w *partWriter) replace() error {
	if err := w.flush(); err != nil {
		return err
	}
	err := w.batch.exec(fmt.Sprintf("DELETE FROM %s WHERE %s AND part < %d", w.table, w.where(), newParts), w.ids...)
	if err != nil {
		return err
	}
	return w.batch.exec(fmt.Sprintf("UPDATE %s SET part = part - %d WHERE %s", w.table, newParts, w.where()), w.ids...)
}
