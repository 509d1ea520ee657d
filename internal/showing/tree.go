package showing

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/window/summary"
)

// A treeFact is what the first reading learns about an entry.
type treeFact struct {
	line   int64
	time   time.Time
	prompt bool      // the user says something, perhaps what another entry says too
	turns  int       // what the entry adds to the turns of the session
	calls  int       // and to its tool calls
	mark   *treeMark // of a compaction, a reset or a label; nil for other entries
	text   string    // the beginning of what the user said
}

// treeFacts collects them. An entry that says nothing is left out, because there may be millions.
type treeFacts struct {
	entries  []treeFact
	ancestor jsonl.Ancestor
	maker    parts.Maker
}

// excerptLength is how much of a message the tree shows.
const excerptLength = 60

// take notes a record, and what it adds to the sums of the session, nil for nothing.
func (f *treeFacts) take(rec *jsonl.Record, added *stats.Tally) {
	if !rec.Legible() {
		return
	}
	e := f.maker.Entry(rec)
	if e == nil {
		return
	}
	f.ancestor.Take(rec)
	fact := treeFact{line: e.Line, time: e.Time, prompt: parts.StartsTurn(rec)}
	if added != nil {
		fact.turns, fact.calls = int(added.Turns), int(added.ToolCalls)
	}
	for i := range e.Parts {
		switch p := &e.Parts[i]; p.Kind {
		case parts.User:
			if fact.text == "" && fact.prompt {
				beginning := strings.Fields(summary.Beginning(p.Text(), 4*excerptLength))
				fact.text = ui.CutEnd(strings.Join(beginning, " "), excerptLength)
			}
		case parts.Header:
		default:
			fact.mark = newTreeMark(p)
		}
	}
	if fact != (treeFact{line: e.Line}) {
		f.entries = append(f.entries, fact)
	}
}

// A treeMark is an entry that the tree shows by itself.
type treeMark struct {
	Kind   parts.Kind `json:"kind"`
	Entry  string     `json:"entry,omitempty"`
	Line   int64      `json:"line"`
	Tokens int64      `json:"tokens_before,omitempty"` // of a compaction
	Reason string     `json:"reason,omitempty"`        // of a reset
	Label  string     `json:"label,omitempty"`
	Target string     `json:"target,omitempty"` // of a label
}

// newTreeMark returns the mark of a part, nil if the tree does not show it by itself.
func newTreeMark(p *parts.Part) *treeMark {
	m := &treeMark{Kind: p.Kind}
	switch p.Kind {
	case parts.Compaction:
		m.Tokens = p.Field("tokens_before").Int()
	case parts.Reset:
		m.Reason = p.Field("reason").String()
	case parts.Label:
		m.Label, m.Target = p.Text(), p.Field("target").String()
	case parts.BranchSummary, parts.Checkpoint:
	default:
		return nil
	}
	return m
}

func (m *treeMark) words() string {
	switch m.Kind {
	case parts.Compaction:
		if m.Tokens > 0 {
			return "compaction · " + ui.Short(m.Tokens) + " tokens before"
		}
	case parts.Reset:
		return strings.TrimSuffix("reset · "+m.Reason, " · ")
	case parts.BranchSummary:
		return "summary of another branch"
	case parts.Label:
		return fmt.Sprintf("label %q on %s", m.Label, m.Target)
	}
	return string(m.Kind)
}

// PrintTree prints the branches of a session, and the sessions that it belongs to.
func PrintTree(s *View) error {
	if s.App.Format == "markdown" {
		return failure.Usage(s.App.CommandLine("--format", "text"), "--tree cannot be combined with --format %s",
			s.App.Format)
	}
	defer reading.KeepSmall()()
	s.mask(false)
	facts := &treeFacts{maker: s.maker()}
	s.Facts.counter = stats.NewCounter(s.Session)
	visit := func(rec *jsonl.Record) { facts.take(rec, s.Facts.take(s.App.Ctx, rec)) }
	if err := s.open(visit); err != nil {
		return err
	}
	d := newTreeDrawing(s, facts)
	if s.App.WantsJSON() {
		return d.printJSON(facts.ancestor.Name)
	}
	if err := s.printHead(); err != nil {
		return err
	}
	d.drawRoots()
	d.out.WriteString(s.lineage(facts.ancestor.Name))
	if err := s.App.PrintStyled(d.out.String()); err != nil {
		return err
	}
	return s.transcript.Damage
}

