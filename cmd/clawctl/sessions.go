package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"clawctl/pkg/source"
	"clawctl/pkg/stats"
	"clawctl/pkg/validate"

	"github.com/urfave/cli/v2"
)

func sessionsCommand() *command {
	return &command{
		name: "sessions", group: "look", args: "[SOURCE]...", summary: "which sessions there are, live and archived, and what is wrong about how they are kept",
		about: "Lists every transcript below a folder or in a database: those that OpenClaw still uses, and the resets, deletions, backups, checkpoints and archives that it left behind. " +
			"Without SOURCE it looks at your state folder.\n\n" +
			"Every transcript is read once, for its records, messages, recorded tokens, times and title; with --fast only names, registrations and sizes are looked at. " +
			"A transcript that is another's bytes, or their beginning, is named as its copy. " +
			"With --findings each is also judged as validate does it; stdin cannot be. " +
			"Tokens are those that providers recorded, without what came from a cache; OpenClaw's own mirrors of messages are not counted.",
		examples: []string{
			"clawctl sessions",
			"clawctl sessions --sort size ~/.openclaw/agents/main",
			"clawctl sessions --json --kind reset,deleted | jq -r .path",
		},
		exits: []int{exitOK, exitUsage, exitDamaged, exitNothing, exitDatabase, exitLocked, exitInterrupted},
		flags: append([]cli.Flag{
			&cli.StringFlag{Name: "sort", Value: "key", Usage: "`ORDER`: " + strings.Join(sortNames(), ", ")},
			&cli.BoolFlag{Name: "fast", Usage: "read no transcript"},
			&cli.StringFlag{Name: "since", Usage: "only sessions with a record from this `TIME` on"},
			&cli.StringFlag{Name: "until", Usage: "only sessions that began before this `TIME`"},
			&cli.IntFlag{Name: "jobs", Usage: "read `N` transcripts at a time; default: one a core"},
			&cli.BoolFlag{Name: "strict", Usage: "exit 3 where a transcript is damaged"},
			&cli.BoolFlag{Name: "findings", Usage: "count what validate finds in each, in the field findings"},
		}, sourceFlags()...),
		formats: reportFormats,
		run:     runSessions,
	}
}

// A sessionRow is the JSON form of a session in the list. Fields are added, never renamed.
type sessionRow struct {
	SchemaVersion int          `json:"schema_version"`
	Key           string       `json:"key"`
	ID            string       `json:"id"`
	Agent         string       `json:"agent"`
	Kind          source.Kind  `json:"kind"`
	Generation    string       `json:"generation,omitempty"`
	Path          string       `json:"path"`
	Dialect       string       `json:"dialect,omitempty"`
	Records       *int64       `json:"records"`
	Messages      *int64       `json:"messages"`
	Damaged       *int64       `json:"damaged"`
	Bytes         int64        `json:"bytes"`
	Recorded      *stats.Usage `json:"recorded"`
	First         *time.Time   `json:"first"`
	Last          *time.Time   `json:"last"`
	Title         string       `json:"title"`
	Listed        bool         `json:"listed"`
	CopyOf        string       `json:"copy_of,omitempty"`
	Problems      []problemRow `json:"problems"`
	Findings      *int         `json:"findings"`

	copyPath string
}

type problemRow struct {
	Code    source.Code `json:"code"`
	Message string      `json:"message"`
	Detail  string      `json:"detail,omitempty"`
}

// A sessionOrder is a value of --sort.
type sessionOrder struct {
	name    string
	compare func(a, b *sessionRow) int
}

var sessionOrders = []sessionOrder{
	{"last", func(a, b *sessionRow) int { return timeOf(b.Last).Compare(timeOf(a.Last)) }},
	{"size", func(a, b *sessionRow) int { return cmp.Compare(b.Bytes, a.Bytes) }},
	{"messages", func(a, b *sessionRow) int { return cmp.Compare(intOf(b.Messages), intOf(a.Messages)) }},
	{"key", nil}, // the order in which they are found
}

func sortNames() (names []string) {
	for _, o := range sessionOrders {
		names = append(names, o.name)
	}
	return names
}

