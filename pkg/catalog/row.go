package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"clawctl/pkg/source"
	"clawctl/pkg/stats"
	"clawctl/pkg/store"
)

// A Row is the JSON form of a session in a list. Fields are added, never renamed.
type Row struct {
	SchemaVersion int                 `json:"schema_version"`
	Key           string              `json:"key"`
	ID            string              `json:"id"`
	Agent         string              `json:"agent"`
	Kind          source.Kind         `json:"kind"`
	Generation    string              `json:"generation,omitempty"`
	Path          string              `json:"path"`
	Dialect       string              `json:"dialect,omitempty"`
	Records       *int64              `json:"records"`
	Messages      *int64              `json:"messages"`
	Damaged       *int64              `json:"damaged"`
	Bytes         int64               `json:"bytes"`
	Recorded      *stats.Usage        `json:"recorded"`
	First         *time.Time          `json:"first"`
	Last          *time.Time          `json:"last"`
	Title         string              `json:"title"`
	Listed        bool                `json:"listed"`
	CopyOf        string              `json:"copy_of,omitempty"`
	Problems      []source.ProblemRow `json:"problems"`
	Findings      *int                `json:"findings"`
	Project       string              `json:"project,omitempty"`
	ForkedFrom    string              `json:"forked_from,omitempty"`
	Host          string              `json:"host"`
	CopyOfHost    string              `json:"copy_of_host,omitempty"` // if the original is on another one

	Session  *source.Session `json:"-"`
	original *source.Session // that it is a copy of
	used     time.Time       // by which rows are ordered
}

// newRow describes what is known without reading, of a session that was used at a time.
func newRow(s *source.Session, used time.Time) *Row {
	row := &Row{
		SchemaVersion: 1, Key: s.Key, ID: s.ID, Agent: s.Agent, Kind: s.Kind, Generation: s.Generation,
		Path: s.Place(), Bytes: s.Bytes, Title: s.Title(), Listed: s.Listed, Problems: []source.ProblemRow{}, Session: s,
		Host: s.Host, used: used,
	}
	if !used.IsZero() {
		row.Last = new(used.UTC())
	}
	for _, p := range s.Problems {
		row.problem(p.Code, p.Detail)
	}
	return row
}

func (r *Row) problem(code source.Code, detail string) {
	r.Problems = append(r.Problems, source.NewProblemRow(code, detail))
}

// read adds what is known from reading. explain says why a transcript cannot be read.
func (r *Row) read(f *source.Facts, explain func(*source.Session, error) string) {
	s := r.Session
	r.Dialect, r.Records, r.Messages, r.Damaged = f.Dialect.String(), &f.Records, &f.Messages, &f.Damaged
	r.Recorded = stats.NewUsage(f.Recorded)
	r.Bytes = cmp.Or(r.Bytes, f.Bytes) // of a stream the size shows only now
	r.Title = cmp.Or(f.Name, s.Title(), f.FirstText)
	r.Project, r.ForkedFrom = f.Project, f.Parent
	if !f.First.IsZero() {
		r.First, r.Last = new(f.First.UTC()), new(f.Last.UTC())
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

// Notes are the remarks of a row in a few words.
func (r *Row) Notes(name func(*source.Session) string) string {
	var notes []string
	if r.original != nil {
		note := "copy of " + name(r.original)
		if r.CopyOfHost != "" {
			note += " on " + r.CopyOfHost
		}
		notes = append(notes, note)
	}
	if r.ForkedFrom != "" {
		notes = append(notes, "fork of "+forkName(r.ForkedFrom))
	}
	if r.Damaged != nil && *r.Damaged > 0 {
		notes = append(notes, fmt.Sprintf("%d damaged", *r.Damaged))
	}
	for _, p := range r.Problems {
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
