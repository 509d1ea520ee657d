package rebuild

import (
	"clawctl/pkg/jsonl"
)

// codexRules are the rules of Codex 0.169. The response items of a thread are sent in the order of their lines.
var codexRules = lineRules.with(func(r *rules) {
	r.corrects, r.groups, r.group = codexCorrects, codexGroups, codexMessage
})

// What Codex makes of an entry.
const (
	codexItem    uint8 = iota
	codexAborted       // the output of a call that has none
	codexPrompt        // the text of a prompt that a summary of an older version keeps
)

// codexCorrects reports whether Codex corrects a problem. It gives every call an output, and leaves out other outputs.
// What is inside the items of agents and of summaries comes from the API itself, and may be encrypted.
func codexCorrects(p *problem) bool {
	switch p.code {
	case OpenEnd, NoResult, NoCall:
		return true
	case OddBlock:
		return p.isIn(roleCustom) || p.ix.at(p.entry).kind == kindCustomMessage
	}
	return false
}

// codexGroups puts an output behind every call that has none, and leaves out outputs without a call.
func codexGroups(c *Context) []group {
	groups := []group{} // if nothing is left, that is all
	answered, called := map[sym]bool{}, map[sym]bool{}
	for it, e := range c.entries() {
		if e.role == roleToolResult {
			answered[e.ref] = true
		}
		for _, b := range c.ix.blocksOf(it.entry) {
			if b.kind == jsonl.BlockToolCall {
				called[b.id] = true
			}
		}
	}
	summary := -1 // of an older version, which wrote no messages
	for i, it := range c.items {
		if c.ix.at(it.entry).kind == kindCompaction {
			summary = i
		}
	}
	for i, it := range c.items {
		e, made := c.ix.at(it.entry), codexItem
		switch {
		case e.role == roleToolResult && e.ref.isName() && !called[e.ref]:
			continue
		case e.is(roleUser) && i < summary:
			made = codexPrompt
		}
		groups = append(groups, group{entries: []int32{it.entry}, made: made})
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
		return codexAbortion(stated)
	}
	if g.made == codexPrompt {
		m, text := rec.KnownMessage(), ""
		for b := range m.Blocks() {
			if b.Kind == jsonl.BlockText && !b.Value.Get("added").IsTrue() {
				text += b.Text().String()
			}
		}
		o := objectOf(stated)
		o.delete("internal_chat_message_metadata_passthrough")
		o.set("content", `[{"type":"input_text","text":`+jsonl.Quote(text)+`}]`)
		return o.String()
	}
	if e.kind == kindCompaction { // of an old version, which wrote no items
		return `{"type":"message","role":"user","content":[{"type":"input_text","text":` +
			textOr(rec.Get("summary"), `""`) + `}]}`
	}
	o := objectOf(stated)
	o.delete("internal_chat_message_metadata_passthrough")
	switch stated.Get("type").String() {
	case "reasoning":
		if !stated.Get("content").Exists() {
			o.set("content", "null")
		}
	case "compaction_summary":
		o.set("type", `"compaction"`)
	case "function_call_output", "custom_tool_call_output":
		o.set("output", codexOutput(stated.Get("output")))
	}
	return o.String()
}

// codexOutput returns an output without empty texts.
func codexOutput(output jsonl.Value) string {
	if !output.IsArray() {
		return string(output.UTF8())
	}
	parts := []string{}
	for part := range output.Elements() {
		if !part.Get("type").Is("input_text") || part.Get("text").String() != "" {
			parts = append(parts, string(part.UTF8()))
		}
	}
	return list(parts)
}

// codexAbortion returns the output of a call that has none.
func codexAbortion(call jsonl.Value) string {
	id := `,"call_id":` + textOr(call.Get("call_id"), `""`)
	switch kind := call.Get("type").String(); kind {
	case "tool_search_call":
		return `{"type":"tool_search_output"` + id + `,"status":"completed","execution":"client","tools":[]}`
	case "local_shell_call":
		return `{"type":"function_call_output"` + id + `,"output":"aborted"}`
	default:
		return `{"type":` + jsonl.Quote(kind+"_output") + id + `,"output":"aborted"}`
	}
}
