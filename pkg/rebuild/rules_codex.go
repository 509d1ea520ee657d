package rebuild

import (
	"clawctl/pkg/jsonl"
)

// codexRules are the rules of Codex 0.166. The response items of a thread are sent in the order of their lines.
var codexRules = rulebook{
	hasHeader: true, canExclude: true, needsDates: true,
	isChained: (*entry).isReadable, isEntry: (*entry).isCanonical, isForeign: (*entry).isRollback,
	isBoundary: (*entry).isBoundary, isShown: openClawShows,
	parents: lineParents, eachLeaf: eachTreeLeaf, find: lineContext,
	corrects: codexCorrects, native: openClawMessage, groups: codexGroups, group: codexMessage,
	boundaries: lineBoundaries, stretch: openClawStretch,
}

// What Codex makes of an entry.
const (
	codexItem    uint8 = iota
	codexAborted       // the output of a call that has none
)

// codexCorrects reports whether Codex corrects a problem. It gives every call an output.
func codexCorrects(p *problem) bool { return p.code == OpenEnd || p.code == NoResult }

// codexGroups puts an output behind every call that has none.
func codexGroups(c *Context) []group {
	var groups []group
	answered := map[sym]bool{}
	for _, it := range c.items {
		if e := c.ix.at(it.entry); e.role == roleToolResult {
			answered[e.ref] = true
		}
	}
	for _, it := range c.items {
		groups = append(groups, group{entries: []int32{it.entry}, made: codexItem})
		for _, b := range c.ix.blocksOf(it.entry) {
			if b.kind == jsonl.BlockToolCall && !answered[b.id] {
				groups = append(groups, group{entries: []int32{it.entry}, made: codexAborted})
			}
		}
	}
	return groups
}

// codexMessage writes the item that Codex sends.
func codexMessage(c *Context, g group, body func(int32) *jsonl.Record) string {
	e, rec := c.ix.at(g.entries[0]), body(g.entries[0])
	if e.kind == kindSession {
		return `{"type":"message","role":"developer","content":[{"type":"input_text","text":` +
			textOr(rec.Get("systemMessage").Get("content"), `""`) + `}]}`
	}
	stated := rec.Get("message").Get("stated") // of an item inside a compaction
	if !stated.Exists() {
		stated = rec.Stated().Get("payload")
	}
	if g.made == codexAborted {
		return `{"type":` + quoteType(stated) + `,"call_id":` + textOr(stated.Get("call_id"), `""`) + `,"output":"aborted"}`
	}
	if e.kind == kindCompaction { // of an old version, which wrote no items
		return `{"type":"message","role":"user","content":[{"type":"input_text","text":` +
			textOr(rec.Get("summary"), `""`) + `}]}`
	}
	o := objectOf(stated)
	o.delete("internal_chat_message_metadata_passthrough")
	return o.String()
}

// quoteType returns the type of the output of a call.
func quoteType(call jsonl.Value) string {
	return jsonl.Quote(call.Get("type").String() + "_output")
}