func runSessions(a *app, ctx *cli.Context) error {
	span, err := a.parseRange(ctx)
	if err != nil {
		return err
	}
	order := slices.IndexFunc(sessionOrders, func(o sessionOrder) bool { return o.name == ctx.String("sort") })
	if order < 0 {
		return usageError("clawctl help sessions", "--sort is one of %s, not %q", strings.Join(sortNames(), ", "), ctx.String("sort"))
	}
	args := ctx.Args().Slice()
	if len(args) == 0 {
		if args, err = a.stateDir(); err != nil {
			return err
		}
	}
	worst := &reported{done: true}
	f, err := a.findEach(ctx, args, ctx.Bool("fast"), worst)
	if a.ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	if len(f.sessions) == 0 {
		return worst
	}
	rows, damaged := a.sessionRows(f.sessions, ctx.Bool("fast"), ctx.Int("jobs"))
	if a.ctx.Err() != nil {
		return errInterrupted
	}
	if ctx.Bool("findings") {
		err := a.judgeAll(f.sessions, ctx.Int("jobs"), validate.Selection{}, func(i int, j judgement) error {
			count := len(j.findings)
			rows[i].Findings = &count
			return nil
		})
		if err != nil {
			return err
		}
	}
	rows = slices.DeleteFunc(rows, func(r *sessionRow) bool { return !overlaps(r, span) })
	if compare := sessionOrders[order].compare; compare != nil {
		slices.SortStableFunc(rows, compare)
	}
	if err := a.printReport(sessionsReport(rows)); err != nil {
		return err
	}
	if a.noteProblems(f.places) {
		damaged = true
	}
	if damaged && ctx.Bool("strict") {
		a.blame(worst, errDamaged)
	}
	if worst.exit == exitOK {
		return nil
	}
	return worst
}

// findEach finds the sessions of all arguments; one that leads nowhere is reported and does not stop the others.
func (a *app) findEach(ctx *cli.Context, args []string, fast bool, worst *reported) (*found, error) {
	if _, err := sourceFilter(ctx); err != nil {
		return nil, err
	}
	all := newFound()
	seen := map[string]bool{}
	for _, arg := range args {
		f, err := a.find(ctx, []string{arg}, source.Kinds, fast)
		if err != nil {
			a.blame(worst, err)
			continue
		}
		all.places = append(all.places, f.places...)
		for _, s := range f.sessions {
			if !seen[s.Place()] {
				seen[s.Place()] = true
				all.sessions = append(all.sessions, s)
				all.given[s] = f.given[s]
			}
		}
	}
	return all, nil
}

// overlaps reports whether a session has records in a time range, as far as is known.
func overlaps(r *sessionRow, span timeRange) bool {
	last, first := timeOf(r.Last), timeOf(r.First)
	return !last.Before(span.since) && (span.until.IsZero() || first.Before(span.until))
}

// sessionRows reads the sessions, unless they are to be listed fast, and describes them.
func (a *app) sessionRows(sessions []*source.Session, fast bool, jobs int) (rows []*sessionRow, damaged bool) {
	facts := make([]source.Facts, len(sessions))
	if !fast {
		var total, read int64
		for _, s := range sessions {
			total += s.Bytes
		}
		facts = source.Inspect(a.ctx, sessions, jobs, func(s *source.Session, _ *source.Facts) {
			read += s.Bytes
			a.progress.show("reading", read, total)
		})
	}
	a.progress.clear()
	for i, s := range sessions {
		row := newSessionRow(s)
		if !fast {
			row.read(s, &facts[i])
			damaged = damaged || facts[i].Damaged > 0 || facts[i].Err != nil
		}
		rows = append(rows, row)
	}
	return rows, damaged
}

// newSessionRow describes what is known without reading.
func newSessionRow(s *source.Session) *sessionRow {
	row := &sessionRow{
		SchemaVersion: 1, Key: s.Key, ID: s.ID, Agent: s.Agent, Kind: s.Kind, Generation: s.Generation, Path: s.Place(), Bytes: s.Bytes,
		Title: s.Title(), Listed: s.Listed, Problems: []problemRow{},
	}
	if last := cmp.Or(s.Entry.UpdatedAt, s.Modified); !last.IsZero() {
		last = last.UTC()
		row.Last = &last
	}
	for _, p := range s.Problems {
		row.problem(p.Code, p.Detail)
	}
	return row
}

