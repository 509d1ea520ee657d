package postgres

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"clawctl/internal/failure"
	"clawctl/internal/portable"
)

// Query is the SQL whose result Unpack reads. %s is the host, quoted.
const Query = "COPY (SELECT * FROM transcript_lines WHERE host = %s ORDER BY session_key, record) TO STDOUT"

// A FormatError is a row that the view transcript_lines does not have.
type FormatError struct {
	Line int64 // of the stream, from 1
	Text string
}

func (e *FormatError) Error() string { return e.Text }

// FailureAt says how to make such a stream.
func (e *FormatError) FailureAt(name string) *failure.Error {
	return streamFailure(failure.NotCopy, name, e.Line, e)
}

// streamFailure is the failure of a stream that was not imported.
func streamFailure(code failure.Code, name string, line int64, err error) *failure.Error {
	f := failure.New(code, "%v; nothing was imported", err).At(name)
	f.Line = line
	return f.WithHint(fmt.Sprintf("psql -c \"%s\" | clawctl import --input pgcopy -", fmt.Sprintf(Query, "'NAME'")))
}

// An IncompleteError is a stream that ends too early.
type IncompleteError struct {
	Line    int64  // the last one
	Session string // that lacks lines, or "" if a row is cut off
}

func (e *IncompleteError) Error() string {
	if e.Session == "" {
		return "the stream ends inside a row"
	}
	return fmt.Sprintf("the stream lacks lines of the session %s", e.Session)
}

// FailureAt says how to make the stream again.
func (e *IncompleteError) FailureAt(name string) *failure.Error {
	return streamFailure(failure.CopyIncomplete, name, e.Line, e)
}

// A Transcript is a session that a stream gives back.
type Transcript struct {
	Host, Name string // its name in the database
	Metadata   Metadata

	lines, seen int64
}

// FileName returns a name for the transcript that every file system takes, below a folder of its host.
func (t *Transcript) FileName() string {
	safe := portable.ASCII(t.Name)
	return t.Host + "/" + safe[:min(len(safe), 120)] + "-" + digest(t.Name) + ".jsonl"
}

// Unpack reads the result of Query. For each session it calls begin, writes the text of the transcript to what begin
// returns, and closes that. All sessions must be of one host, and each must be complete.
func Unpack(src io.Reader, begin func(*Transcript) (io.WriteCloser, error)) error {
	u := &unpacker{rows: rowReader{in: bufio.NewReaderSize(src, 256<<10)}, begin: begin, names: map[string]bool{}}
	err := u.readAll()
	if u.text != nil {
		err = errors.Join(err, u.text.Close())
	}
	return err
}

// An unpacker is one run of Unpack.
type unpacker struct {
	rows    rowReader
	begin   func(*Transcript) (io.WriteCloser, error)
	names   map[string]bool
	current *Transcript
	text    io.WriteCloser // of the current transcript
}

func (u *unpacker) readAll() error {
	for {
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
	return &FormatError{u.rows.line, fmt.Sprintf(format, args...)}
}

// beginSession starts the session that a row with metadata belongs to.
func (u *unpacker) beginSession(host, name, lines, metadata string) error {
	var err error
	if u.current != nil && u.current.Host != host {
		return u.fail("the stream has sessions of two hosts, %q and %q", u.current.Host, host)
	}
	if u.names[name] {
		return u.fail("the session %s comes twice", name)
	}
	if err := u.endSession(); err != nil {
		return err
	}
	t := &Transcript{Host: host, Name: name}
	if t.lines, err = strconv.ParseInt(lines, 10, 64); err != nil {
		return u.fail("the column lines must be a number, got %.40q", lines)
	}
	if err := json.Unmarshal([]byte(metadata), &t.Metadata); err != nil || t.Metadata.Key == "" {
		return u.fail("the column metadata is not what clawctl wrote")
	}
	u.names[name], u.current = true, t
	u.text, err = u.begin(t)
	return err
}

// addLine adds the line of the row to the current session. The row of a session without lines has number 0 and none.
func (u *unpacker) addLine(host, name string, record int64) error {
	t := u.current
	if t == nil || t.Host != host || t.Name != name {
		return u.fail("the first row of a session must have number 1; is the stream ordered by session_key, record?")
	}
	if isEmpty := t.lines == 0 && record == 0; !isEmpty && (record != t.seen+1 || record > t.lines) {
		return u.fail("expected record %d of %d of the session, got %d", t.seen+1, t.lines, record)
	}
	_, isNull, err := u.rows.bytea(u.text)
	switch {
	case err != nil:
		return err
	case isNull != (record == 0):
		return u.fail("the column line is missing")
	}
	t.seen = record
	return nil
}

// endSession checks that the current session is complete, and closes its text.
func (u *unpacker) endSession() error {
	t := u.current
	if t == nil {
		return nil
	}
	if t.seen != t.lines {
		return &IncompleteError{Line: u.rows.line, Session: t.Name}
	}
	err := u.text.Close()
	u.text = nil
	return err
}
