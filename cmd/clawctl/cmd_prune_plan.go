package main

import (
	"fmt"
	"strings"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/source"
)

// A prunePlan is a list of things that go or stay: files, or sessions of the store.
type prunePlan struct {
	app     *cli.App
	options *pruneOptions
	noun    string // of a thing
	where   string // what the plan is about, for the summary
	final   bool   // they are deleted for good
	items   []*pruneItem
	outcome *failure.Tally
	summary pruneSummary
	begin   func() error // prepares the work; may be nil
	after   func()       // says what can be done after the work; may be nil
}

// A pruneItem is one thing.
type pruneItem struct {
	pruneRow
	name  string // for people
	short string // the reason, if there is little room
	time  time.Time
	// do carries it out. It is nil if the thing stays.
	do func() *failure.Error
}

// A pruneRow is the JSON form of an item.
type pruneRow struct {
	SchemaVersion int         `json:"schema_version"`
	Action        string      `json:"action"` // move, delete or keep; afterwards moved, deleted or kept
	Path          string      `json:"path,omitempty"`
	Session       string      `json:"session,omitempty"`
	Kind          source.Kind `json:"kind,omitempty"`
	Bytes         int64       `json:"bytes"`
	LastUsed      string      `json:"last_used,omitempty"`
	TrashedAt     string      `json:"trashed_at,omitempty"`
	Reason        string      `json:"reason"`
	Receipt       string      `json:"receipt,omitempty"`
	Trash         string      `json:"trash,omitempty"`
}

// A pruneSummary is the last object of --json.
type pruneSummary struct {
	SchemaVersion int    `json:"schema_version"`
	Summary       bool   `json:"summary"`
	Written       bool   `json:"written"`
	Count         int    `json:"count"` // of what goes, or went
	Bytes         int64  `json:"bytes"`
	Kept          int    `json:"kept"`
	KeptBytes     int64  `json:"kept_bytes"`
	Against       string `json:"against,omitempty"`
	Receipt       string `json:"receipt,omitempty"`
}

// The words for what happens to an item, before and afterwards.
func (p *prunePlan) verb(isDone bool) string {
	switch {
	case p.final && isDone:
		return "deleted"
	case p.final:
		return "delete"
	case isDone:
		return "moved"
	}
	return "move"
}

// add adds an item that goes for some reason, unless keep is a reason why it stays.
func (p *prunePlan) add(item *pruneItem, reason, keep ui.Cell) {
	item.Action = p.verb(false)
	if keep.Text != "" {
		item.Action, item.do, reason = "keep", nil, keep
	}
	item.SchemaVersion, item.Reason, item.short = 1, reason.Text, reason.Short
	if since := item.time.UTC().Format(time.RFC3339); p.final {
		item.TrashedAt = since
	} else {
		item.LastUsed = since
	}
	p.items = append(p.items, item)
}

// finish prints the plan, or carries it out.
func (p *prunePlan) finish() error {
	p.count()
	switch {
	case len(p.items) == 0:
		return p.printNothing()
	case !p.options.Write:
		return p.print()
	case p.summary.Count == 0:
		return p.printAll()
	}
	if !p.app.WantsJSON() && !p.app.Quiet {
		if err := p.app.PrintReport(p.report()); err != nil {
			return err
		}
	}
	if err := writing.Confirm(p.app, p.options.kind(), p.options.Yes, p.question()); err != nil {
		return err
	}
	return p.carryOut()
}

// count adds up what goes and what stays.
func (p *prunePlan) count() {
	s := pruneSummary{SchemaVersion: 1, Summary: true, Written: p.options.Write, Against: p.summary.Against,
		Receipt: p.summary.Receipt}
	for _, item := range p.items {
		if item.do != nil {
			s.Count, s.Bytes = s.Count+1, s.Bytes+item.Bytes
		} else {
			s.Kept, s.KeptBytes = s.Kept+1, s.KeptBytes+item.Bytes
		}
	}
	p.summary = s
}

// printNothing says that nothing is old enough.
func (p *prunePlan) printNothing() error {
	if p.app.WantsJSON() {
		if err := p.app.Print(cli.JSONLine(p.summary)); err != nil {
			return err
		}
	}
	p.app.Note("Nothing to prune: no %s older than %s%s.", p.noun, p.options.older.Text, p.where)
	return p.outcome.Err()
}

// question is what is asked before anything happens.
func (p *prunePlan) question() string {
	what := ui.Count(p.summary.Count, p.noun) + " (" + ui.Bytes(p.summary.Bytes) + ")"
	if p.final {
		return fmt.Sprintf("Delete %s for good?", what)
	}
	return fmt.Sprintf("Move %s to the trash?", what)
}

