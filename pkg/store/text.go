package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store/dbfile"
)

// A LineRange selects lines of a transcript: those after a line and, for records, after a row. A caller that has just
// written the lines sets Last to the last row of their records, which saves a search.
type LineRange struct {
	Line  int64
	Row   int64
	Last  int64 // 0 if unknown
	Plain bool
}

// Whole selects every line.
var Whole = LineRange{}

// A Text reads the text of a transcript byte for byte as it was in the source.
type Text struct {
	ctx     context.Context
	db      querier
	key     string
	lineEnd string
	done    func() error

	line  int64 // the last one returned
	runs  []run
	rows  *sql.Rows
	cold  *archiveReader // of a text that lies in an archive, until its end
	odd   []oddLine      // the next odd lines
	after int64          // odd has all odd lines up to this one
	whole bool           // no odd lines are left

	data  sql.RawBytes
	parts [3][]byte // of the current line, not returned yet
}

// maxRow is the maximum size of a row, the same as that of a line. SQLite holds a row in memory as a whole, and no
// import writes a longer one. Tests make it smaller.
var maxRow = jsonl.DefaultMaxLine

var errRowTooLong = fmt.Errorf("%w: a row is longer than any line", dbfile.ErrCorrupt)

// limited returns an expression over a column, or NULL if its value is too large.
func limited(column, expression string) string {
	return fmt.Sprintf("CASE WHEN octet_length(%s) <= %d THEN %s END", column, maxRow, expression)
}

// A run is a sequence of consecutive rows.
type run struct{ first, last int64 }

// An oddLine is a line that is not a record, or a record with unusual bytes around its text.
type oddLine struct {
	line          int64
	quarantined   bool
	before, after []byte
}

// openText opens the lines of a transcript after a part. Close calls done.
func openText(ctx context.Context, db querier, t *Transcript, from LineRange) (*Text, error) {
	x := &Text{ctx: ctx, db: db, key: t.Key, lineEnd: t.LineEnd, line: from.Line, after: from.Line}
	x.whole = from.Plain
	if from.Last > 0 {
		x.runs = []run{{from.Row + 1, from.Last}}
		return x, nil
	}
	var err error
	x.runs, err = runsOf(ctx, db, t.Key, from.Row)
	return x, err
}

// openArchived opens the text of an archived session. The rows in the store are those that other programs have added,
// and they follow that text.
func (x *Text) openArchived(t *Transcript, after int64) error {
	at, err := findArchived(x.ctx, x.db, t)
	if err != nil {
		return err
	}
	if x.cold, err = at.open(x.ctx, x.db); err != nil {
		return err
	}
	x.after = max(t.Lines, after)
	for range after {
		if _, err := x.cold.nextLine(); err != nil {
			return errors.Join(err, x.cold.in.Close())
		}
	}
	return nil
}

// runsOf finds the rows of a session after a given one, in order. An index lists them without reading the rows. Rows
// are mostly consecutive, and a million of them form a few runs.
func runsOf(ctx context.Context, db querier, key string, after int64) (runs []run, err error) {
	err = each(ctx, db, "SELECT rowid FROM messages INDEXED BY idx_messages_session WHERE session_key = ? AND rowid "+
		"> ?", []any{key, after}, func(scan scanFunc) error {
		var id int64
		if err := scan(&id); err != nil {
			return err
		}
		if n := len(runs); n > 0 && runs[n-1].last == id-1 {
			runs[n-1].last = id
		} else {
			runs = append(runs, run{id, id})
		}
		return nil
	})
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.first, b.first) })
	merged := runs[:0]
	for _, r := range runs {
		if n := len(merged); n > 0 && merged[n-1].last == r.first-1 {
			merged[n-1].last = r.last
		} else {
			merged = append(merged, r)
		}
	}
	return merged, err
}

// Read reads the text.
func (x *Text) Read(p []byte) (int, error) {
	for {
		for i, part := range x.parts {
			if len(part) > 0 {
				n := copy(p, part)
				x.parts[i] = part[n:]
				return n, nil
			}
		}
		if x.cold == nil {
			if err := x.next(); err != nil {
				return 0, err
			}
			continue
		}
		n, err := x.cold.Read(p)
		if err != io.EOF {
			return n, err
		}
		if err := x.skipArchived(); n > 0 || err != nil {
			return n, err
		}
	}
}

// skipArchived goes on with the rows after an archived text. What others say about lines of the archive does not count.
func (x *Text) skipArchived() error {
	if x.cold == nil {
		return nil
	}
	err := x.cold.in.Close()
	x.cold, x.line = nil, x.after
	return err
}

// WriteLines writes the next lines, and returns the number of bytes. Lines that are stored together are not separated.
func (x *Text) WriteLines(w io.Writer, lines int64) (written int64, err error) {
	for end := x.line + min(lines, math.MaxInt64-x.line); x.line < end; {
		if err := x.next(); err == io.EOF {
			break
		} else if err != nil {
			return written, err
		}
		for i, part := range x.parts {
			n, err := w.Write(part)
			if written += int64(n); err != nil {
				return written, err
			}
			x.parts[i] = nil
		}
	}
	return written, x.ctx.Err()
}

