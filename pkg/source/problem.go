package source

import (
	"clawctl/internal/failure"
	"clawctl/pkg/source/openclaw"
)

// Problems with how sessions are stored, as opposed to damage in a transcript. Package openclaw has those of an index.
const (
	Unlisted      failure.Code = "CL501"
	FileMissing   failure.Code = "CL502"
	ForeignPath   failure.Code = "CL503"
	IDMismatch    failure.Code = "CL507"
	LinkOutside   failure.Code = "CL509"
	Unreadable    failure.Code = "CL510"
	SharedFile    failure.Code = "CL511"
	BadDatabase   failure.Code = "CL512"
	StaleTotal    failure.Code = "CL513"
	DeadLock      failure.Code = "CL514"
	Incomplete    failure.Code = "CL515"
	NoDigest      failure.Code = "CL516"
	AgentOutside  failure.Code = "CL521"
	ConfigDamaged failure.Code = "CL522"
	ConfigUnread  failure.Code = "CL523"
	NewerSchema   failure.Code = "CL524"
	NoHistory     failure.Code = "CL525"
	HarnessLost   failure.Code = "CL526"
	HarnessOther  failure.Code = "CL527"
)

// Codes lists every code in order.
var Codes = []failure.Code{
	Unlisted, FileMissing, ForeignPath, openclaw.NoSessionID, openclaw.NullEntry, openclaw.IndexDamaged, IDMismatch,
	openclaw.MovedToSQLite, LinkOutside, Unreadable, SharedFile, BadDatabase, StaleTotal, DeadLock, Incomplete, NoDigest,
	AgentOutside, ConfigDamaged, ConfigUnread, NewerSchema, NoHistory, HarnessLost, HarnessOther,
}

// A Problem is something wrong with how sessions are stored.
type Problem struct {
	Code   failure.Code
	Path   string // the file it is about
	Key    string // the session it is about, or ""
	Detail string // may be ""
	Err    error  // the error of a database, or nil
	More   int    // how many further problems of this code are not listed
}

// LeadsNowhere reports whether the problem is a link to a file that does not exist.
func (p Problem) LeadsNowhere() bool { return p.Code == LinkOutside && p.Detail == toNothing }

// Words says what the problem is, with its detail.
func (p Problem) Words() string {
	if p.Detail == "" {
		return p.Code.Words()
	}
	return p.Code.Words() + " (" + p.Detail + ")"
}

// Skipped returns the failure of something that is left out because of the problem.
func (p Problem) Skipped() *failure.Error {
	f := failure.New(p.Code, "").At(p.Path).WithExit(failure.ExitDamaged).AfterWork()
	if p.Detail != "" {
		f.Text += ": " + p.Detail
	}
	return f
}

// A ProblemRow is the JSON form of a problem.
type ProblemRow struct {
	Code    failure.Code `json:"code"`
	Message string       `json:"message"`
	Detail  string       `json:"detail,omitempty"`
}

// NewProblemRow describes a problem.
func NewProblemRow(code failure.Code, detail string) ProblemRow {
	return ProblemRow{code, code.Words(), detail}
}

// maxProblems is the maximum number of problems of one code that a place or a session lists. Further ones are counted.
const maxProblems = 10000

// A problemTally limits a list of problems.
type problemTally map[failure.Code]struct{ listed, last int }

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
