package rebuild

import "clawctl/pkg/jsonl"

// goClawRules are the rules of GoClaw. They are those of OpenClaw, except for sizes.
var goClawRules = commonRules.with(func(r *rules) {
	r.hasTree, r.hasHeader, r.canExclude, r.needsDates, r.recordsSent = true, true, true, true, true
	r.find, r.refusal, r.refuses, r.corrects = openClawContext, openClawRefusal, openClawRefuses, openClawCorrects
})

func (e *entry) isCanonical() bool { return e.kind.isCanonical() }
func (e *entry) isRollback() bool  { return e.kind == kindRollback }

// openClawContext returns the context of OpenClaw.
//
// OpenClaw reads a session in two ways. A turn of its gateway walks the tree. If that fails because there is no
// header or a date is wrong, or finds nothing because the rows form a cycle, Context uses the way of the rest of
// OpenClaw.
func openClawContext(ix *Index, leaf string) (*Context, error) {
	t := ix.tree()
	from := t.leaf
	if leaf != "" {
		var known bool
		if from, known = ix.names.find([]byte(leaf)); !known || !t.has(from) {
			return nil, &LeafError{ID: leaf}
		}
	}
	path, ok := t.path(from)
	if !ok && leaf != "" {
		return nil, &LeafError{ID: leaf, InCycle: true}
	}
	turn := ix.newContext(ix.pathBranch(t, path))
	refused := turn.Refusal() != nil || ix.header < 0 && len(path) > 0
	if leaf != "" || !refused && len(turn.path) > 0 {
		return turn, nil
	}
	whole := ix.newContext(ix.wholeBranch())
	if ix.header >= 0 && whole.Refusal() != nil || !refused && len(whole.items) == 0 {
		return turn, nil
	}
	return whole, nil
}

func eachTreeLeaf(ix *Index, note func(row int32, leaf sym)) { ix.growTree(note) }

func treeParents(ix *Index) []int32 {
	t := ix.tree()
	parents := make([]int32, ix.len())
	for i, parent := range t.parent {
		parents[i] = -1
		if parent != unset && t.has(parent) {
			parents[i] = t.byID[parent]
		}
	}
	return parents
}

// openClawShows reports whether OpenClaw shows an entry of the window. It also shows an excluded entry that a reset
// keeps.
func openClawShows(e *entry, _, kept bool) bool {
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

// openClawRefusal returns an error if a summary or a custom message has no date.
func openClawRefusal(c *Context) error {
	for _, e := range c.entries() {
		if e.kind != kindMessage && !e.has(dated) {
			what := map[kind]string{kindCompaction: jsonl.TypeCompaction, kindBranchSummary: jsonl.TypeBranchSummary,
				kindCustomMessage: jsonl.TypeCustomMessage}[e.kind]
			return &RefusalError{RefusedDate, int64(e.line),
				"OpenClaw refuses the session: the timestamp of this " + what + " is not a date"}
		}
	}
	return nil
}

// openClawMessage writes one entry as an OpenClaw message.
func openClawMessage(c *Context, it item, body func(int32) *jsonl.Record) string {
	e, rec := c.ix.at(it.entry), body(it.entry)
	switch e.kind {
	case kindCompaction, kindBranchSummary:
		return userMessage(textList(summaryText(e, rec)), dateOf(rec))
	case kindCustomMessage:
		return customMessage(rec.Get("content"), rec.Get("details"), dateOf(rec))
	}
	message := rec.Get("message")
	switch e.role {
	case roleBash:
		return userMessage(textList(bashText(message)), string(message.Get("timestamp").UTF8()))
	case roleCustom:
		return customMessage(message.Get("content"), message.Get("details"), string(message.Get("timestamp").UTF8()))
	}
	return plainMessage(e, rec, it.retained)
}

// openClawStretch begins with what the boundary keeps. What a reset keeps is not kept a second time. A compaction may
// name an entry that comes after it.
func openClawStretch(c *Context) (entries []int32, start int) {
	isReset := c.ix.at(c.path[c.boundary]).kind == kindReset
	switch kept := c.kept < c.boundary; {
	case isReset:
		start = c.boundary + 1 - c.kept
	case !kept:
		start = max(c.boundary+1, c.keptLater) - c.kept
	}
	return c.path[c.kept:], start
}
