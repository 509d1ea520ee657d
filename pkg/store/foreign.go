package store

import (
	"context"
	"strings"

	"clawctl/internal/failure"
)

// Other programs may add rows to a session. They follow the text that its transcript describes, and are no part of it.
// That stays so when the text moves to an archive and back.

// A TriggersError says that nothing can be written to a store, because another program has put triggers into it. They
// may remove or change what is written, and SQLite would report success.
type TriggersError struct{ Names []string }

func (e *TriggersError) Error() string {
	return "triggers of another program may change what is written: " + strings.Join(e.Names, ", ")
}

// FailureAt says how to remove the triggers.
func (e *TriggersError) FailureAt(place string) *failure.Error {
	store, _, _ := strings.Cut(place, "#")
	var statements []string
	for _, name := range e.Names {
		statements = append(statements, `DROP TRIGGER "`+strings.ReplaceAll(name, `"`, `""`)+`"`)
	}
	return failure.New(failure.Differs, "%v; nothing was written", e).At(store).
		WithHint(failure.Command("sqlite3", store, strings.Join(statements, "; ")))
}

// mostTriggers is how many triggers an error names.
const mostTriggers = 5

// refuseTriggers refuses a store that has triggers. clawctl creates none.
func (s *SQLite) refuseTriggers(ctx context.Context) error {
	const query = "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name LIMIT ?"
	names, err := column[string](ctx, s.writer, query, mostTriggers)
	if err == nil && names != nil {
		err = &TriggersError{names}
	}
	return err
}

// A LineTakenError says that the text of an archived session cannot come back to the store, because another program has
// stored a line of it there.
type LineTakenError struct{ Key string }

func (e *LineTakenError) Error() string {
	return "another program has stored a line that is also in the archive"
}

// FailureAt names the session, and the command that lists the line.
func (e *LineTakenError) FailureAt(place string) *failure.Error {
	store, _, _ := strings.Cut(place, "#")
	return failure.New(failure.Exists, "%v, so the text stays there", e).At(store + "#" + e.Key).
		WithHint(failure.Command("clawctl", "verify", store))
}

// An OtherRowsError says that nothing can be appended to a session, because another program has added rows to it or
// removed some. Added rows are no part of its text, and the new records would follow them.
type OtherRowsError struct{ Key string }

func (e *OtherRowsError) Error() string {
	return "another program has added rows to the session or removed some, so nothing was appended"
}

// FailureAt says how to get a session that has everything and can be continued.
func (e *OtherRowsError) FailureAt(place string) *failure.Error {
	store, _, _ := strings.Cut(place, "#")
	return failure.New(failure.Changed, "%v", e).At(store + "#" + e.Key).
		WithHint(failure.Command("clawctl", "restore", e.Key, "--as-new", e.Key+"-2", "--store", store))
}

// MustBeWhole refuses a session that has other rows than its transcript says, before records are added to it. One
// without a digest may have changed anyway, unless its text is in an archive. last is the row and the id of its last
// record, if the caller knows them: rows are not counted if nobody has added any to a session after it.
func (b *Batch) MustBeWhole(t *Transcript, last LastRow) error {
	isArchived, err := b.isArchived(t.Key)
	if err != nil || t.Sum == "" && !isArchived {
		return err
	}
	hasMore, err := b.hasLinesAfter(t)
	if err != nil {
		return err
	}
	isWhole := false
	if !isArchived && last.ID != "" {
		isWhole, err = b.isLast(t.Key, last)
	}
	if err == nil && !isWhole && !hasMore {
		isWhole, err = b.IsWhole(t)
	}
	if err == nil && (hasMore || !isWhole) {
		err = &OtherRowsError{t.Key}
	}
	return err
}

// hasLinesAfter reports whether somebody has numbered lines after the text of a session.
func (b *Batch) hasLinesAfter(t *Transcript) (bool, error) {
	const query = "SELECT EXISTS (SELECT 1 FROM quarantine WHERE session_key = ?1 AND line > ?2) OR EXISTS (SELECT 1 " +
		"FROM framing WHERE session_key = ?1 AND line > ?2)"
	return one[bool](b.ctx, b.db, query, t.Key, t.Lines)
}

// A LastRow is the row of messages that was added last when a session got its last record, and the id of that record.
// Row numbers are given again when rows move, and ids may be repeated, but hardly both.
type LastRow struct {
	Row int64  `json:"row,omitempty"`
	ID  string `json:"id,omitempty"`
}

// isLast reports whether the last row of all sessions still is the last record of one of them.
func (b *Batch) isLast(key string, last LastRow) (bool, error) {
	const query = "SELECT EXISTS (SELECT 1 FROM messages WHERE rowid = (SELECT max(rowid) FROM messages) AND " +
		"rowid = ? AND session_key = ? AND id = ?)"
	return one[bool](b.ctx, b.db, query, last.Row, key, last.ID)
}

// LastRow returns the last row of all sessions, which was just added as a record with an id.
func (b *Batch) LastRow(id string) (LastRow, error) {
	row, err := b.lastRow()
	return LastRow{row, id}, err
}

// lastRow returns the number of the last row of messages.
func (b *Batch) lastRow() (int64, error) {
	return one[int64](b.ctx, b.db, "SELECT coalesce(max(rowid), 0) FROM messages")
}

// hasNoOthers reports whether nobody has added lines to a session whose text is in an archive, or changed some of it.
func (b *Batch) hasNoOthers(t *Transcript) (bool, error) {
	const query = "SELECT NOT EXISTS (SELECT 1 FROM messages WHERE session_key = ?1) AND NOT EXISTS (SELECT 1 FROM " +
		"quarantine WHERE session_key = ?1) AND NOT EXISTS (SELECT 1 FROM framing WHERE session_key = ?1 AND line <= ?2)"
	return one[bool](b.ctx, b.db, query, t.Key, t.Lines)
}

// mustBeFree refuses to bring a text back if a line that others have numbered would change it.
func (b *Batch) mustBeFree(t *Transcript) error {
	const query = "SELECT EXISTS (SELECT 1 FROM quarantine WHERE session_key = ?1 AND line <= ?2) OR EXISTS (SELECT 1 " +
		"FROM framing WHERE session_key = ?1 AND line <= ?2)"
	taken, err := one[bool](b.ctx, b.db, query, t.Key, t.Lines)
	if err == nil && taken {
		err = &LineTakenError{t.Key}
	}
	return err
}

// moveToEnd gives rows of messages the highest row numbers, in their order. Their numbers alone say what they follow.
func (b *Batch) moveToEnd(rows []run) error {
	for _, r := range rows {
		for id := r.first; id <= r.last; id++ {
			if err := b.exec("UPDATE messages SET rowid = (SELECT max(rowid) + 1 FROM messages) WHERE rowid = ?",
				id); err != nil {
				return err
			}
		}
	}
	return nil
}