// next makes the next line the current one, or several in a row that are stored together.
func (x *Text) next() error {
	if x.cold != nil {
		line, err := x.cold.nextLine()
		if err == nil {
			x.line++
			x.parts = [3][]byte{nil, line, nil}
			return nil
		}
		if err != io.EOF {
			return err
		}
		if err := x.skipArchived(); err != nil {
			return err
		}
	}
	odd, err := x.oddAt(x.line + 1)
	if err != nil {
		return err
	}
	if odd != nil && odd.quarantined {
		text, err := one[[]byte](x.ctx, x.db, "SELECT "+limited("bytes", "bytes")+
			" FROM quarantine WHERE session_key = ? AND line = ?", x.key, x.line+1)
		if err == nil && text == nil {
			err = errRowTooLong
		}
		x.parts = [3][]byte{1: text}
		x.line += countLines(text)
		return err
	}
	if err := x.nextRow(); err != nil {
		if err == io.EOF && x.skipToOdd() {
			return nil
		}
		return dbfile.Classify(err)
	}
	x.line++
	x.parts = [3][]byte{nil, x.data, []byte(x.lineEnd)}
	if odd != nil {
		x.parts[0], x.parts[2] = odd.before, odd.after
	}
	return nil
}

// skipToOdd advances to the next quarantined line if rows before it are missing. That line is still returned.
func (x *Text) skipToOdd() bool {
	for {
		if len(x.odd) == 0 && (x.whole || x.loadOdd() != nil || len(x.odd) == 0) {
			return false
		}
		if x.odd[0].quarantined {
			x.line = x.odd[0].line - 1
			return true
		}
		x.odd = x.odd[1:]
	}
}

// oddAt returns what is odd about a line, or nil.
func (x *Text) oddAt(line int64) (*oddLine, error) {
	for len(x.odd) == 0 && !x.whole && line > x.after {
		if err := x.loadOdd(); err != nil {
			return nil, err
		}
	}
	if len(x.odd) == 0 || x.odd[0].line != line {
		return nil, nil
	}
	odd := x.odd[0]
	x.odd = x.odd[1:]
	return &odd, nil
}

// oddAtOnce is how many odd lines are looked for at a time.
const oddAtOnce = 256

// loadOdd finds the next odd lines. Most transcripts have none.
func (x *Text) loadOdd() error {
	query := `SELECT * FROM (SELECT line, 1, NULL, NULL FROM quarantine
WHERE session_key = ?1 AND line > ?2 ORDER BY line LIMIT ?3)
UNION ALL SELECT * FROM (SELECT line, 0, before, after FROM framing
WHERE session_key = ?1 AND line > ?2 ORDER BY line LIMIT ?3)`
	var list []oddLine
	counts := [2]int{}
	last := [2]int64{}
	err := each(x.ctx, x.db, query, []any{x.key, x.after, oddAtOnce}, func(scan scanFunc) error {
		var odd oddLine
		err := scan(&odd.line, &odd.quarantined, &odd.before, &odd.after)
		list = append(list, odd)
		table := 0
		if odd.quarantined {
			table = 1
		}
		counts[table]++
		last[table] = odd.line
		return err
	})
	// A table that returned as many lines as requested may have more after its last one.
	x.after = math.MaxInt64
	for table, n := range counts {
		if n == oddAtOnce {
			x.after = min(x.after, last[table])
		}
	}
	x.whole = x.after == math.MaxInt64
	list = slices.DeleteFunc(list, func(o oddLine) bool { return o.line > x.after })
	slices.SortFunc(list, func(a, b oddLine) int { return cmp.Compare(a.line, b.line) })
	x.odd = list
	return err
}

// nextRow reads the data of the next record.
func (x *Text) nextRow() error {
	for {
		if x.rows == nil {
			if len(x.runs) == 0 {
				return io.EOF
			}
			var err error
			if x.rows, err = x.db.QueryContext(x.ctx,
				"SELECT "+limited("data", "CAST(data AS BLOB)")+
					" FROM messages WHERE rowid BETWEEN ? AND ? ORDER BY rowid", x.runs[0].first,
				x.runs[0].last); err != nil {
				return err
			}
			x.runs = x.runs[1:]
		}
		if x.rows.Next() {
			if err := x.rows.Scan(&x.data); err != nil || x.data != nil {
				return err
			}
			return errRowTooLong
		}
		err := errors.Join(x.rows.Err(), x.rows.Close())
		x.rows = nil
		if err != nil {
			return err
		}
	}
}

// Close closes the text.
func (x *Text) Close() error {
	var errs []error
	if x.rows != nil {
		errs = append(errs, x.rows.Close())
	}
	if x.cold != nil {
		errs = append(errs, x.cold.in.Close())
	}
	if x.done != nil {
		errs = append(errs, x.done())
	}
	return errors.Join(errs...)
}
