package rebuild

import (
	"clawctl/pkg/dialect/claw0"
	"clawctl/pkg/jsonl"
)

// claw0Rules are the rules of claw0, whose transcripts have neither compactions nor prompts.
var claw0Rules = lineRules.with(func(r *rules) {
	r.sendsValues, r.corrects, r.groups, r.group = true, claw0Corrects, claw0Groups, claw0Message
	r.cutRule.ByMessages = true
})

// claw0Groups decides which lines form one message. The older form puts consecutive calls into one message, and every
// result into its own. The newer form joins calls to the assistant message before them, and results to each other.
func claw0Groups(c *Context) []group {
	var groups []group
	guard := c.ix.Dialect.JoinsTexts()
	for it, e := range c.entries() {
		if n := len(groups); n > 0 {
			last := groups[n-1].entries
			before := c.ix.at(last[len(last)-1])
			calls := e.has(continues) && before.role == roleAssistant && (guard || before.has(continues))
			results := guard && e.role == roleToolResult && (before.role == roleToolResult || c.startsWithResult(last[0]))
			if calls || results {
				groups[n-1].entries = append(last, it.entry)
				continue
			}
		}
		groups = append(groups, group{entries: []int32{it.entry}})
	}
	return groups
}

// startsWithResult reports whether an entry is a user message whose first block is a tool result.
func (c *Context) startsWithResult(i int32) bool {
	blocks := c.ix.blocksOf(i)
	return c.ix.at(i).role == roleUser && len(blocks) > 0 && blocks[0].kind == jsonl.BlockToolResult
}

// claw0Message writes the message that claw0's own code rebuilds from lines.
func claw0Message(c *Context, g group, body func(int32) *jsonl.Record) string {
	role := "user"
	var blocks []string
	for _, i := range g.entries {
		rec := body(i)
		m, _ := rec.Message()
		content, line := m.Content(), rec.Stated()
		switch rec.StatedType() {
		case claw0.ToolUse:
			role = "assistant"
			id, name := textOr(line.Get("tool_use_id"), `""`), textOr(line.Get("name"), `""`)
			input := textOr(line.Get("input"), `{}`)
			blocks = append(blocks, `{"type":"tool_use","id":`+id+`,"name":`+name+`,"input":`+input+`}`)
		case claw0.ToolResult:
			id, text := textOr(line.Get("tool_use_id"), `""`), textOr(content, `""`)
			blocks = append(blocks, `{"type":"tool_result","tool_use_id":`+id+`,"content":`+text+`}`)
		case claw0.Assistant:
			role = "assistant"
			if !c.ix.Dialect.JoinsTexts() {
				return `{"role":"assistant","content":` + textOr(content, `""`) + `}`
			}
			if content.IsString() {
				blocks = append(blocks, textBlock(inner(content)))
			}
			blocks = append(blocks, elements(content)...)
		case claw0.User:
			if len(g.entries) == 1 {
				return `{"role":"user","content":` + textOr(content, `""`) + `}`
			}
			blocks = append(blocks, elements(content)...)
		}
	}
	return `{"role":"` + role + `","content":` + list(blocks) + `}`
}

// textOr returns the text of a value, or fallback if it has none.
func textOr(v jsonl.Value, fallback string) string {
	if !v.Exists() {
		return fallback
	}
	return string(v.UTF8())
}
