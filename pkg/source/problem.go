package source

import (
	"errors"
	"io/fs"
	"os"
)

// A Code identifies a kind of problem with how a session is listed or stored. Codes are stable.
type Code string

// Problems with how sessions are stored, as opposed to damage in a transcript.
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
	Incomplete    Code = "CL515"
	NoDigest      Code = "CL516"
	AgentOutside  Code = "CL521"
	ConfigDamaged Code = "CL522"
	ConfigUnread  Code = "CL523"
	NewerSchema   Code = "CL524"
)

// Codes lists every code in order.
var Codes = []Code{
	Unlisted, FileMissing, ForeignPath, NoSessionID, NullEntry, IndexDamaged, IDMismatch, MovedToSQLite, LinkOutside,
	Unreadable, SharedFile, BadDatabase, StaleTotal, DeadLock, Incomplete, NoDigest, AgentOutside, ConfigDamaged,
	ConfigUnread, NewerSchema,
}

// codeTexts holds for each code a label for tables and a description.
var codeTexts = map[Code][2]string{
	Unlisted:      {"unlisted", "not listed in sessions.json"},
	FileMissing:   {"missing", "listed, but the transcript is missing"},
	ForeignPath:   {"other path", "the index entry points to a file in another folder"},
	NoSessionID:   {"no id", "the index entry has no session id"},
	NullEntry:     {"null entry", "the index entry is null"},
	IndexDamaged:  {"bad index", "sessions.json is damaged"},
	IDMismatch:    {"id mismatch", "the header's id does not match the file name"},
	MovedToSQLite: {"moved", "the index entry says the session moved to SQLite"},
	LinkOutside:   {"link", "the link is not followed: it leads to a folder, or out of the one that is searched"},
	Unreadable:    {"unreadable", "cannot be read"},
	SharedFile:    {"shared", "several index entries use the same file"},
	BadDatabase:   {"bad database", "the database cannot be read"},
	StaleTotal:    {"stale", "the token total in the index is out of date"},
	DeadLock:      {"stale lock", "lock of a process that no longer runs"},
	Incomplete:    {"incomplete", "only the beginning is stored, because the import was interrupted"},
	NoDigest:      {"no digest", "the stored text once differed from its source and has no digest"},
	AgentOutside:  {"outside", "an agent's folder is elsewhere and was not read"},
	ConfigDamaged: {"bad config", "openclaw.json is damaged, so agent folders elsewhere are not known"},
	ConfigUnread:  {"unread config", "openclaw.json refers to something that was not read"},
	NewerSchema:   {"newer schema", "the database is newer than this clawctl; every column it needs is there"},
}

// Label describes the problem in a word or two.
func (c Code) Label() string { return codeTexts[c][0] }

// Words returns the description of the code.
func (c Code) Words() string { return codeTexts[c][1] }

// A Problem is something wrong with how sessions are stored.
type Problem struct {
	Code   Code
	Path   string // the file it is about
	Key    string // the session it is about, or ""
	Detail string // may be ""
	Err    error  // the error of a database, or nil
	More   int    // how many further problems of this code are not listed
}

// A ProblemRow is the JSON form of a problem.
type ProblemRow struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Detail  string `json:"detail,omitempty"`
}

// NewProblemRow describes a problem.
func NewProblemRow(code Code, detail string) ProblemRow {
	return ProblemRow{code, code.Words(), detail}
}

// maxProblems is the maximum number of problems of one code that a place or a session lists. Further ones are counted.
const maxProblems = 10000

// A problemTally limits a list of problems.
type problemTally map[Code]struct{ listed, last int }

// add adds a problem to the list, or counts it at the last one of its code.
func (t *problemTally) add(list *[]Problem, p Problem) {
	if *t == nil {
		*t = problemTally{}
	}
	count := (*t)[p.Code]
	if count.listed == maxProblems {
		(*list)[count.last].More++
		return
	}
	count.listed++
	count.last = len(*list)
	(*t)[p.Code] = count
	*list = append(*list, p)
}

// Reason returns the text of an error without the operation and path that a file error repeats.
func Reason(err error) string {
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		err = pathErr.Err
	case errors.As(err, &linkErr): // its names are those of temporary files
		err = linkErr.Err
	}
	return err.Error()
}
