package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"clawctl/internal/failure"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/store"
)

// A Row is the JSON form of a session in a list. Fields are added, never renamed.
type Row struct {
	SchemaVersion  int                 `json:"schema_version"`
	Key            string              `json:"key"`
	ID             string              `json:"id"`
	Agent          string              `json:"agent"`
	Kind           source.Kind         `json:"kind"`
	Generation     string              `json:"generation,omitempty"`
	Path           string              `json:"path"`
	Dialect        string              `json:"dialect,omitempty"`
	Records        *int64              `json:"records"`
	Messages       *int64              `json:"messages"`
	Damaged        *int64              `json:"damaged"`
	Bytes          int64               `json:"bytes"`
	Recorded       *stats.Usage        `json:"recorded"`
	First          *time.Time          `json:"first"`
	Last           *time.Time          `json:"last"`
	Title          string              `json:"title"`
	Listed         bool                `json:"listed"`
	CopyOf         string              `json:"copy_of,omitempty"`
	Problems       []source.ProblemRow `json:"problems"`
	Findings       *int                `json:"findings"`
	Project        string              `json:"project,omitempty"`
	ForkedFrom     string              `json:"forked_from,omitempty"`
	Host           string              `json:"host"`
	CopyOfHost     string              `json:"copy_of_host,omitempty"` // if the original is on another one
	Turns          *int64              `json:"turns"`
	ToolCalls      *int64              `json:"tool_calls"`
	ToolErrors     *int64              `json:"tool_errors"`
	Answers        *int64              `json:"answers"`
	FailedAnswers  *int64              `json:"failed_answers"`
	UsageKnown     *bool               `json:"usage_known"`
	CostKnown      *bool               `json:"cost_known"`
	Harnesses      []HarnessRow        `json:"harnesses,omitempty"`
	Resume         string              `json:"resume,omitempty"`  // the command that continues it in its own program
	Program        string              `json:"program,omitempty"` // that wrote it, if more is known than the dialect
	Cwd            string              `json:"cwd,omitempty"`
	GitBranch      string              `json:"git_branch,omitempty"`
	SpawnedBy      string              `json:"spawned_by,omitempty"` // the session that started it as a subagent
	Name           string              `json:"name"`                 // that every command takes for this session
	openclaw.State                     // according to the index

	Session  *source.Session `json:"-"`
	original *source.Session // that it is a copy of
	copies   int             // that are folded into it
	isUnread bool            // no message of it could be read, so its numbers mean nothing
	used     time.Time       // by which rows are ordered; Last
	latest   time.Time       // of all records, after Last if the clock was set back
}

// newRow describes what is known without reading, of a session that was used at a time.
func newRow(s *source.Session, used time.Time) *Row {
	row := &Row{
		SchemaVersion: 1, Key: s.Key, ID: s.ID, Agent: s.Agent, Kind: s.Kind, Generation: s.Generation,
		Path: s.Place(), Bytes: s.Bytes, Title: s.Title(), Listed: s.Listed, Problems: []source.ProblemRow{}, Session: s,
		Host: s.Host, State: s.Entry.State, used: used,
	}
	if !used.IsZero() {
		row.Last = new(used.UTC())
	}
	for _, p := range s.Problems {
		row.problem(p.Code, p.Detail)
	}
	for _, b := range s.Bindings {
		row.Harnesses = append(row.Harnesses, HarnessRow{b.Harness, b.ID, b.State, b.File})
		if code := b.Problem(); code != "" {
			row.problem(code, b.Title()+" "+b.ID)
		}
	}
	return row
}

// A HarnessRow is the JSON form of a binding: the program that did the work of a session, and its own session.
type HarnessRow struct {
	Program string              `json:"program"`
	ID      string              `json:"id,omitempty"`
	State   source.BindingState `json:"state"`
	Path    string              `json:"path,omitempty"`
}

func (r *Row) problem(code failure.Code, detail string) {
	r.Problems = append(r.Problems, source.NewProblemRow(code, detail))
}

// read adds what is known from reading. explain says why a transcript cannot be read.
func (r *Row) read(f *Facts, explain func(*source.Session, error) string) {
	s := r.Session
	r.Dialect, r.Records, r.Damaged = f.Dialect.String(), &f.Records, &f.Damaged
	r.count(&f.Tally)
	if r.isUnread = f.Err != nil && f.Tally.Messages == 0; r.isUnread {
		r.UsageKnown, r.CostKnown = new(bool), new(bool)
		r.Recorded.CostUSD = nil
	}
	r.Bytes = cmp.Or(r.Bytes, f.Bytes) // of a stream the size shows only now
	r.Title = f.Title(s)
	r.Project, r.ForkedFrom = f.Project, f.Parent
	r.SpawnedBy = s.SpawnedBy()
	r.Cwd, r.GitBranch = f.Origin.Folder, f.Origin.Branch
	if p := f.Dialect.Translated(); p != nil {
		r.Program = p.Name
	} else if p := s.FolderOwner(); p != nil {
		r.Program = p.Name
	}
	if !f.First.IsZero() {
		r.First, r.latest = new(f.First.UTC()), f.Last
	}
	if f.CopyOf != nil {
		r.CopyOf, r.original = f.CopyOf.Name(), f.CopyOf
		if f.CopyOf.Host != s.Host {
			r.CopyOfHost = f.CopyOf.Host
		}
	}
	if f.HeaderID != "" && f.HeaderID != s.ID && s.NamedByID() && s.Kind == source.Live {
		r.problem(source.IDMismatch, f.HeaderID)
	}
	if f.Err != nil && !errors.Is(f.Err, store.ErrIncomplete) { // that is among the problems already
		r.problem(source.Unreadable, explain(s, f.Err))
	}
}

// count adds the numbers.
func (r *Row) count(t *stats.Tally) {
	r.Messages, r.Turns, r.ToolCalls, r.ToolErrors = &t.Messages, &t.Turns, &t.ToolCalls, &t.ToolErrors
	r.Answers, r.FailedAnswers = &t.Answers, &t.Failed
	r.Recorded = t.Usage()
	usage, cost := t.UsageKnown(), t.CostKnown()
	r.UsageKnown, r.CostKnown = &usage, &cost
}

// Counts reports whether the numbers of a row mean something: the session was read, at least in part.
func (r *Row) Counts() bool { return r.Messages != nil && !r.isUnread }

// notes are the remarks of a row in a few words.
func (r *Row) notes(name func(*source.Session) string) string {
	var notes []string
	if r.original != nil {
		note := "copy of " + name(r.original)
		if r.CopyOfHost != "" {
			note += " on " + r.CopyOfHost
		}
		notes = append(notes, note)
	}
	if r.SpawnedBy != "" {
		notes = append(notes, "subagent of "+r.SpawnedBy)
	}
	if r.ForkedFrom != "" {
		notes = append(notes, "fork of "+forkName(r.ForkedFrom))
	}
	if r.Damaged != nil && *r.Damaged > 0 {
		notes = append(notes, fmt.Sprintf("%d damaged", *r.Damaged))
	}
	for i := range r.Session.Bindings {
		notes = append(notes, r.Session.Bindings[i].Note())
	}
	for _, p := range r.Problems {
		if p.Code == source.HarnessLost || p.Code == source.HarnessOther {
			continue // the note about the program says so
		}
		notes = append(notes, p.Code.Label())
	}
	return strings.Join(slices.Compact(notes), ", ")
}

// forkName is the id of the session in the file that a fork names, or the name of the file.
func forkName(path string) string {
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	if name, ok := source.ParseName(base); ok {
		return name.ID
	}
	return base
}
