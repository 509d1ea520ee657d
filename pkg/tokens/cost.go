package tokens

import (
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/media"
)

// A Counter counts the tokens of a text. It is safe for concurrent use.
type Counter interface{ Count(text string) int }

// The cost of a message, everywhere in clawctl:
//
//   - its texts and its thinking, as the counter counts them. What was sent counts instead of what was written;
//   - for a tool call, the name of the tool and the arguments as JSON;
//   - for a tool result, its texts and images;
//   - for an image, a token for every 750 pixels, as Anthropic counts, after scaling it until no side is longer than
//     1568, or 1600 if its size is unknown;
//   - for a system message of pi, also its sections and the tools it adds, as JSON;
//   - 4 tokens for the message itself.
const (
	MessageOverhead = 4
	unknownImage    = 1600
	pixelsPerToken  = 750
	longestSide     = 1568
)

// A BlockCost is one block of a message and its cost.
type BlockCost struct {
	Type   string // text, thinking, toolCall, toolResult, image, or the type that the block states
	Tool   string // of a call
	Tokens int
}

// EachCost calls yield with the cost of each block of a message's content.
func EachCost(m jsonl.Message, c Counter, yield func(BlockCost)) {
	result := m.Role() == jsonl.RoleToolResult
	content := m.SentContent()
	if content.IsObject() { // the only block, or a JSON value
		p := CostOf(jsonl.ReadBlock(content), c)
		if p.Type == "" {
			p = BlockCost{Type: jsonl.BlockToolResult.String(), Tokens: c.Count(string(content.UTF8()))}
		}
		yield(p)
		return
	}
	for b := range jsonl.BlocksOf(content) {
		p := CostOf(b, c)
		if result && b.Kind == jsonl.BlockText {
			p.Type = jsonl.BlockToolResult.String()
		}
		yield(p)
	}
	switch m.Role() {
	case jsonl.RoleSystem:
		if n := promptTokens(m.Get("sections"), m.Get("toolsAdded"), c); n > 0 {
			yield(BlockCost{Type: jsonl.BlockText.String(), Tokens: n})
		}
	case jsonl.RoleBashExecution:
		n := c.Count(m.Get("command").String()) + c.Count(m.Get("output").String())
		yield(BlockCost{Type: jsonl.BlockText.String(), Tokens: n})
	}
}

// promptTokens counts the sections and tools of a system message.
func promptTokens(sections, tools jsonl.Value, c Counter) int {
	var n int
	for _, text := range sections.Fields() {
		n += c.Count(text.String())
	}
	if tools.IsArray() {
		n += c.Count(string(tools.UTF8()))
	}
	return n
}

// SystemTokens returns the cost of a system message that is not a record of its own.
func SystemTokens(m jsonl.Value, c Counter) int {
	n := MessageOverhead + promptTokens(m.Get("sections"), m.Get("toolsAdded"), c)
	for b := range jsonl.BlocksOf(m.Get("content")) {
		n += CostOf(b, c).Tokens
	}
	return n
}

// CostOf returns the cost of one block.
func CostOf(b jsonl.Block, c Counter) BlockCost {
	p := BlockCost{Type: b.Type()}
	switch b.Kind {
	case jsonl.BlockToolCall:
		p.Tool = b.ToolName().String()
		p.Tokens = c.Count(p.Tool) + c.Count(string(b.Arguments()))
	case jsonl.BlockImage:
		_, data := b.Image()
		p.Tokens = ImageTokens(data.String())
	case jsonl.BlockToolResult:
		for inner := range jsonl.BlocksOf(b.Content()) {
			p.Tokens += CostOf(inner, c).Tokens
		}
	default:
		p.Tokens = c.Count(b.Text().String())
	}
	return p
}

// MessageTokens returns the cost of a message.
func MessageTokens(m jsonl.Message, c Counter) int {
	tokens := MessageOverhead
	EachCost(m, c, func(p BlockCost) { tokens += p.Tokens })
	return tokens
}

// ImageTokens returns the cost of an image in base64.
func ImageTokens(data string) int {
	width, height := media.ImageSize(data)
	if width == 0 || height == 0 {
		return unknownImage
	}
	if long := max(width, height); long > longestSide {
		width, height = width*longestSide/long, height*longestSide/long
	}
	return max(1, (width*height+pixelsPerToken-1)/pixelsPerToken)
}
