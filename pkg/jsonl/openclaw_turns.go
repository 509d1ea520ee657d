package jsonl

import (
	"strconv"
	"time"

	"clawctl/pkg/jsontext"
)

// maxTurn is the maximum size of an assistant turn that is collected into one message.
const maxTurn = 16 << 20

// maxPendingCalls is the maximum number of unanswered calls whose tool names are remembered.
const maxPendingCalls = 10000

// maxToolName is the maximum length of a tool name that is remembered for its result.
const maxToolName = 256

// A turn is the assistant message into which translated lines are collected.
type turn struct {
	open   bool
	index  int       // of its first record
	at     time.Time // of its first record
	blocks []byte
	calls  int
}

// accepts reports whether the record joins the open turn.
func (t *turn) accepts(d Dialect, rec *Record) bool {
	if !t.open || !rec.Continues() || len(t.blocks) > maxTurn {
		return false
	}
	return t.calls > 0 || d.JoinsTexts()
}

// convertTranslated gives messages ids and parents. Lines that have no translation are kept as they are.
func (c *converter) convertTranslated(rec *Record, index int) {
	joins := c.turn.accepts(c.dialect, rec)
	if !joins {
		c.flush()
		c.at(rec)
	} else if c.damage == nil {
		c.damage = rec.Damage
	}
	m, isMessage := rec.Message()
	switch role := rec.Role(); {
	case rec.program == nil:
		c.emit(rec.Text())
	case isMessage && role == RoleUser:
		c.convertUser(m, index)
	case isMessage && role == RoleToolResult:
		c.emitResult(c.newID(index), m.ToolCallID(), m.Content(), m.IsError())
	case !isMessage || role != RoleAssistant:
		id := c.newID(index)
		c.emit(rec.Completed(id, c.parent, isoTime(c.last)))
		c.parent = quote(id)
	default:
		if !joins {
			c.turn = turn{open: true, index: index, at: c.last}
		}
		c.gather(m)
	}
}

// gather adds the content of a record to the open turn.
func (c *converter) gather(m Message) {
	if content := m.Content(); !content.IsArray() {
		c.turn.blocks = appendBlock(c.turn.blocks, textBlock(stringOf(content)))
		return
	}
	for b := range m.Blocks() {
		block, isCall := c.convertBlock(b)
		c.turn.blocks = appendBlock(c.turn.blocks, block)
		if isCall {
			c.turn.calls++
		}
	}
}

func appendBlock(blocks []byte, block string) []byte {
	if len(blocks) > 0 {
		blocks = append(blocks, ',')
	}
	return append(blocks, block...)
}

// flush emits the open turn.
func (c *converter) flush() {
	t := c.turn
	c.turn = turn{}
	if !t.open {
		return
	}
	stop := "stop"
	if t.calls > 0 {
		stop = "toolUse"
	}
	c.emitMessage(c.newID(t.index), t.at, `"role":"assistant","content":[`+string(t.blocks)+
		`],"api":"anthropic-messages","provider":"anthropic","model":"unknown","stopReason":`+quote(stop))
}

// convertUser emits a user message. Tool results inside it become separate messages before it.
func (c *converter) convertUser(m Message, index int) {
	content := m.Content()
	if !content.IsArray() {
		c.emitMessage(c.newID(index), c.last, `"role":"user","content":`+stringOf(content))
		return
	}
	var blocks []byte
	results := 0
	for b := range m.Blocks() {
		if b.Kind == BlockToolResult {
			results++
			id := c.newID(index) + "." + strconv.Itoa(results)
			c.emitResult(id, b.Answers().String(), b.Content(), b.IsError().IsTrue())
			continue
		}
		block, _ := c.convertBlock(b)
		blocks = appendBlock(blocks, block)
	}
	if len(blocks) > 0 || results == 0 {
		c.emitMessage(c.newID(index), c.last, `"role":"user","content":[`+string(blocks)+"]")
	}
}

// emitResult emits a tool result.
func (c *converter) emitResult(id, callID string, content Value, isError bool) {
	name, known := c.toolNames[callID]
	if !known {
		name = "unknown"
	}
	delete(c.toolNames, callID)
	c.emitMessage(id, c.last, `"role":"toolResult","toolCallId":`+quote(callID)+`,"toolName":`+quote(name)+
		`,"content":[`+c.resultBlocks(content)+`],"isError":`+strconv.FormatBool(isError))
}

// resultBlocks turns any tool result into blocks.
func (c *converter) resultBlocks(content Value) string {
	if !content.IsArray() {
		return textBlock(stringOf(content))
	}
	var blocks []byte
	for b := range BlocksOf(content) {
		block, _ := c.convertBlock(b)
		blocks = appendBlock(blocks, block)
	}
	return string(blocks)
}

// convertBlock converts a block of the Messages API to OpenClaw's form. Digests of stored sessions depend on every byte
// of it, so of two ids the last one counts here, and of two texts of a thought the one called text.
func (c *converter) convertBlock(b Block) (block string, isCall bool) {
	if !b.Value.IsObject() {
		return textBlock(stringOf(b.Value)), false
	}
	switch b.Kind {
	case BlockToolCall:
		call, _ := b.ToolCall()
		if id, use := b.fields[blockID], b.fields[blockUseID]; use.start > id.start {
			call.ID = b.at(use).String()
		}
		if call.Arguments == "" {
			call.Arguments = "{}"
		}
		c.remember(call)
		return `{"type":"toolCall","id":` + quote(call.ID) + `,"name":` + quote(call.Name) + `,"arguments":` +
			call.Arguments + "}", true
	case BlockThinking:
		return `{"type":"thinking","thinking":` + quote(b.at(b.either(blockText, blockThinking)).String()) +
			`,"thinkingSignature":` +
			quote(b.Signature().String()) + "}", false
	case BlockImage:
		mime, data := b.Image()
		return `{"type":"image","data":` + quote(data.String()) + `,"mimeType":` + quote(mime.String()) + "}", false
	}
	if b.Type() == "" {
		return textBlock(quote(string(b.Value))), false // a block must have a type
	}
	return string(b.Value), false
}

// remember remembers the name of a called tool for its result.
func (c *converter) remember(call ToolCall) {
	if len(c.toolNames) >= maxPendingCalls {
		clear(c.toolNames)
	}
	if len(call.Name) <= maxToolName && len(call.ID) <= maxToolName {
		c.toolNames[call.ID] = call.Name
	}
}

// stringOf returns a value as a JSON string: a string unchanged, null as an empty string, and any other value as its
// quoted JSON text.
func stringOf(v Value) string {
	switch {
	case v.IsString():
		return string(v)
	case v.IsNull():
		return `""`
	}
	return quote(string(v))
}

func textBlock(text string) string { return `{"type":"text","text":` + text + "}" }

// emitMessage emits a message as a child of the previous entry.
func (c *converter) emitMessage(id string, at time.Time, fields string) {
	text := `{"type":"message","id":` + quote(id) + `,"parentId":` + c.parent
	stamp := ""
	if !at.IsZero() {
		text += `,"timestamp":` + quote(isoTime(at))
		stamp = `,"timestamp":` + strconv.FormatInt(at.UnixMilli(), 10)
	}
	c.parent = quote(id)
	c.emit(jsontext.ReplaceBadUTF8([]byte(text + `,"message":{` + fields + stamp + "}}")))
}
