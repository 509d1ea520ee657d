// Package doctor looks at a state folder and says in a few sentences whether its history is safe.
//
//	names, indexes, database pages ─▶ checks ─▶ results ─▶ report
//	everything, with Deep           ─▶
//
// A check answers one question with one sentence and one command that helps. The quick checks read no transcript, with
// three exceptions whose size is limited: the first and last bytes of live files, the sessions that were used last, and
// files about which names and receipts say nothing. Nothing is ever written.
package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"clawctl/internal/failure"
	"clawctl/pkg/change"
	"clawctl/pkg/migrate"
	"clawctl/pkg/report/du"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/store/dbfile"
)

// A Status says how good or bad the answer of a check is.
type Status string

// The statuses, from good to bad. Warn and Error need a look.
const (
	OK    Status = "ok"
	Info  Status = "info"  // worth knowing
	Warn  Status = "warn"  // something is hidden, refused or left over
	Error Status = "error" // something cannot be read
)

// needsLook reports whether somebody should look at what a check has found.
func (s Status) needsLook() bool { return s == Warn || s == Error }

// A Result is the answer of one check.
type Result struct {
	ID      string `json:"id"`
	Status  Status `json:"status"`
	Message string `json:"message"` // a sentence, or a few
	Command string `json:"command"` // that shows more or helps
}

// A Report is what all checks have found.
type Report struct {
	Checks []Result
	// OnlyInFiles is the number of files with a record that is in no database, nil if that is not known.
	OnlyInFiles *int
}

// MeasureUpTo is the size up to which the databases of a home should be measured (source.Options) if it is looked at
// quickly.
const MeasureUpTo = 256 << 20

// A Home is what is looked at. Its places are open, and stay the caller's.
type Home struct {
	Place     *source.Listing // the state folder
	Listing   *du.Listing     // its files, from before its databases were opened
	StorePath string          // of clawctl's store
	Store     *source.Listing // the store, or nil
	StoreErr  error           // why the store could not be opened, nil if there is none
	Others    []openclaw.StateDir
	// Unsettled are the receipts of changes that were interrupted, or whose old file somebody wrote to later.
	Unsettled []*change.Receipt
	// Created are the receipts of files that clawctl has made and nobody has changed since.
	Created []*change.Receipt
	// Trashed are the receipts of files in the trash.
	Trashed []*change.Receipt
}

// OpenStore opens the clawctl store at a path, if there is one.
func (h *Home) OpenStore(ctx context.Context, path string) {
	h.StorePath = path
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return
	}
	if !dbfile.Is(path) {
		h.StoreErr = dbfile.ErrForeign
		return
	}
	place, err := source.FindDatabase(ctx, path, source.Options{Fast: true})
	switch {
	case err != nil:
		h.StoreErr = err
	case place.Store() == nil:
		place.Close()
		h.StoreErr = dbfile.ErrForeign
	default:
		h.Store = place
	}
}

// Options change how a home is looked at.
type Options struct {
	Now  time.Time
	Deep bool // read everything
	Jobs int  // how many transcripts are read at a time, one per core if not positive
	// IsDefault is set if commands find the state folder by themselves. Otherwise they name it.
	IsDefault bool
	// Reading, if set, is called before many sessions are read.
	Reading func(task string, sessions []*source.Session)
}

// A check is one question about a home.
type check struct {
	id   string
	deep bool // needs all transcripts to be read
	run  func(*exam) Result
}

// checks are asked in this order.
var checks = []check{
	{id: "storage", run: (*exam).storage},
	{id: "gateway", run: (*exam).gateway},
	{id: "only-in-files", run: (*exam).onlyInFiles},
	{id: "store", run: (*exam).store},
	{id: "records", deep: true, run: (*exam).records},
	{id: "other-history", run: (*exam).otherHistory},
	{id: "harness", run: (*exam).harness},
	{id: "requests", run: (*exam).requests},
	{id: "transcripts", run: (*exam).transcripts},
	{id: "databases", run: (*exam).databases},
	{id: "index", run: (*exam).index},
	{id: "locks", run: (*exam).locks},
	{id: "changes", run: (*exam).changes},
	{id: "repaired", run: (*exam).repaired},
	{id: "migrations", run: (*exam).migrations},
	{id: "not-read", run: (*exam).notRead},
	{id: "secrets", deep: true, run: (*exam).secrets},
	{id: "disk", run: (*exam).disk},
	{id: "space", run: (*exam).space},
}

// Examine asks all checks. Its error is that of the context.
func Examine(ctx context.Context, home Home, opts Options) (*Report, error) {
	e := &exam{ctx: ctx, home: home, Options: opts}
	e.prepare()
	report := &Report{}
	for _, c := range checks {
		if c.deep && !opts.Deep {
			continue
		}
		result := c.run(e)
		if result == (Result{}) {
			continue // there is nothing to say
		}
		result.ID = c.id
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		report.Checks = append(report.Checks, result)
	}
	report.OnlyInFiles = e.copies.onlyInFiles()
	return report, nil
}

// An exam is one look at a home.
type exam struct {
	ctx  context.Context
	home Home
	Options

	files  []*source.Session // transcripts that are files
	own    []*source.Session // those that clawctl has made
	agents map[string]string // the databases of OpenClaw by agent, also those that cannot be read
	ours   *migrate.Target   // clawctl's store, or nil
	copies *copies           // where the records of the files are, too

	read map[*source.Session]*reading // of the sessions that were read
}

// prepare notes what several checks need.
func (e *exam) prepare() {
	e.read, e.agents = map[*source.Session]*reading{}, map[string]string{}
	e.files = FilesOf(e.home.Place)
	e.takeOwn()
	for _, path := range e.home.Place.Databases {
		e.agents[e.home.Place.AgentOf(path)] = path
	}
	for _, p := range e.badDatabases() {
		e.agents[e.home.Place.AgentOf(p.Path)] = p.Path
	}
	if e.Deep {
		e.readAll("Checking", e.home.Place.Sessions)
	}
	e.copies = e.compareFiles()
}

// clawctl returns a command of clawctl about the state folder.
func (e *exam) clawctl(words ...string) string {
	words = append([]string{"clawctl"}, words...)
	if !e.IsDefault {
		words = append(words, e.home.Place.Path)
	}
	return failure.Command(words...)
}

// validate is the command that validates the place, with its archives if it has nothing else.
func (e *exam) validate(words ...string) string {
	words = append([]string{"validate"}, words...)
	if !slices.ContainsFunc(e.home.Place.Sessions, func(s *source.Session) bool { return s.Kind == source.Live }) {
		words = append(words, "--kind", "all")
	}
	return e.clawctl(words...)
}

// nameOf returns what a command calls a session.
func (e *exam) nameOf(s *source.Session) string {
	if e.IsDefault && s.Listed && s.Kind == source.Live {
		return s.Key
	}
	return s.Place()
}
