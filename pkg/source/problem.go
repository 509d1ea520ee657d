package source

import (
	"errors"
	"io/fs"
)

// A Code names a kind of problem with how a session is registered or stored. Codes are stable.
type Code string

// The problems of a store, as opposed to damage in a transcript.
const (
	Unlisted      Code = "CL501"
	FileMissing   Code = "CL502"
	ForeignPath   Code = "CL503"
	NoSessionID   Code = "CL504"
	NullEntry     Code = "CL505"
	IndexDamaged  Code = "CL506"
	IDMismatch    Code = "CL507"
	MovedToSQLite Code = "CL508"
	LinkOutside   Code = "CL509"
	Unreadable    Code = "CL510"
	SharedFile    Code = "CL511"
	BadDatabase   Code = "CL512"
	StaleTotal    Code = "CL513"
	DeadLock      Code = "CL514"
)

// Codes lists every code in order.
var Codes = []Code{Unlisted, FileMissing, ForeignPath, NoSessionID, NullEntry, IndexDamaged, IDMismatch, MovedToSQLite, LinkOutside, Unreadable, SharedFile, BadDatabase, StaleTotal, DeadLock}

// codeTexts holds for each code a label for tables and what it means.
var codeTexts = map[Code][2]string{
	Unlisted:      {"unlisted", "not listed in sessions.json"},
	FileMissing:   {"missing", "listed, but its transcript is missing"},
	ForeignPath:   {"foreign path", "listed with a path of another place"},
	NoSessionID:   {"no id", "listed without a session id"},
	NullEntry:     {"no entry", "listed as nothing"},
	IndexDamaged:  {"bad index", "sessions.json is damaged"},
	IDMismatch:    {"other id", "the header has another id than the file's name"},
	MovedToSQLite: {"moved", "listed as moved to SQLite"},
	LinkOutside:   {"link", "a link that leads outside is not followed"},
	Unreadable:    {"unreadable", "cannot be read"},
	SharedFile:    {"shared", "listed under several keys"},
	BadDatabase:   {"bad database", "the database cannot be read"},
	StaleTotal:    {"stale", "the listed total of tokens is not the one that was recorded last"},
	DeadLock:      {"dead lock", "the lock of a process that is gone"},
}

// Label names the problem in a word or two.
func (c Code) Label() string { return codeTexts[c][0] }

// Words says what the code means.
func (c Code) Words() string { return codeTexts[c][1] }

// A Problem is something wrong about a store.
type Problem struct {
	Code   Code
	Path   string // the file it is about
	Key    string // the session it is about, or ""
	Detail string // may be ""
	Err    error  // what went wrong with a database, else nil
}

// Reason returns the words of an error without the operation and path that a file error repeats.
func Reason(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return err.Error()
}
