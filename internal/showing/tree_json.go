package showing

import (
	"time"

	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
)

// A treeReport is the tree of a session for programs.
type treeReport struct {
	SchemaVersion int              `json:"schema_version"`
	Session       string           `json:"session"`
	Path          string           `json:"path"`
	Branches      []branchReport   `json:"branches"`
	Relatives     []relativeReport `json:"relatives"`
	openclaw.State
}

// A branchReport is a run of entries without a fork. A fork is the end of several branches' parent.
type branchReport struct {
	Branch      int        `json:"branch"`
	Parent      *int       `json:"parent"` // the branch that it continues
	First       string     `json:"first"`  // entries
	Last        string     `json:"last"`
	FirstLine   int64      `json:"first_line"`
	LastLine    int64      `json:"last_line"`
	Entries     int        `json:"entries"`
	Turns       int        `json:"turns"`
	Calls       int        `json:"calls"`
	Start       *time.Time `json:"start,omitempty"`
	End         *time.Time `json:"end,omitempty"`
	Text        string     `json:"text,omitempty"` // the beginning of its first prompt
	OnPath      bool       `json:"on_path"`
	Leaf        string     `json:"leaf,omitempty"`         // the entry at which the session goes on
	ContextFrom string     `json:"context_from,omitempty"` // the first entry that the model sees
	Marks       []treeMark `json:"marks"`
}

// A relativeReport is a related session.
type relativeReport struct {
	Relation string      `json:"relation"`
	Session  string      `json:"session"`
	Path     string      `json:"path,omitempty"`
	Kind     source.Kind `json:"kind,omitempty"`
	Bytes    int64       `json:"bytes,omitempty"`
}

// printJSON prints the tree as one object.
func (d *treePainter) printJSON(parent string) error {
	r := treeReport{SchemaVersion: 1, Session: d.showing.Facts.Name, Path: d.showing.Session.Path,
		Branches:  []branchReport{},
		Relatives: []relativeReport{}, State: d.showing.Session.Entry.State}
	for _, other := range d.showing.relatives(parent) {
		report := relativeReport{Relation: other.relation, Session: other.name}
		if s := other.session; s != nil {
			report.Path, report.Kind, report.Bytes = s.Place(), s.Kind, s.Bytes
		}
		r.Relatives = append(r.Relatives, report)
	}
	if d.showing.Session.Key != "" {
		r.Session = d.showing.Session.Key
	}
	r.Branches = d.branchReports(r.Branches)
	if err := d.app.PrintJSON(r); err != nil {
		return err
	}
	return d.showing.transcript.Damage
}

// branchReports returns all branches, each after the one that it continues.
func (d *treePainter) branchReports(list []branchReport) []branchReport {
	var starts []int32 // the first entry of each branch
	parents := map[int32]int{}
	for i := range d.nodes {
		if d.isRoot(int32(i)) {
			starts = append(starts, int32(i))
		}
	}
	for n := 0; n < len(starts); n++ {
		b, next := d.branchReport(starts[n])
		b.Branch = n
		if parent, ok := parents[starts[n]]; ok {
			b.Parent = &parent
		}
		list = append(list, b)
		for _, child := range next {
			parents[child] = n
		}
		starts = append(starts, next...)
	}
	return list
}

// branchReport returns the branch that begins with an entry, and the entries that the branches after it begin with.
func (d *treePainter) branchReport(at int32) (b branchReport, next []int32) {
	first := d.nodes[at]
	b = branchReport{First: d.showing.context.EntryID(at), FirstLine: first.Line, OnPath: first.OnPath,
		Marks: []treeMark{}}
	var run treeRun
	for ; ; at = next[0] {
		d.addToBranch(&b, &run, at)
		if next = d.children.of(at); len(next) != 1 {
			break
		}
	}
	b.Entries, b.Turns, b.Calls, b.Text = run.entries, run.turns, run.calls, run.text
	b.Last, b.LastLine = d.showing.context.EntryID(at), d.nodes[at].Line
	if !run.first.IsZero() {
		b.Start, b.End = &run.first, &run.last
	}
	return b, next
}

// addToBranch adds an entry to a branch.
func (d *treePainter) addToBranch(b *branchReport, run *treeRun, at int32) {
	node, fact := d.nodes[at], d.facts[at]
	run.add(fact, false)
	if fact.mark != nil {
		mark := *fact.mark
		mark.Entry, mark.Line = d.showing.context.EntryID(at), node.Line
		b.Marks = append(b.Marks, mark)
	}
	if node.OnPath && node.Shown && !d.inside {
		d.inside = true
		b.ContextFrom = d.showing.context.EntryID(at)
	}
	if d.isLeaf(at) {
		b.Leaf = d.showing.context.EntryID(at)
	}
}

// isLeaf reports whether the session goes on at an entry.
func (d *treePainter) isLeaf(at int32) bool {
	return len(d.showing.path) > 0 && d.nodes[at].Line == d.showing.path[len(d.showing.path)-1]
}
