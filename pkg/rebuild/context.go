package rebuild

import (
	"errors"
	"fmt"

	"clawctl/pkg/jsonl"
)

// A Context is what the program that wrote a transcript would hand its model for the next turn, as numbers of entries.
type Context struct {
	ix    *Index
	Model Model
	// ThinkingLevel is the last that was set, "off" where none was.
	ThinkingLevel string
	// Leaf is the id of the entry on which the next one would grow, "" where there is none.
	Leaf string

	path     []row  // from the root to the leaf
	items    []item // what the model sees, in order
	boundary int    // the index of the last compaction or reset in path, -1 where there is none
	// keptMissing is set where the boundary names an entry to be kept that is not before it.
	keptMissing bool
}

// A Model is who answers.
type Model struct{ Provider, ID string }

// An item is an entry that the model sees.
type item struct {
	entry    int32
	retained bool // from before the boundary
}

// Path returns the ids of the entries from the root to the leaf.
func (c *Context) Path() []string {
	ids := make([]string, len(c.path))
	for i, r := range c.path {
		ids[i] = c.ix.names.text(r.id)
	}
	return ids
}

// Errors of a context.
var (
	// ErrNoEntry: --leaf names no entry.
	ErrNoEntry = errors.New("no entry of that id")
	// ErrNoTree: claw0's transcripts have no branches.
	ErrNoTree = errors.New("the transcript has no ids and no branches")
)

// A RefusedError says which entry makes OpenClaw refuse the session.
type RefusedError struct {
	Line  int64
	Entry string
	What  string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("OpenClaw refuses the session: the timestamp of this %s is no date", e.What)
}

// Context follows the transcript to its leaf, or to the entry that leaf names, and cuts it as OpenClaw does.
//
// OpenClaw reads a session in two ways. A turn of its gateway walks the tree; where it refuses, because there is no
// header or a date is wrong, or finds nothing, because the rows run in a circle, the way of the rest of OpenClaw counts.
func (ix *Index) Context(leaf string) (*Context, error) {
	if ix.Dialect.IsClaw0() {
		return ix.claw0Context(leaf)
	}
	t := ix.tree()
	from := t.leaf
	if leaf != "" {
		var known bool
		if from, known = ix.names.find([]byte(leaf)); !known || !t.has(from) {
			return nil, ErrNoEntry
		}
	}
	path, ok := t.path(from)
	if !ok && leaf != "" {
		return nil, fmt.Errorf("the entries above %s run in a circle", leaf)
	}
	turn := ix.newContext(ix.pathBranch(t, path))
	refused := turn.Refusal() != nil || ix.header < 0 && len(path) > 0
	if leaf != "" || !refused && len(turn.path) > 0 {
		return turn, nil
	}
	whole := ix.newContext(ix.wholeBranch())
	if ix.header >= 0 && (whole.Refusal() != nil || !refused && len(whole.items) == 0) {
		return turn, nil
	}
	return whole, nil
}

// newContext cuts a path.
func (ix *Index) newContext(path []row, kept sym) *Context {
	c := &Context{ix: ix, path: path, boundary: -1}
	c.follow()
	c.window(kept)
	return c
}

// follow reads the state that the entries of the path set.
func (c *Context) follow() {
	c.ThinkingLevel = "off"
	for _, r := range c.path {
		e := &c.ix.entries[r.entry]
		c.Leaf = c.ix.names.text(r.id)
		switch {
		case e.kind == kindThinkingLevel:
			c.ThinkingLevel = c.ix.names.text(e.ref)
		case e.kind == kindModelChange, e.kind == kindMessage && e.role == roleAssistant:
			c.Model = Model{c.ix.names.text(e.ref), c.ix.names.text(e.ref2)}
		}
	}
}

// window picks what the model sees: the last boundary, what it keeps, and what follows it.
func (c *Context) window(keptID sym) {
	for i, r := range c.path {
		if c.ix.entries[r.entry].isBoundary() {
			c.boundary = i
		}
	}
	kept := c.boundary
	var keeps map[int32]bool
	if c.boundary >= 0 {
		boundary := &c.ix.entries[c.path[c.boundary].entry]
		for i, r := range c.path[:c.boundary] {
			if r.id == keptID {
				kept = i
				break
			}
		}
		c.keptMissing = kept == c.boundary && keptID.isName()
		if boundary.kind == kindReset {
			keeps = c.ix.resetKeeps(c.path[kept:c.boundary])
		} else {
			c.items = append(c.items, item{entry: c.path[c.boundary].entry})
		}
	}
	for i, r := range c.path {
		retained := i < c.boundary
		if i == c.boundary || retained && (i < kept || keeps != nil && !keeps[r.entry]) {
			continue
		}
		if c.ix.entries[r.entry].isShown(keeps[r.entry]) {
			c.items = append(c.items, item{r.entry, retained})
		}
	}
}

// isShown reports whether the model sees an entry of the window. One that a reset keeps it sees even if it is excluded.
func (e *entry) isShown(kept bool) bool {
	switch e.kind {
	case kindMessage:
		if e.role == roleBash || e.role == roleCustom {
			return !e.has(hidden)
		}
		return kept || !e.has(excluded)
	case kindCustomMessage:
		return true
	case kindBranchSummary:
		return !e.has(emptySummary)
	}
	return false
}

// Refusal returns why OpenClaw refuses the context: a summary or a custom message without a date. nil means that it does
// not.
func (c *Context) Refusal() error {
	for _, it := range c.items {
		e := &c.ix.entries[it.entry]
		if e.kind != kindMessage && !e.has(dated) {
			what := map[kind]string{kindCompaction: jsonl.TypeCompaction, kindBranchSummary: jsonl.TypeBranchSummary, kindCustomMessage: jsonl.TypeCustomMessage}[e.kind]
			return &RefusedError{int64(e.line), c.ix.names.text(e.id), what}
		}
	}
	return nil
}
