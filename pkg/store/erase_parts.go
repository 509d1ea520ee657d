package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"clawctl/pkg/store/dbfile"
)

// erasePacked removes values from the original bytes of a compressed source, which are compressed again.
func (b *Batch) erasePacked(r *ImportReceipt, e Editor) (changed bool, err error) {
	if r.PackedSum == "" {
		return false, nil
	}
	sum, changed, err := b.eraseParts(parts{b, "packed", "receipt = ?", []any{r.ID}}, e.Packed)
	if !changed || err != nil {
		return false, err
	}
	r.PackedSum = sum
	return true, b.PutReceipt(r)
}

// parts are the rows of a blob that is stored in parts.
type parts struct {
	batch *Batch
	table string
	where string
	args  []any
}

// read returns a reader of the parts. It has no open query between two of them, so that others can be written.
func (p parts) read() io.Reader { return &partReader{parts: p} }

type partReader struct {
	parts
	next int
	rest []byte
}

func (r *partReader) Read(buf []byte) (int, error) {
	for len(r.rest) == 0 {
		var n int
		query := "SELECT count(*), max(bytes) FROM " + r.table + " WHERE " + r.where + " AND part = ?"
		if err := r.batch.row(query, append(slices.Clone(r.args), r.next)...).Scan(&n, &r.rest); err != nil {
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

// newParts is where the numbers of new parts begin, until the old ones are gone.
const newParts = 1 << 40

// A partWriter writes new parts after the old ones.
type partWriter struct {
	parts
	buf   []byte
	count int
}

func (w *partWriter) Write(data []byte) (int, error) {
	w.buf = append(w.buf, data...)
	for len(w.buf) >= trashPart {
		if err := w.put(trashPart); err != nil {
			return 0, err
		}
	}
	return len(data), nil
}

func (w *partWriter) put(n int) error {
	columns, places := map[string]string{"packed": "receipt", "trash_parts": "trash, receipt"}[w.table], "?, ?, ?"
	if len(w.args) == 2 {
		places = "?, ?, ?, ?"
	}
	err := w.batch.exec("INSERT INTO "+w.table+"("+columns+", part, bytes) VALUES ("+places+")",
		append(slices.Clone(w.args), newParts+w.count, w.buf[:n])...)
	w.buf = w.buf[n:]
	w.count++
	return err
}

// replace puts the new parts in the place of the old ones.
func (w *partWriter) replace() error {
	if len(w.buf) > 0 {
		if err := w.put(len(w.buf)); err != nil {
			return err
		}
	}
	if err := w.batch.exec(fmt.Sprintf("DELETE FROM %s WHERE %s AND part < %d", w.table, w.where, newParts),
		w.args...); err != nil {
		return err
	}
	return w.batch.exec(fmt.Sprintf("UPDATE %s SET part = part - %d WHERE %s", w.table, newParts, w.where), w.args...)
}

// eraseParts edits a blob, and returns the SHA-256 of the new one.
func (b *Batch) eraseParts(
	p parts, edit func(w io.Writer, in io.Reader) (bool, error),
) (sum string, changed bool, err error) {
	w, h := &partWriter{parts: p}, sha256.New()
	changed, err = edit(io.MultiWriter(w, h), p.read())
	if err == nil && changed {
		err = w.replace()
	}
	return hex.EncodeToString(h.Sum(nil)), changed, err
}