// A treePainter draws a tree from the top. A run of entries without a fork is one line. At a fork, the branches that
// were left come first, further to the right, and the one that goes on comes last.
type treePainter struct {
	app      *cli.App
	showing  *View
	nodes    []rebuild.Node
	facts    []*treeFact
	children treeChildren
	inside   bool // the entries that follow on the path are in the context
	out      strings.Builder
}

func newTreeDrawing(s *View, facts *treeFacts) *treePainter {
	d := &treePainter{app: s.App, showing: s, nodes: s.context.Outline()}
	d.facts = make([]*treeFact, len(d.nodes))
	d.children = newTreeChildren(len(d.nodes), d.parentOf)
	at, nothing := 0, &treeFact{}
	for i, n := range d.nodes {
		d.facts[i] = nothing
		for at < len(facts.entries) && facts.entries[at].line < n.Line {
			at++
		}
		if at < len(facts.entries) && facts.entries[at].line == n.Line {
			d.facts[i] = &facts.entries[at]
		}
	}
	return d
}

// parentOf returns the parent of a node, or -1. A node has none if it would close a cycle: its parent comes after it,
// and neither is on the path.
func (d *treePainter) parentOf(i int32) int32 {
	if n := &d.nodes[i]; n.Parent < i || n.OnPath {
		return n.Parent
	}
	return -1
}

// treeChildren lists the children of all nodes, one node after the other. A slice for each would take four times the
// memory, and there may be millions.
type treeChildren struct{ starts, list []int32 }

func newTreeChildren(nodes int, parentOf func(int32) int32) treeChildren {
	c := treeChildren{starts: make([]int32, nodes+1)}
	for i := range int32(nodes) {
		if parent := parentOf(i); parent >= 0 {
			c.starts[parent+1]++
		}
	}
	for i := range nodes {
		c.starts[i+1] += c.starts[i]
	}
	c.list = make([]int32, c.starts[nodes])
	next := slices.Clone(c.starts)
	for i := range int32(nodes) {
		if parent := parentOf(i); parent >= 0 {
			c.list[next[parent]] = i
			next[parent]++
		}
	}
	return c
}

// of returns the children of a node in the order of their lines.
func (c treeChildren) of(node int32) []int32 { return c.list[c.starts[node]:c.starts[node+1]] }

// A treeBranch is a part of the tree that is still to be drawn.
type treeBranch struct {
	node  int32
	depth int
	forks bool // it leaves the line that it began on
}

// drawRoots draws everything, without recursion.
func (d *treePainter) drawRoots() {
	var stack []treeBranch
	for i := len(d.nodes) - 1; i >= 0; i-- {
		if d.isRoot(int32(i)) {
			stack = append(stack, treeBranch{node: int32(i)})
		}
	}
	slices.SortStableFunc(stack, func(a, b treeBranch) int { // the path comes last, so it is at the bottom of the stack
		return boolOrder(d.nodes[b.node].OnPath) - boolOrder(d.nodes[a.node].OnPath)
	})
	for len(stack) > 0 {
		branch := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1], d.drawRun(branch)...)
	}
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

// isRoot reports whether nothing is before an entry, and there is something to draw: the header is not part of the
// tree.
func (d *treePainter) isRoot(i int32) bool {
	n := d.nodes[i]
	return d.parentOf(i) < 0 && (n.OnPath || d.facts[i].prompt || len(d.children.of(i)) > 0)
}

// drawRun draws a branch up to its next fork, and returns the branches that follow, the first one last.
func (d *treePainter) drawRun(b treeBranch) []treeBranch {
	if b.forks {
		d.line(b.depth-1, ui.Dim, "├─╮", "")
	}
	run := treeRun{}
	for at := b.node; ; {
		d.enter(&run, at, b.depth)
		next := d.children.of(at)
		if len(next) != 1 {
			d.endRun(&run, b.depth)
			if len(next) == 0 {
				d.drawLeaf(at, b.depth)
			}
			return d.forksOf(next, b.depth)
		}
		at = next[0]
	}
}

