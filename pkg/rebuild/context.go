package rebuild

import (
	"iter"
	"slices"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
)

// A Context is what the program that wrote a transcript would send to its model for the next turn, as numbers of
// entries.
type Context struct {
	ix    *Index
	Model Model
	// Answering is like Model, but ignores messages that no model sent.
	Answering Model
	// ThinkingLevel is the last level that was set, or "off" if none was.
	ThinkingLevel string
	// Leaf is the id of the entry that the next one would follow, or "" if there is none.
	Leaf string

	path     []int32 // from the root to the leaf
	items    []item  // what the model sees, in order
	weighed  []item  // what the program measures, if that is more
	boundary int     // the index of the last compaction or reset in path, or -1
	kept     int     // the index in path of the first entry that the boundary keeps, or boundary if it keeps none
	// keptMissing is set if the boundary names a first kept entry that is not before it.
	keptMissing bool
	keptLater   int            // the index in path of that entry if it comes after the boundary, or 0
	omitted     map[int32]bool // entries that a context edit removes
	cuts        []cut          // what compactions replaced, if there is no tree
	ofPrompt    map[int32]bool // what Claude Code has added to a prompt of the user
	refused     error          // what the program fails on, if the rules found it while they built the context
	judge       API            // whose rules are applied; NoAPI leaves that to the answers
	resultLimit int            // maximum tokens of a tool result that are sent; 0 means no limit
}

// A Model identifies the model that answers.
type Model struct{ Provider, ID string }

// An item is an entry that the model sees.
type item struct {
	entry    int32
	retained bool // from before the boundary
	prompt   bool // the system message that a compaction holds, instead of its summary
	stale    bool // the context has changed since its size was recorded
	resumed  bool // the checkpoint of its provider stands for everything before it
	unsent   bool // the model does not get it, but the program measures it
	parted   bool // an answer that is not sent is between it and the item before
}

// entries yields what the model sees, in order.
func (c *Context) entries() iter.Seq2[item, *entry] {
	return func(yield func(item, *entry) bool) {
		for _, it := range c.items {
			if !yield(it, c.ix.at(it.entry)) {
				return
			}
		}
	}
}

// Dialect returns the form of the transcript.
func (c *Context) Dialect() jsonl.Dialect { return c.ix.Dialect }

// Path returns the ids of the entries from the root to the leaf.
func (c *Context) Path() []string {
	ids := make([]string, len(c.path))
	for i, entry := range c.path {
		ids[i] = c.ix.names.text(c.ix.at(entry).id)
	}
	return ids
}

// errNoTree means that a leaf was requested in a transcript without branches.
var errNoTree error = &failure.Sentinel{Code: failure.Nothing, Text: "the transcript has no ids and no branches"}

// A LeafError means that a context cannot end at the requested entry.
type LeafError struct {
	ID      string
	InCycle bool // the entry exists, but those above it form a cycle
}

func (e *LeafError) Error() string {
	if e.InCycle {
		return "the entries above " + e.ID + " form a cycle"
	}
	return "no entry " + e.ID
}

// FailureAt is the failure of a transcript without a path to the entry.
func (e *LeafError) FailureAt(name string) *failure.Error {
	return failure.New(failure.Nothing, "%v", e).At(name)
}

// A RefusalError names the line that makes a program refuse the session.
type RefusalError struct {
	Code   failure.Code
	Line   int64
	Reason string
}

func (e *RefusalError) Error() string { return e.Reason }

// FailureAt says where the reason is explained.
func (e *RefusalError) FailureAt(name string) *failure.Error {
	f := failure.New(e.Code, "%v", e).At(name).WithExit(failure.ExitFindings).WithHint("clawctl explain " + string(e.Code))
	f.Line = e.Line
	return f
}

// Context follows the transcript to its leaf, or to the entry that leaf names, and cuts it as its program does.
func (ix *Index) Context(leaf string) (*Context, error) {
	return ix.rules.find(ix, leaf)
}

// ManagerContext returns the context that OpenClaw's session manager reads from all rows. Everything but a turn of the
// gateway uses it, and rarely finds something else than a turn.
func (ix *Index) ManagerContext() *Context { return ix.newContext(ix.wholeBranch()) }

func (ix *Index) newContext(path []int32, kept sym) *Context {
	c := &Context{ix: ix, path: path, boundary: -1, kept: -1}
	c.readState()
	c.cutAtBoundary(kept)
	ix.rules.edit(c)
	return c
}

// readState reads the state that the entries of the path set.
func (c *Context) readState() {
	model, answering := &entry{}, &entry{}
	c.ThinkingLevel = "off"
	for _, i := range c.path {
		switch e := c.ix.at(i); {
		case e.kind == kindThinkingLevel:
			c.ThinkingLevel = c.ix.names.text(e.ref)
		case e.kind == kindModelChange, e.is(roleAssistant):
			model = e
			if !e.has(mirror) {
				answering = e
			}
		}
	}
	c.Model, c.Answering = c.ix.modelOf(model), c.ix.modelOf(answering)
	if n := len(c.path); n > 0 {
		c.Leaf = c.ix.names.text(c.ix.at(c.path[n-1]).id)
	}
}

