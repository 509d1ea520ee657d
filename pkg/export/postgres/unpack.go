package postgres

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"clawctl/internal/failure"
	"clawctl/internal/spool"
)

// Query is the SQL whose result Keep reads. %s is the host, quoted.
const Query = "COPY (SELECT * FROM transcript_lines WHERE host = %s ORDER BY session_key, record) TO STDOUT"

// A formatError is a row that the view transcript_lines does not have.
type formatError struct {
	Line int64 // of the stream, from 1
	Text string
}

func (e *formatError) Error() string { return e.Text }

// FailureAt says how to make such a stream.
func (e *formatError) FailureAt(name string) *failure.Error {
	return streamFailure(failure.NotCopy, name, e.Line, e)
}

// streamFailure is the failure of a stream that was not imported.
func streamFailure(code failure.Code, name string, line int64, err error) *failure.Error {
	f := failure.New(code, "%v; nothing was imported", err).At(name)
	f.Line = line
	return f.WithHint(fmt.Sprintf("psql -c \"%s\" | clawctl import --input pgcopy -", fmt.Sprintf(Query, "'NAME'")))
}

// An incompleteError is a stream that ends too early.
type incompleteError struct {
	Line    int64  // the last one
	Session string // that lacks lines, or "" if a row is cut off
}

func (e *incompleteError) Error() string {
	if e.Session == "" {
		return "the stream ends inside a row"
	}
	return fmt.Sprintf("the stream lacks lines of the session %s", e.Session)
}

// FailureAt says how to make the stream again.
func (e *incompleteError) FailureAt(name string) *failure.Error {
	return streamFailure(failure.CopyIncomplete, name, e.Line, e)
}

// Keep reads the result of Query, and unpacks all transcripts to one private file, because thousands of open files may
// be too many. All sessions must be of one host, and each must be complete. It stops when the context ends.
func Keep(ctx context.Context, src io.Reader, file *spool.File) ([]*Kept, error) {
	u := &unpacker{ctx: ctx, rows: rowReader{in: bufio.NewReaderSize(src, 256<<10)}, file: file, names: map[string]bool{}}
	err := u.readAll()
	return u.kept, err
}

// An unpacker is one run of Keep.
type unpacker struct {
	ctx   context.Context
	rows  rowReader
	file  *spool.File
	names map[string]bool
	kept  []*Kept // the last one is being read
}

func (u *unpacker) readAll() error {
	for {
		if err := u.ctx.Err(); err != nil {
			return err
		}
		switch start, err := u.rows.in.Peek(2); {
		case len(start) == 0 && err == io.EOF, string(start) == `\.`:
			return u.endSession()
		case len(start) == 0:
			return err
		}
		u.rows.line++
		if err := u.readRow(); err != nil {
			return err
		}
	}
}

// readRow reads one line of a transcript.
func (u *unpacker) readRow() error {
	var fields [5]string
	var isNull [5]bool
	for i := range fields {
		var err error
		if fields[i], isNull[i], err = u.rows.field(); err != nil {
			return err
		}
	}
	record, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return u.fail("the column record must be a number, got %.40q", fields[2])
	}
	if !isNull[4] {
		if err := u.beginSession(fields[0], fields[1], fields[3], fields[4]); err != nil {
			return err
		}
	}
	return u.addLine(fields[0], fields[1], record)
}

func (u *unpacker) fail(format string, args ...any) error {
	return &formatError{u.rows.line, fmt.Sprintf(format, args...)}
}

// beginSession starts the session that a row with metadata belongs to.
func (u *unpacker) beginSession(host, name, lines, metadata string) error {
	var err error
	if before := u.current(); before != nil && before.host != host {
		return u.fail("the stream has sessions of two hosts, %q and %q", before.host, host)
	}
	if u.names[name] {
		return u.fail("the session %s comes twice", name)
	}
	if err := u.endSession(); err != nil {
		return err
	}
	t := &Kept{host: host, name: name, start: u.file.Size()}
	if t.lines, err = strconv.ParseInt(lines, 10, 64); err != nil {
		return u.fail("the column lines must be a number, got %.40q", lines)
	}
	if err := json.Unmarshal([]byte(metadata), &t.metadata); err != nil || t.metadata.Key == "" {
		return u.fail("the column metadata is not what clawctl wrote")
	}
	u.names[name], u.kept = true, append(u.kept, t)
	return nil
}

// current returns the session that is being read, or nil.
func (u *unpacker) current() *Kept {
	if len(u.kept) == 0 {
		return nil
	}
	return u.kept[len(u.kept)-1]
}

// addLine adds the line of the row to the current session. The row of a session without lines has number 0 and none.
func (u *unpacker) addLine(host, name string, record int64) error {
	t := u.current()
	if t == nil || t.host != host || t.name != name {
		return u.fail("the first row of a session must have number 1; is the stream ordered by session_key, record?")
	}
	if isEmpty := t.lines == 0 && record == 0; !isEmpty && (record != t.seen+1 || record > t.lines) {
		return u.fail("expected record %d of %d of the session, got %d", t.seen+1, t.lines, record)
	}
	_, isNull, err := u.rows.bytea(u.file)
	switch {
	case err != nil:
		return err
	case isNull != (record == 0):
		return u.fail("the column line is missing")
	}
	t.seen = record
	return nil
}

// endSession checks that the current session is complete, whose text is in the file then.
func (u *unpacker) endSession() error {
	t := u.current()
	if t == nil {
		return nil
	}
	if t.seen != t.lines {
		return &incompleteError{Line: u.rows.line, Session: t.name}
	}
	t.text = u.file.Section(t.start, u.file.Size()-t.start)
	return nil
}