// enter adds an entry to a run. An entry with a mark is a line of its own.
func (d *treePainter) enter(run *treeRun, at int32, depth int) {
	fact := d.facts[at]
	if d.nodes[at].OnPath && d.nodes[at].Shown && !d.inside {
		d.endRun(run, depth)
		d.inside = true
	}
	if fact.mark != nil {
		d.endRun(run, depth)
		d.line(depth, ui.Hint, "◆", fact.mark.words())
		return
	}
	run.add(fact, d.inside && d.nodes[at].OnPath)
}

// forksOf returns the branches after a fork for the stack: the one that goes on at the bottom.
func (d *treePainter) forksOf(next []int32, depth int) []treeBranch {
	if len(next) == 0 {
		return nil
	}
	main := len(next) - 1
	for i, child := range next {
		if d.nodes[child].OnPath {
			main = i
		}
	}
	branches := []treeBranch{{node: next[main], depth: depth}}
	for i, child := range slices.Backward(next) {
		if i != main {
			branches = append(branches, treeBranch{node: child, depth: depth + 1, forks: true})
		}
	}
	return branches
}

// drawLeaf draws the end of a branch.
func (d *treePainter) drawLeaf(at int32, depth int) {
	id := d.showing.context.EntryID(at)
	words := "ends at " + ui.EscapeLine(id)
	if id == "" {
		words = "ends in line " + ui.Thousands(d.nodes[at].Line)
	}
	if t := d.facts[at].time; !t.IsZero() {
		words += " · " + ui.Minute(t.In(d.app.Now().Location()))
	}
	if d.nodes[at].OnPath {
		d.line(depth, ui.Good, "●", words+" · the session goes on here")
		return
	}
	d.line(depth, ui.Dim, "○", words)
}

// maxTreeDepth is how far branches are indented at most.
const maxTreeDepth = 12

// line draws a line behind the bars of the branches to its left.
func (d *treePainter) line(depth int, style ui.Style, mark, words string) {
	term := d.app.Output.Term
	bars := strings.Repeat("│ ", min(max(depth, 0), maxTreeDepth))
	if words = ui.EscapeLine(words); term.Is {
		words = ui.CutEnd(words, max(20, term.Columns-len([]rune(bars+mark))-1))
	}
	d.out.WriteString(strings.TrimRight(term.Paint(ui.Dim, bars)+term.Paint(style, mark)+" "+words, " ") + "\n")
}

// A treeRun is a run of entries without a fork.
type treeRun struct {
	entries, turns, calls int
	first, last           time.Time
	text                  string
	seen                  bool // by the model
}

func (r *treeRun) add(f *treeFact, seen bool) {
	r.entries++
	r.turns += f.turns
	r.calls += f.calls
	r.seen = seen
	if r.text == "" {
		r.text = f.text
	}
	if !f.time.IsZero() {
		if r.first.IsZero() {
			r.first = f.time
		}
		r.last = f.time
	}
}

// words describe a run: "12 turns, 34 tool calls, 3h02m".
func (r *treeRun) words() string {
	words := []string{ui.Count(r.turns, "turn")}
	if r.turns == 0 {
		words[0] = ui.Count(r.entries, "entry")
	}
	if r.calls > 0 {
		words = append(words, ui.Count(r.calls, "tool call"))
	}
	if took := r.last.Sub(r.first); took >= time.Second {
		words = append(words, ui.Remaining(took))
	}
	text := strings.Join(words, ", ")
	if r.seen {
		text += " · seen by the model"
	}
	if r.text != "" {
		text += " · “" + r.text + "”"
	}
	return text
}

// endRun draws a run and begins a new one.
func (d *treePainter) endRun(run *treeRun, depth int) {
	if run.entries > 0 {
		mark, style, words := "│", ui.Dim, run.words()
		if run.seen {
			mark, style = "┃", ui.Good
		}
		d.line(depth, style, mark, words)
	}
	*run = treeRun{}
}