// modelOf returns the model that an answer comes from, or that a model change names.
func (ix *Index) modelOf(e *entry) Model { return Model{ix.names.text(e.ref), ix.names.text(e.ref2)} }

// cutAtBoundary selects what the model sees: the last boundary, what it keeps, and what follows it.
func (c *Context) cutAtBoundary(keptID sym) {
	rules := c.ix.rules
	for at, entry := range c.path {
		if rules.isBoundary(c.ix.at(entry)) {
			c.boundary = at
		}
	}
	kept := c.boundary
	defer func() { c.kept = kept }()
	var keeps map[int32]bool
	if c.boundary >= 0 {
		for at, entry := range c.path[:c.boundary] {
			if c.ix.at(entry).id == keptID {
				kept = at
				break
			}
		}
		boundary := c.path[c.boundary]
		e := c.ix.at(boundary)
		c.keptMissing = kept == c.boundary && keptID.isName() && keptID != e.id // its own id means that it keeps nothing
		if c.keptMissing {
			c.keptLater = c.indexAfterBoundary(keptID)
		}
		if e.kind == kindReset {
			keeps = c.ix.resetKeeps(c.path[kept:c.boundary])
		} else {
			c.addCompaction(boundary)
		}
	}
	for at, entry := range c.path {
		retained := at < c.boundary
		if at == c.boundary || retained && (at < kept || keeps != nil && !keeps[entry]) {
			continue
		}
		it := item{entry: entry, retained: retained}
		switch e := c.ix.at(entry); {
		case rules.isShown(e, retained, keeps[entry]):
			c.items = append(c.items, it)
			if c.weighed != nil {
				c.weighed = append(c.weighed, it)
			}
		case rules.isWeighed(e):
			it.unsent = true
			if c.weighed == nil {
				c.weighed = slices.Clone(c.items)
			}
			c.weighed = append(c.weighed, it)
		}
	}
}

// indexAfterBoundary returns the index in path of the first entry after the boundary that has an id, or 0.
func (c *Context) indexAfterBoundary(id sym) int {
	for at := c.boundary + 1; at < len(c.path); at++ {
		if c.ix.at(c.path[at]).id == id {
			return at
		}
	}
	return 0
}

// addCompaction adds what the model sees of the last compaction: the prompt that pi puts there, and the summary.
func (c *Context) addCompaction(i int32) {
	if c.holdsPrompt(i) {
		c.items = append(c.items, item{entry: i, prompt: true})
	}
	c.items = append(c.items, item{entry: i})
}

// holdsPrompt reports whether an entry is a compaction that holds the prompt.
func (c *Context) holdsPrompt(i int32) bool {
	e := c.ix.at(i)
	return e.kind == kindCompaction && e.role == roleSystem && c.ix.rules.hasPrompt
}

// Refusal returns why the program refuses the context, or nil if it does not.
func (c *Context) Refusal() error { return c.ix.rules.refusal(c) }

// Cycle returns a function that reports whether the record of a line is on the path after the last compaction or reset.
// Without a tree there is neither, so the function is true for all lines.
func (c *Context) Cycle() func(line int64) bool {
	if !c.ix.HasTree() {
		return func(int64) bool { return true }
	}
	lines := map[int64]bool{}
	for _, entry := range c.path[c.boundary+1:] {
		lines[int64(c.ix.at(entry).line)] = true
	}
	return func(line int64) bool { return lines[line] }
}

// Start returns the position of the first record that the context is made from. Whoever reads the transcript again for
// the context may begin there. If that is the beginning of the transcript, or there is none, the line is 0.
func (c *Context) Start() Place {
	var at Place
	first := int32(c.ix.len())
	for _, it := range c.weighedItems() {
		row := c.ix.rowOf(it.entry)
		first = min(first, row, c.ix.rowOf(c.ix.contentEntry(row)))
	}
	if first == 0 || int(first) == c.ix.len() {
		return at
	}
	return c.ix.placeOf(first)
}

// PathRecords yields the records of the path, from its root to the leaf, or all messages if there is no tree. It
// reads the records again.
func (c *Context) PathRecords(records iter.Seq2[*jsonl.Record, error], emit func(*jsonl.Record) error) error {
	return c.ix.eachRecord(records, c.pathEntries(), func(_ int, rec *jsonl.Record) error { return emit(rec) })
}

// IsEmpty reports whether nothing of the context can be sent to the API, with or without fixes.
func (c *Context) IsEmpty() bool {
	for _, it := range c.items {
		if c.hasText(it.entry) {
			return false
		}
	}
	isEmpty := true
	cm := &composer{ // it keeps nothing, because a hostile message has millions of blocks
		ix: c.ix, limits: LimitsOf(FormAnthropic), emit: func(message) { isEmpty = false }, fix: func(Fix) {},
	}
	cm.run(c.items)
	return isEmpty
}

// hasText reports whether an entry has text that is always sent. Most conversations begin with such an entry, and
// IsEmpty rarely has to do more.
func (c *Context) hasText(i int32) bool {
	e := c.ix.at(i)
	if e.isMirror() || e.role == roleToolResult || e.isSystem() {
		return false
	}
	for _, b := range c.ix.blocksOf(i) {
		if b.kind == jsonl.BlockText && b.flags&blank == 0 {
			return true
		}
	}
	return false
}
