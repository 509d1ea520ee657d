package follow

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"math"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
)

// rows follow the rows of one session.
type rows struct {
	database *openclaw.GrowingDatabase // looked at once for all of its sessions
	id       string
	seen     int // the state of the database that was read

	begun bool
	last  int64             // the number of the last row that was returned
	sum   [sha256.Size]byte // of its text
	lines int64             // up to that row, or -1 if that is not known
}

// Close releases the database. A session that is still followed opens it again.
func (r *rows) Close() error { return r.database.Close() }

// firstRows is how many rows are read first in the search for the last records.
const firstRows = 32

// Last reads the last records: a larger and larger number of rows until they have enough. The view is closed by the
// next poll of the group, or with it.
func (r *rows) Last(ctx context.Context, e *Ending) error {
	view, err := r.database.View(ctx)
	if err != nil {
		return err
	}
	r.seen = r.database.State
	for n := firstRows; ; n *= 4 {
		start, isFirst, ok, err := view.StartOfLast(ctx, r.id, n)
		if err != nil || !ok {
			return err
		}
		if r.lines, err = r.linesBefore(ctx, view, start, e.Numbered); err != nil {
			return err
		}
		if err = r.readLast(ctx, view, start, e); err != nil || e.isFull() || isFirst {
			return err
		}
	}
}

// readLast gives the rows from a number on to an ending. The error of a row comes after the others were read.
func (r *rows) readLast(ctx context.Context, view *openclaw.RowView, from int64, e *Ending) error {
	var failed error
	e.reset()
	err := view.From(ctx, r.id, from, func(row openclaw.Row) error {
		r.pass(row)
		if row.Err != nil {
			failed = row.Err
			return nil
		}
		return r.eachRecord(row, func(rec *jsonl.Record) error {
			e.add(rec)
			return nil
		})
	})
	return errors.Join(err, failed)
}

// linesBefore returns how many lines come before a row, or -1 if nobody asks for them. A row is a line: programs write
// JSON without line ends into it.
func (r *rows) linesBefore(ctx context.Context, view *openclaw.RowView, seq int64, numbered bool) (int64, error) {
	if !numbered {
		return -1, nil
	}
	return view.CountBefore(ctx, r.id, seq)
}

// pass makes a row the last one.
func (r *rows) pass(row openclaw.Row) {
	r.begun, r.last, r.sum = true, row.Seq, sha256.Sum256(row.Text)
}

// errRewritten says that the last row is not the one that was read.
var errRewritten = errors.New("the rows were rewritten")

// Poll reads the rows that were added. If the last one is gone or has another text, the session begins again.
func (r *rows) Poll(ctx context.Context, yield func(Event) error) error {
	if r.seen == r.database.State {
		return nil
	}
	view, err := r.database.View(ctx)
	if err != nil {
		return r.later(err)
	}
	err = r.read(ctx, view, yield)
	if errors.Is(err, errRewritten) {
		r.begun, r.lines = false, 0
		if err = yield(Event{Change: Truncated}); err == nil {
			err = r.read(ctx, view, yield)
		}
	}
	if err != nil {
		return r.later(err)
	}
	r.seen = r.database.State
	return nil
}

// later hides an error that will be gone at the next poll, which reads the same rows again.
func (r *rows) later(err error) error {
	if openclaw.IsTransient(err) {
		return nil
	}
	return err
}

func (r *rows) read(ctx context.Context, view *openclaw.RowView, yield func(Event) error) error {
	from, isAnchor := int64(math.MinInt64), r.begun
	if r.begun {
		from = r.last
	}
	err := view.From(ctx, r.id, from, func(row openclaw.Row) error {
		if isAnchor {
			isAnchor = false
			if row.Seq != r.last || sha256.Sum256(row.Text) != r.sum {
				return errRewritten
			}
			return nil
		}
		r.pass(row)
		if row.Err != nil {
			return yield(Event{Err: row.Err})
		}
		return r.eachRecord(row, func(rec *jsonl.Record) error { return yield(Event{Record: rec}) })
	})
	if err != nil {
		return err
	}
	if isAnchor {
		return errRewritten
	}
	return nil
}

// eachRecord calls do for the records of a row: one, unless its text has several lines.
func (r *rows) eachRecord(row openclaw.Row, do func(*jsonl.Record) error) error {
	for rec, err := range jsonl.Records(bytes.NewReader(append(row.Text, '\n')), jsonl.Options{}) {
		if err != nil {
			return err
		}
		if r.lines >= 0 {
			r.lines++
		}
		setLine(rec, max(0, r.lines))
		rec.Offset = -1 // a row has no place in a file
		if err := do(rec); err != nil {
			return err
		}
	}
	return nil
}

// AppendPart appends the JSON object of a part with the session that it belongs to, as a line.
func AppendPart(dst []byte, s *source.Session, e *parts.Entry, p *parts.Part) []byte {
	dst = parts.AppendJSON(dst, e, p, parts.Position{Unknown: true})
	dst = append(dst[:len(dst)-len("}")], `,"session":`...)
	dst = jsonl.AppendQuote(dst, s.Name())
	dst = append(dst, `,"path":`...)
	dst = jsonl.AppendQuote(dst, s.Path)
	return append(dst, "}\n"...)
}

// An EventRow is the JSON object of what happens to a session other than that a part is written.
type EventRow struct {
	SchemaVersion int    `json:"schema_version"`
	Kind          string `json:"kind"` // change or error
	Change        string `json:"change,omitempty"`
	Code          string `json:"code,omitempty"`
	Message       string `json:"message,omitempty"`
	Session       string `json:"session"`
	Path          string `json:"path"`
}

// NewChangeRow says that something happened to the file of a session.
func NewChangeRow(s *source.Session, change string) EventRow {
	return EventRow{SchemaVersion: 1, Kind: "change", Change: change, Session: s.Name(), Path: s.Path}
}

// NewErrorRow says that a session cannot be read.
func NewErrorRow(s *source.Session, code, message string) EventRow {
	return EventRow{SchemaVersion: 1, Kind: "error", Code: code, Message: message, Session: s.Name(), Path: s.Path}
}
