package jsonl

import (
	"strconv"
	"strings"
	"time"
)

// maxTurn is how much of an assistant's turn is gathered before it is written as a message of its own.
const maxTurn = 16 << 20

// maxPendingCalls is how many calls without a result are remembered for the name of their tool.
const maxPendingCalls = 10000

// A turn is the assistant message that claw0's lines are being gathered into.
type turn struct {
	open   bool
	index  int       // of its first record
	at     time.Time // of its first record
	blocks []string
	size   int
	calls  int
}

// takes reports whether the record joins the open turn. claw0's older form keeps text and calls apart; the newer one
// puts the calls that follow a text into the text's message.
func (t *turn) takes(d Dialect, rec *Record) bool {
	if !t.open || rec.Type() != TypeToolUse || t.size > maxTurn {
		return false
	}
	return d == Claw0Guard || t.calls > 0
}

// convertClaw0 makes messages of claw0's lines. Records of other types are kept: OpenClaw passes them by.
func (c *converter) convertClaw0(rec *Record) bool {
	m, ok := rec.Message()
	if !ok {
		return c.emit(rec.Text())
	}
	switch rec.Type() {
	case TypeUser:
		return c.convertUser(m)
	case TypeToolResult:
		return c.emitResult(0, m.ToolCallID(), m.Content())
	}
	if !c.turn.open {
		c.turn = turn{open: true, index: c.index, at: c.last}
	}
	for b := range m.Blocks() {
		c.turn.add(c.convertBlock(b))
	}
	return true
}

func (t *turn) add(block string, isCall bool) {
	t.blocks = append(t.blocks, block)
	t.size += len(block)
	if isCall {
		t.calls++
	}
}

// flush emits the open turn.
func (c *converter) flush() bool {
	t := c.turn
	c.turn = turn{}
	if !t.open {
		return true
	}
	stop := "stop"
	if t.calls > 0 {
		stop = "toolUse"
	}
	return c.emitMessage(c.newID(t.index), t.at, `"role":"assistant","content":[`+strings.Join(t.blocks, ",")+
		`],"api":"anthropic-messages","provider":"anthropic","model":"unknown","stopReason":`+quote(stop))
}

// convertUser emits a user's message; tool results that it holds become messages of their own, before it.
func (c *converter) convertUser(m Message) bool {
	content := m.Content()
	if !content.IsArray() {
		return c.emitMessage(c.newID(c.index), c.last, `"role":"user","content":`+stringOf(content))
	}
	var blocks []string
	results := 0
	for b := range m.Blocks() {
		if b.Type() == BlockToolResult {
			results++
			if !c.emitResult(results, b.Get("tool_use_id").String(), b.Get("content")) {
				return false
			}
			continue
		}
		block, _ := c.convertBlock(b)
		blocks = append(blocks, block)
	}
	if len(blocks) == 0 && results > 0 {
		return true
	}
	return c.emitMessage(c.newID(c.index), c.last, `"role":"user","content":[`+strings.Join(blocks, ",")+"]")
}

// emitResult emits a tool's result. part tells the results of one record apart; 0 is the record itself.
func (c *converter) emitResult(part int, callID string, content Value) bool {
	id := c.newID(c.index)
	if part > 0 {
		id += "." + strconv.Itoa(part)
	}
	name, known := c.toolNames[callID]
	if !known {
		name = "unknown"
	}
	delete(c.toolNames, callID)
	return c.emitMessage(id, c.last, `"role":"toolResult","toolCallId":`+quote(callID)+`,"toolName":`+quote(name)+
		`,"content":[`+c.resultBlocks(content)+`],"isError":false`)
}

// resultBlocks makes blocks of whatever a tool answered.
func (c *converter) resultBlocks(content Value) string {
	if !content.IsArray() {
		return textBlock(stringOf(content))
	}
	var blocks []string
	for b := range BlocksOf(content) {
		block, _ := c.convertBlock(b)
		blocks = append(blocks, block)
	}
	return strings.Join(blocks, ",")
}

// convertBlock gives a block of the Messages API its OpenClaw form.
func (c *converter) convertBlock(b Block) (block string, isCall bool) {
	if !b.IsObject() {
		return textBlock(stringOf(b.Value)), false
	}
	switch b.Type() {
	case BlockToolCall:
		call, _ := b.ToolCall()
		if call.Arguments == "" {
			call.Arguments = "{}"
		}
		if len(c.toolNames) >= maxPendingCalls {
			clear(c.toolNames)
		}
		c.toolNames[call.ID] = call.Name
		return `{"type":"toolCall","id":` + quote(call.ID) + `,"name":` + quote(call.Name) + `,"arguments":` + call.Arguments + "}", true
	case BlockThinking:
		return `{"type":"thinking","thinking":` + quote(b.Text()) + `,"thinkingSignature":` + quote(b.Signature()) + "}", false
	case BlockImage:
		image, _ := b.Image()
		return `{"type":"image","data":` + quote(image.Data) + `,"mimeType":` + quote(image.MIMEType) + "}", false
	case "":
		return textBlock(quote(string(b.Value))), false // a block must have a type
	}
	return string(b.Value), false
}

// stringOf returns a value as a JSON string: as it stands where it is one, else its JSON text quoted.
func stringOf(v Value) string {
	if v.IsString() {
		return string(v)
	}
	return quote(string(v))
}

func textBlock(text string) string { return `{"type":"text","text":` + text + "}" }

// emitMessage emits a message as an entry below the one before.
func (c *converter) emitMessage(id string, at time.Time, fields string) bool {
	text := `{"type":"message","id":` + quote(id) + `,"parentId":` + c.parent
	stamp := ""
	if !at.IsZero() {
		text += `,"timestamp":` + quote(isoTime(at))
		stamp = `,"timestamp":` + strconv.FormatInt(at.UnixMilli(), 10)
	}
	c.parent = quote(id)
	return c.emit([]byte(text + `,"message":{` + fields + stamp + "}}"))
}
