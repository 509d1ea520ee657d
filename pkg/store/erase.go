package store

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"
)

// A stored line never changes, with one exception: somebody wants a value to be removed from everything. Then every
// line that has it is written again, and the digests, lengths and receipts that depend on it follow. What has become of
// a line depends on the lines up to it only, so that a file from which the value was removed in the same way is still
// equal to its copy in the store.

// An Editor removes values from texts. Each method returns the same slice if there is nothing to remove.
type Editor interface {
	// Has reports whether a text has one of the values.
	Has(text []byte) bool
	// Depends reports whether a line without a value changes if the session has a value before it.
	Depends(line []byte) bool
	// Record edits the text of a record that has a value or comes after one, without its line end.
	Record(text []byte) []byte
	// Line edits such a line that is not a record, with its line end.
	Line(raw []byte) []byte
	// Metadata edits the JSON text that describes a session.
	Metadata(text []byte) []byte
	// Text edits a text of lines.
	Text(w io.Writer, in io.Reader) error
	// Packed edits a compressed text. It reports whether it has a value, and writes nothing if not.
	Packed(w io.Writer, in io.Reader) (changed bool, err error)
}

// Erase removes values from all sessions, their descriptions, the originals of compressed sources, and the trash. It
// returns the number of sessions that have changed.
func (b *Batch) Erase(e Editor) (sessions int, err error) {
	infos, err := b.View().list(b.ctx, "")
	if err != nil {
		return 0, err
	}
	for _, info := range infos {
		changed, err := b.eraseSession(info.Key, e)
		if err != nil {
			return 0, err
		}
		if changed {
			sessions++
		}
	}
	trashed, err := b.View().Trash(b.ctx)
	if err != nil {
		return 0, err
	}
	for _, item := range trashed {
		changed, err := b.eraseTrashed(item, e)
		if err != nil {
			return 0, err
		}
		if changed {
			sessions++
		}
	}
	return sessions, nil
}

// eraseSession removes values from a session. It reports whether there were any.
func (b *Batch) eraseSession(key string, e Editor) (changed bool, err error) {
	list, err := b.View().ReceiptsOf(b.ctx, key)
	if err != nil {
		return false, err
	}
	for _, r := range list {
		packed, err := b.erasePacked(r, e)
		if changed = changed || packed; err != nil {
			return false, err
		}
	}
	described, err := b.eraseMetadata(key, e)
	if err != nil {
		return false, err
	}
	records, others, err := b.rowsToErase(key, e)
	if err != nil {
		return false, err
	}
	if len(records)+len(others) > 0 {
		err = b.eraseText(key, list, func() error { return b.eraseLines(key, records, others, e) })
	}
	return changed || described || len(records)+len(others) > 0, err
}

// erasePacked removes values from the original bytes of a compressed source, which are compressed again.
func (b *Batch) erasePacked(r *ImportReceipt, e Editor) (changed bool, err error) {
	if r.PackedSum == "" {
		return false, nil
	}
	sum, changed, err := b.eraseParts(packedParts(r.ID), e.Packed)
	if !changed || err != nil {
		return false, err
	}
	r.PackedSum = sum
	return true, b.PutReceipt(r)
}

// eraseLines writes lines of a session again: rows of messages, and others of quarantine.
func (b *Batch) eraseLines(key string, records, others []int64, e Editor) error {
	for _, id := range records {
		text, err := one[[]byte](b.ctx, b.db, "SELECT CAST(data AS BLOB) FROM messages WHERE rowid = ?", id)
		if err != nil {
			return err
		}
		if err := b.exec("UPDATE messages SET data = CAST(? AS TEXT) WHERE rowid = ?", e.Record(text), id); err != nil {
			return err
		}
	}
	for _, id := range others {
		text, err := one[[]byte](b.ctx, b.db, "SELECT bytes FROM quarantine WHERE rowid = ?", id)
		if err != nil {
			return err
		}
		if err := b.exec("UPDATE quarantine SET bytes = ? WHERE rowid = ?", editLines(text, e), id); err != nil {
			return err
		}
	}
	return b.resealLines(key)
}

// editLines edits the lines of a row of quarantine one by one, as they are edited in a file.
func editLines(text []byte, e Editor) (edited []byte) {
	for line := range bytes.Lines(text) {
		edited = append(edited, e.Line(line)...)
	}
	return edited
}

// eraseMetadata removes values from what describes a session.
func (b *Batch) eraseMetadata(key string, e Editor) (changed bool, err error) {
	text, err := one[[]byte](b.ctx, b.db, "SELECT coalesce(metadata, '') FROM sessions WHERE key = ?", key)
	if err != nil || !e.Has(text) {
		return false, err
	}
	return true, b.update(key, "UPDATE sessions SET metadata = ? WHERE key = ?", string(e.Metadata(text)))
}