func (r *sessionRow) problem(code source.Code, detail string) {
	r.Problems = append(r.Problems, problemRow{code, code.Words(), detail})
}

// read adds what reading told.
func (r *sessionRow) read(s *source.Session, f *source.Facts) {
	r.Dialect, r.Records, r.Messages, r.Damaged = f.Dialect.String(), &f.Records, &f.Messages, &f.Damaged
	r.Recorded = stats.NewUsage(f.Recorded)
	r.Bytes = cmp.Or(r.Bytes, f.Bytes) // of a stream the size shows only now
	r.Title = cmp.Or(f.Name, s.Title(), f.FirstText)
	if !f.First.IsZero() {
		first, last := f.First.UTC(), f.Last.UTC()
		r.First, r.Last = &first, &last
	}
	if f.CopyOf != nil {
		r.CopyOf, r.copyPath = f.CopyOf.Name(), f.CopyOf.Place()
	}
	if f.HeaderID != "" && f.HeaderID != s.ID && s.NamedByID() && s.Kind == source.Live {
		r.problem(source.IDMismatch, f.HeaderID)
	}
	if f.Err != nil {
		var failed *failure
		errors.As(inputError(r.Path, f.Err), &failed)
		r.problem(source.Unreadable, failed.text)
	}
}

// sessionsReport lays the rows out for people.
func sessionsReport(rows []*sessionRow) *report {
	r := &report{columns: []column{{"key", false}, {"kind", false}, {"messages", true}, {"tokens", true}, {"size", true}, {"last", false}, {"notes", false}, {"title", false}}}
	for _, row := range rows {
		messages, tokens, last := "", "", ""
		if row.Messages != nil {
			messages, tokens = strconv.FormatInt(*row.Messages, 10), shortCount(row.Recorded.Input+row.Recorded.Output)
		}
		if row.Last != nil {
			last = row.Last.Local().Format("2006-01-02 15:04")
		}
		r.add(row, row.Key, string(row.Kind), messages, tokens, byteSize(row.Bytes), last, row.notes(), row.Title)
	}
	return r
}

// notes are the remarks of a row in a few words.
func (r *sessionRow) notes() string {
	var notes []string
	if r.CopyOf != "" {
		notes = append(notes, "copy of "+filepath.Base(r.copyPath))
	}
	if r.Damaged != nil && *r.Damaged > 0 {
		notes = append(notes, fmt.Sprintf("%d damaged", *r.Damaged))
	}
	for _, p := range r.Problems {
		notes = append(notes, p.Code.Label())
	}
	return strings.Join(notes, ", ")
}

// noteProblems says what is wrong with places: what cannot be read as an error, the rest as a remark for each kind of
// problem, or all of it as JSON. It reports whether some part of a place cannot be read.
func (a *app) noteProblems(places []*source.Place) (unreadable bool) {
	for _, p := range places {
		for _, code := range source.Codes {
			of := slices.DeleteFunc(slices.Clone(p.Problems), func(problem source.Problem) bool { return problem.Code != code })
			if len(of) == 0 {
				continue
			}
			failed := problemFailure(of[0]) != nil
			unreadable = unreadable || failed
			switch {
			case a.json:
				for _, problem := range of {
					fmt.Fprint(a.stderr, jsonLine(problemReport{1, problem.Path, problem.Key, problemRow{code, code.Words(), problem.Detail}}))
				}
			case failed:
				for _, problem := range of {
					a.complain(problemFailure(problem))
				}
			default:
				a.note("%s: %s %s: %s", p.Path, code, code.Words(), firstOf(of))
			}
		}
	}
	return unreadable
}

// firstOf names the first of several problems.
func firstOf(of []source.Problem) string {
	what := cmp.Or(of[0].Key, of[0].Path)
	if of[0].Detail != "" {
		what += " (" + of[0].Detail + ")"
	}
	if len(of) > 1 {
		what += fmt.Sprintf(" and %d more", len(of)-1)
	}
	return what
}

// A problemReport is a problem of a place as JSON, on stderr.
type problemReport struct {
	SchemaVersion int        `json:"schema_version"`
	Path          string     `json:"path"`
	Key           string     `json:"key,omitempty"`
	Problem       problemRow `json:"problem"`
}

// shortCount formats a large number for people.
func shortCount(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 1000*1000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

func intOf(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
