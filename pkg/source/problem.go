package source

import (
	"clawctl/internal/failure"
	"clawctl/pkg/source/openclaw"
)

// A Code identifies a kind of problem with how a session is listed or stored. Codes are stable.
type Code = failure.Code

// Problems with how sessions are stored, as opposed to damage in a transcript. Package openclaw has those of an index.
const (
	Unlisted      Code = "CL501"
	FileMissing   Code = "CL502"
	ForeignPath   Code = "CL503"
	IDMismatch    Code = "CL507"
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
	NoHistory     Code = "CL525"
	HarnessLost   Code = "CL526"
	HarnessOther  Code = "CL527"
)

// Codes lists every code in order.
var Codes = []Code{
	Unlisted, FileMissing, ForeignPath, openclaw.NoSessionID, openclaw.NullEntry, openclaw.IndexDamaged, IDMismatch,
	openclaw.MovedToSQLite, LinkOutside, Unreadable, SharedFile, BadDatabase, StaleTotal, DeadLock, Incomplete, NoDigest,
	AgentOutside, ConfigDamaged, ConfigUnread, NewerSchema, NoHistory, HarnessLost, HarnessOther,
}

// A Problem is something wrong with how sessions are stored.
type Problem struct {
	Code   Code
	Path   string // the file it is about
	Key    string // the session it is about, or ""
	Detail string // may be ""
	Err    error  // the error of a database, or nil
	More   int    // how many further problems of this code are not listed
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