// eraseText changes the lines of a session, and then everything that depends on its text.
func (b *Batch) eraseText(key string, list []*ImportReceipt, change func() error) error {
	t, err := b.View().Transcript(b.ctx, key)
	if err != nil || t == nil { // another program's session has no digest
		return errors.Join(err, change())
	}
	open := func() (io.ReadCloser, error) { return b.View().Text(b.ctx, t, Whole) }
	after, err := changeText(t, list, open, change)
	if err != nil {
		return err
	}
	for i, r := range list {
		if err := b.moveReceipt(r, after.prefixes[i+1]); err != nil {
			return err
		}
	}
	if err := b.exec("DELETE FROM heads WHERE session_key = ?", key); err != nil {
		return err
	}
	const query = "UPDATE transcripts SET bytes = ?, tail = ?, sha256 = ?, state = ?, own = ? WHERE session_key = ?"
	return b.update(key, query, t.Bytes, t.Tail, t.Sum, t.state, t.Own)
}

// moveReceipt gives a receipt the length and the digest of its part of the new text. A receipt that ends inside of a
// line that has changed is dropped: its file is no longer the beginning of the session.
func (b *Batch) moveReceipt(r *ImportReceipt, p prefix) error {
	if p.isBroken {
		return b.DropReceipt(r)
	}
	r.Bytes, r.Sum = p.end, p.sum
	return b.PutReceipt(r)
}

// A prefix is the beginning of a text: whole lines, and a part of the next one.
type prefix struct {
	end      int64  // in the text that was measured last
	sum      string // of all of it; "" until it was measured
	lines    int64  // whole lines; -1 until they were counted
	rest     int64  // bytes of the next line
	restSum  string // of these bytes
	more     int64  // bytes after the text of the next line, if all of that belongs to the prefix; -1 otherwise
	isBroken bool   // only a part of the next line belongs to it, and that has changed
}

// prefixesOf returns the beginnings of a session's text that somebody refers to: what came from sources, and what each
// receipt is about.
func prefixesOf(t *Transcript, list []*ImportReceipt) []prefix {
	prefixes := []prefix{{end: t.Bytes - t.Own, lines: -1}}
	for _, r := range list {
		prefixes = append(prefixes, prefix{end: r.Bytes, lines: -1})
	}
	return prefixes
}

// textMeasure is what is known about a text after it was read.
type textMeasure struct {
	bytes, tail int64
	digest      Digest
	whole       string // the SHA-256 of everything
	prefixes    []prefix
}

// changeText changes a text, tells its transcript about the new one, and returns what is known about that.
func changeText(t *Transcript, list []*ImportReceipt, open func() (io.ReadCloser, error), change func() error) (
	m *textMeasure, err error) {
	measure := func(prefixes []prefix) (*textMeasure, error) {
		text, err := open()
		if err != nil {
			return nil, err
		}
		defer text.Close()
		return measureLines(text, t.Lines, prefixes)
	}
	if m, err = measure(prefixesOf(t, list)); err != nil {
		return nil, err
	}
	if err = change(); err != nil {
		return nil, err
	}
	if m, err = measure(m.prefixes); err != nil {
		return nil, err
	}
	t.Bytes, t.Tail, t.Own = m.bytes, m.tail, m.bytes-m.prefixes[0].end
	if t.state = m.digest.State; t.Sum != "" {
		t.Sum = m.digest.Sum
	}
	return m, nil
}

// measureLines reads a text of which a transcript describes the first lines. Prefixes are known by their end the first
// time, and by their lines after that.
func measureLines(text io.Reader, lines int64, prefixes []prefix) (*textMeasure, error) {
	m := &textMeasure{prefixes: slices.Clone(prefixes)}
	for i := range m.prefixes {
		m.prefixes[i].sum = ""
	}
	in, described, whole := bufio.NewReaderSize(text, 1<<16), sha256.New(), sha256.New()
	at, n := int64(0), int64(0)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, err
		}
		for i := range m.prefixes {
			if p := &m.prefixes[i]; p.endsIn(line, at, n, err == io.EOF) {
				p.end, p.sum = at+p.rest, DigestAfter(whole, line[:p.rest])
			}
		}
		if len(line) == 0 {
			break
		}
		whole.Write(line)
		at += int64(len(line))
		if n++; n > lines {
			continue // others have added it
		}
		described.Write(line)
		if m.bytes, m.tail = at, 0; !bytes.HasSuffix(line, []byte("\n")) {
			m.tail = int64(len(line))
		}
	}
	m.digest, m.whole = DigestOf(described), hex.EncodeToString(whole.Sum(nil))
	return m, nil
}

// endsIn reports whether a prefix ends in a line, which begins at an offset and has a number. It finds out how much of
// the line belongs to the prefix: as much as before, or all of its text if that was so before.
func (p *prefix) endsIn(line []byte, at, number int64, isLast bool) bool {
	size, text := int64(len(line)), int64(len(bytes.TrimRight(line, "\r\n")))
	switch {
	case p.sum != "":
		return false
	case p.lines < 0 && p.end >= at && (p.end < at+size || isLast):
		p.lines, p.rest, p.more = number, min(p.end-at, size), -1
		if p.rest >= text {
			p.more = p.rest - text
		}
		p.restSum = sumOf(line[:p.rest])
		return true
	case p.lines != number:
		return false
	case p.more >= 0:
		p.rest = min(text+p.more, size)
		return true
	}
	p.isBroken = p.rest > size || p.restSum != sumOf(line[:min(p.rest, size)])
	p.rest = min(p.rest, size)
	return true
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