// report is the plan as a table.
func (p *prunePlan) report() *cli.Report {
	since := "last used"
	if p.final {
		since = "in the trash since"
	}
	r := cli.NewReport(
		ui.Column{Name: "plan"},
		ui.Column{Name: "size", Right: true},
		ui.Column{Name: since, Rank: 2},
		ui.Column{Name: p.noun, Cut: ui.InMiddle, Min: 24},
		ui.Column{Name: "why"},
	)
	for _, item := range p.items {
		style := ui.Good
		if item.do == nil {
			style = ui.Warning
		}
		r.AddCells(item.pruneRow, ui.Cell{Text: item.Action, Style: style}, ui.Cell{Text: ui.Bytes(item.Bytes)},
			ui.Cell{Text: p.app.When(item.time)}, ui.Cell{Text: item.name},
			ui.Cell{Text: item.Reason, Short: item.short})
	}
	return r
}

// printAll prints the items and, for programs, the summary.
func (p *prunePlan) printAll() error {
	r := p.report()
	if p.app.WantsJSON() {
		r.AddObject(p.summary)
	}
	if err := p.app.PrintReport(r); err != nil {
		return err
	}
	p.app.Note("%s", p.words())
	return failure.Findings
}

// print prints the plan, and how to carry it out.
func (p *prunePlan) print() error {
	err := p.printAll()
	switch {
	case p.summary.Count == 0:
	case p.final:
		p.app.Hint(strings.Replace(writing.WriteCommand(p.app), " --write", " -y", 1))
	default:
		p.app.Hint(writing.WriteCommand(p.app))
	}
	return err
}

// words sums up what goes and what stays.
func (p *prunePlan) words() string {
	s := p.summary
	text := "nothing can be pruned"
	what := ui.Count(s.Count, p.noun) + " (" + ui.Bytes(s.Bytes) + ")"
	switch {
	case s.Count == 0:
	case p.final:
		text = what + " can be deleted for good"
	default:
		text = what + " can be moved to the trash"
	}
	if s.Kept > 0 {
		text += ", " + ui.Count(s.Kept, p.noun) + " (" + ui.Bytes(s.KeptBytes) + ") must stay"
	}
	return text + p.where
}

// carryOut does what the plan says. What fails does not stop the rest, unless a store is locked.
func (p *prunePlan) carryOut() error {
	if p.begin != nil {
		if err := p.begin(); err != nil {
			return err
		}
	}
	p.app.Progress.Begin("Pruning", int64(p.summary.Count), ui.Items(p.noun))
	defer p.app.Progress.End()
	var locked *failure.Error
	for _, item := range p.items {
		if p.app.Ctx.Err() != nil {
			return cli.Interrupted(p.app)
		}
		f := locked
		if item.do != nil && locked == nil {
			f = item.do()
			p.app.Progress.Advance(1)
		}
		if f != nil && locked == nil {
			p.app.Blame(p.outcome, f)
		}
		if f != nil && f.Status() == failure.ExitLocked {
			locked = f // the next one would only wait as long
		}
		p.conclude(item, f)
	}
	p.app.Progress.End()
	return p.printDone()
}

// conclude notes what became of an item.
func (p *prunePlan) conclude(item *pruneItem, f *failure.Error) {
	switch {
	case item.do == nil:
		item.Action = "kept"
	case f != nil:
		item.Action, item.Reason, item.do = "kept", f.Text, nil
	default:
		item.Action = p.verb(true)
	}
}

// printDone says what was done.
func (p *prunePlan) printDone() error {
	p.count()
	if p.app.WantsJSON() {
		r := p.report()
		r.AddObject(p.summary)
		if err := p.app.PrintReport(r); err != nil {
			return err
		}
	}
	s := p.summary
	text := fmt.Sprintf("%s %s (%s)", p.verb(true), ui.Count(s.Count, p.noun), ui.Bytes(s.Bytes))
	if p.final {
		text += " for good"
	} else {
		text += " to the trash"
	}
	if s.Kept > 0 {
		text += ", left " + ui.Count(s.Kept, p.noun) + " alone"
		p.outcome.Take(failure.ExitFindings, true)
	}
	if s.Receipt != "" {
		text += "; receipt " + s.Receipt
	}
	p.app.Note("%s", text)
	if p.after != nil && s.Count > 0 {
		p.after()
	}
	return p.outcome.Err()
}
