package rebuild

import (
	"slices"
	"strings"

	"clawctl/pkg/jsonl"
)

// What Claude Code makes of a group of entries.
const (
	claudeUser        uint8 = iota // results, what is added to a prompt, and prompts
	claudeAnswer                   // the rows of an answer
	claudeReminder                 // what is added in the name of the system
	claudeInterrupted              // results for the calls that have none at the end
	claudeSilence                  // the answer to those
)

// groups decides which rows form a message.
func (r claudeRules) groups(c *Context) (groups []group) {
	var results, prompts, reminders []int32
	flush := func() {
		if said := append(results, prompts...); len(said) > 0 {
			groups = append(groups, group{entries: said, made: claudeUser})
		}
		if len(reminders) > 0 {
			groups = append(groups, group{entries: reminders, made: claudeReminder})
		}
		results, prompts, reminders = nil, nil, nil
	}
	for _, it := range c.items {
		switch e := c.ix.at(it.entry); {
		case e.kind == kindMessage && e.role == roleAssistant:
			n := len(groups)
			if n > 0 && groups[n-1].made == claudeAnswer && results == nil && prompts == nil && reminders == nil &&
				c.ix.answers[groups[n-1].entries[0]] == c.ix.answers[it.entry] {
				groups[n-1].entries = append(groups[n-1].entries, it.entry)
				continue
			}
			flush()
			groups = append(groups, group{entries: []int32{it.entry}, made: claudeAnswer})
		case e.kind == kindCustomMessage && e.role == roleSystem:
			reminders = append(reminders, it.entry)
		case e.kind == kindCustomMessage && e.role == roleCustom, c.hasResult(it.entry):
			results = append(results, it.entry)
		default:
			prompts = append(prompts, it.entry)
		}
	}
	flush()
	return c.closeCalls(groups)
}

// hasResult reports whether an entry has the result of a call.
func (c *Context) hasResult(i int32) bool {
	e := c.ix.at(i)
	return e.kind == kindMessage && (e.role == roleToolResult || e.role == roleUser && c.startsWithResult(i))
}

// closeCalls notes the calls without a result. Claude Code answers those at the end, and leaves out the others.
func (c *Context) closeCalls(groups []group) []group {
	answered := map[sym]bool{}
	for _, it := range c.items {
		if e := c.ix.at(it.entry); e.kind == kindMessage && e.role == roleToolResult {
			answered[e.ref] = true
		}
		for _, b := range c.ix.blocksOf(it.entry) {
			if b.kind == jsonl.BlockToolResult {
				answered[b.id] = true
			}
		}
	}
	for at := range groups {
		g := &groups[at]
		for _, i := range g.entries {
			for _, b := range c.ix.blocksOf(i) {
				if b.kind == jsonl.BlockToolCall && !answered[b.id] {
					g.open = append(g.open, b.id)
				}
			}
		}
	}
	if n := len(groups); n > 0 && len(groups[n-1].open) > 0 {
		last := &groups[n-1]
		groups = append(groups, group{last.entries, claudeInterrupted, last.open}, group{last.entries, claudeSilence, nil})
		groups[n-1].open = nil
	}
	return groups
}

// What Claude Code says about calls that have no result at the end of a session.
const (
	claudeInterruption = "[Tool call interrupted: the session ended before this call's result was recorded, so its " +
		"outcome is unknown. Check whether it took effect before relying on it or running it again.]"
	claudeNoResponse = "No response requested."
	claudeToolLoaded = "Tool loaded."
)

// group writes the message that Claude Code sends for a group of rows.
func (claudeRules) group(c *Context, g group, body func(int32) *jsonl.Record) string {
	switch g.made {
	case claudeAnswer:
		return `{"role":"assistant","content":` + list(c.claudeBlocks(g, body)) + `}`
	case claudeReminder:
		return `{"role":"system","content":` + claudeReminders(g, body) + `}`
	case claudeInterrupted:
		var results []string
		for _, id := range g.open {
			results = append(results, `{"type":"tool_result","content":"`+quoteInner(claudeInterruption)+
				`","is_error":true,"tool_use_id":"`+quoteInner(c.ix.names.text(id))+`"}`)
		}
		return `{"role":"user","content":` + list(results) + `}`
	case claudeSilence:
		return `{"role":"assistant","content":` + list([]string{textBlock(claudeNoResponse)}) + `}`
	}
	return `{"role":"user","content":` + list(c.claudePrompt(g, body)) + `}`
}

// claudeBlocks returns the blocks of an answer, without calls that have no result.
func (c *Context) claudeBlocks(g group, body func(int32) *jsonl.Record) (blocks []string) {
	for _, i := range g.entries {
		for b := range body(i).Get("message").Get("content").Elements() {
			id, known := c.ix.names.find([]byte(b.Get("id").String()))
			if !known || !slices.Contains(g.open, id) {
				blocks = append(blocks, string(b.UTF8()))
			}
		}
	}
	return blocks
}

// claudePrompt returns the blocks of a message of the user. A text that a row of the user follows ends its line.
func (c *Context) claudePrompt(g group, body func(int32) *jsonl.Record) (blocks []string) {
	loaded, inResults := false, true
	for _, i := range g.entries {
		rec := body(i)
		isAdded := c.ix.at(i).kind == kindCustomMessage && c.ix.at(i).role == roleCustom
		if inResults = inResults && (isAdded || c.hasResult(i)); !inResults && loaded {
			blocks, loaded = append(blocks, textBlock(claudeToolLoaded)), false
		}
		for at, b := range claudeContent(rec) {
			if n := len(blocks); at == 0 && n > 0 && !isAdded && isTextBlock(b) && isTextBlock(blocks[n-1]) {
				blocks[n-1] = endLine(blocks[n-1])
			}
			loaded = loaded || strings.Contains(b, `"tool_reference"`)
			blocks = append(blocks, b)
		}
	}
	if loaded {
		blocks = append(blocks, textBlock(claudeToolLoaded))
	}
	return blocks
}

// claudeContent returns the blocks that a row of the user has in the file.
func claudeContent(rec *jsonl.Record) (blocks []string) {
	content := rec.Stated().Get("message").Get("content")
	if rec.Type() == jsonl.TypeCustomMessage {
		content = rec.Get("content")
	}
	if content.IsString() {
		return []string{textBlock(inner(content))}
	}
	for b := range content.Elements() {
		blocks = append(blocks, string(b.UTF8()))
	}
	return blocks
}

// isTextBlock reports whether a block is a text.
func isTextBlock(block string) bool { return jsonl.Value(block).Get("type").Is("text") }

// endLine returns a text block whose text ends with a line end.
func endLine(block string) string {
	text := inner(jsonl.Value(block).Get("text"))
	if strings.HasSuffix(text, `\n`) {
		return block
	}
	o := objectOf(jsonl.Value(block))
	o.set("text", `"`+text+`\n"`)
	return o.String()
}

// claudeReminders returns the text of what is added in the name of the system, without the tags around each.
func claudeReminders(g group, body func(int32) *jsonl.Record) string {
	var texts []string
	for _, i := range g.entries {
		for b := range body(i).Get("content").Elements() {
			text := strings.TrimPrefix(inner(b.Get("text")), `<system-reminder>\n`)
			text = strings.TrimSuffix(text, `\n`)
			texts = append(texts, strings.TrimSuffix(text, `\n</system-reminder>`))
		}
	}
	return `"` + strings.Join(texts, `\n\n`) + `"`
}
