package store

import (
	"database/sql"
	"errors"

	"clawctl/pkg/store/dbfile"
)

// A head is the state in which a session ends, in the words of whoever appends to it. It saves reading the session
// before every record. It counts only for the text that it was made for, so whatever else adds to a session, such as an
// import, makes it void.

// Head returns the state that was stored with the current text of a session, or "".
func (b *Batch) Head(t *Transcript) (state string, err error) {
	var bytes int64
	var seal sql.NullInt64
	err = b.row("SELECT bytes, state, seal FROM heads WHERE session_key = ?", t.Key).Scan(&bytes, &state, &seal)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", nil
	case err != nil:
		return "", dbfile.Classify(err)
	case bytes != t.Bytes || seal.Int64 != sealOf(bytes, state):
		return "", nil
	}
	return state, nil
}

// PutHead stores the state in which the current text of a session ends.
func (b *Batch) PutHead(t *Transcript, state string) error {
	return b.exec("INSERT OR REPLACE INTO heads(session_key, bytes, state, seal) VALUES (?, ?, ?, ?)", t.Key, t.Bytes,
		state, sealOf(t.Bytes, state))
}
