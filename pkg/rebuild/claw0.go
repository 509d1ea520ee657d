package rebuild

import (
	"iter"

	"clawctl/pkg/jsonl"
)

// claw0Context returns the complete transcript as a context: claw0 has neither branches nor boundaries.
func (ix *Index) claw0Context(leaf string) (*Context, error) {
	if leaf != "" {
		return nil, ErrNoTree
	}
	c := &Context{ix: ix, boundary: -1, ThinkingLevel: "off"}
	for i := range ix.len() {
		if e := ix.at(int32(i)); e.kind == kindMessage {
			c.items = append(c.items, item{entry: int32(i)})
		}
	}
	return c, nil
}

// claw0Native writes the messages that claw0's own code rebuilds.
func (c *Context) claw0Native(records iter.Seq2[*jsonl.Record, error], emit func([]byte) error) error {
	groups := c.claw0Groups()
	a := &assembly{
		ix: c.ix, count: len(groups),
		needs: func(m int) []int32 { return groups[m] },
		render: func(m int, body func(int32) *jsonl.Record) error {
			return emit([]byte(c.claw0Message(groups[m], body)))
		},
	}
	return a.run(records)
}

// claw0Groups decides which lines form one message. The older form puts consecutive calls into one message, and every
// result into its own. The newer form joins calls to the assistant message before them, and results to each other.
func (c *Context) claw0Groups() (groups [][]int32) {
	guard := c.ix.Dialect == jsonl.Claw0Guard
	for _, it := range c.items {
		e := c.ix.at(it.entry)
		if n := len(groups); n > 0 {
			last := groups[n-1]
			before := c.ix.at(last[len(last)-1])
			calls := c.isClaw0Call(it.entry) && before.role == roleAssistant && (guard || c.isClaw0Call(last[len(last)-1]))
			results := guard && e.role == roleToolResult && (before.role == roleToolResult || c.startsWithResult(last[0]))
			if calls || results {
				groups[n-1] = append(last, it.entry)
				continue
			}
		}
		groups = append(groups, []int32{it.entry})
	}
	return groups
}

// isClaw0Call reports whether an entry is a line of type tool_use.
func (c *Context) isClaw0Call(i int32) bool { return c.ix.at(i).has(claw0Call) }

// startsWithResult reports whether an entry is a user message whose first block is a tool result.
func (c *Context) startsWithResult(i int32) bool {
	blocks := c.ix.blocksOf(i)
	return c.ix.at(i).role == roleUser && len(blocks) > 0 && blocks[0].kind == jsonl.BlockToolResult
}

// claw0Message writes the message that a group of lines forms.
func (c *Context) claw0Message(lines []int32, body func(int32) *jsonl.Record) string {
	role := "user"
	var blocks []string
	for _, i := range lines {
		rec := body(i)
		m, _ := rec.Message()
		content := m.Content()
		switch rec.Type() {
		case jsonl.TypeToolUse:
			role = "assistant"
			id, name := textOr(rec.Get("tool_use_id"), `""`), textOr(rec.Get("name"), `""`)
			input := textOr(rec.Get("input"), `{}`)
			blocks = append(blocks, `{"type":"tool_use","id":`+id+`,"name":`+name+`,"input":`+input+`}`)
		case jsonl.TypeToolResult:
			id, text := textOr(rec.Get("tool_use_id"), `""`), textOr(content, `""`)
			blocks = append(blocks, `{"type":"tool_result","tool_use_id":`+id+`,"content":`+text+`}`)
		case jsonl.TypeAssistant:
			role = "assistant"
			if c.ix.Dialect != jsonl.Claw0Guard {
				return `{"role":"assistant","content":` + textOr(content, `""`) + `}`
			}
			if content.IsString() {
				blocks = append(blocks, textBlock(inner(content)))
			}
			for b := range content.Elements() {
				blocks = append(blocks, string(b.UTF8()))
			}
		case jsonl.TypeUser:
			if len(lines) == 1 {
				return `{"role":"user","content":` + textOr(content, `""`) + `}`
			}
			for b := range content.Elements() {
				blocks = append(blocks, string(b.UTF8()))
			}
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
