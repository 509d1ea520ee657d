package jsonl

import (
	"iter"
	"slices"
	"strings"
	"time"

	"clawctl/pkg/jsontext"
)

// The roles of a message.
const (
	RoleUser          = "user"
	RoleAssistant     = "assistant"
	RoleToolResult    = "toolResult"
	RoleBashExecution = "bashExecution"
	RoleCustom        = "custom"
	RoleSystem        = "system"      // pi's prompt and tools
	RoleHookMessage   = "hookMessage" // version 2's name for custom
)

// roleName returns the role that a value names. The known ones are shared strings, which are not allocated.
func roleName(v Value) string {
	switch string(v) {
	case `"user"`:
		return RoleUser
	case `"assistant"`:
		return RoleAssistant
	case `"toolResult"`:
		return RoleToolResult
	}
	return v.String()
}

// A Message is a view of the conversation message in a record. Like the record, it is valid until the next one is read.
type Message struct{ rec *Record }

// Message returns the record's message. ok is false if the record has none.
func (r *Record) Message() (m Message, ok bool) {
	if !r.Legible() || r.Type() != TypeMessage {
		return m, false
	}
	return Message{r}, r.value(fieldMessage).IsObject()
}

// Role returns the message's role, or "".
func (m Message) Role() string { return m.rec.Role() }

// Time returns the message's own time, or the record's if it has none.
func (m Message) Time() (time.Time, bool) {
	if t, ok := ParseTime(m.rec.value(fieldMsgTimestamp)); ok {
		return t, true
	}
	return m.rec.Time()
}

// Model returns the model that wrote an assistant message, or "".
func (m Message) Model() string { return m.rec.value(fieldModel).String() }

// ResponseModel returns the model that answered, if the message says that another one was asked, or "".
func (m Message) ResponseModel() string { return m.Get("responseModel").String() }

// Provider returns the provider of that model, or "".
func (m Message) Provider() string { return m.rec.value(fieldProvider).String() }

// StopReason returns why an assistant message ended, or "".
func (m Message) StopReason() string { return m.rec.value(fieldStopReason).String() }

// toolCallIDFields are the fields that have held the id of the answered call.
var toolCallIDFields = [...]field{
	fieldToolCallID, fieldToolUseID, fieldClaw0CallID, fieldClaw0UseID, fieldCallID, fieldOtherCallID,
}

// ToolCallID returns the id of the call that a tool result answers, or "".
func (m Message) ToolCallID() string {
	for _, f := range toolCallIDFields {
		if id := m.rec.value(f).String(); id != "" {
			return id
		}
	}
	return ""
}

// ToolName returns the name of the tool that a result comes from, or "".
func (m Message) ToolName() string { return m.rec.value(fieldToolName).String() }

// IsError reports whether the message is the result of a tool that failed.
func (m Message) IsError() bool {
	return m.rec.value(fieldIsError).IsTrue() || m.rec.value(fieldClaw0Error).IsTrue()
}

// Get returns any other value of the message.
func (m Message) Get(key string) Value {
	if f := messageFields.find([]byte(key)); f != noField {
		return m.rec.value(f)
	}
	return m.rec.value(fieldMessage).Get(key)
}

// Content returns the content unchanged: a string, a list of blocks, or any other value in a damaged record.
func (m Message) Content() Value { return m.rec.value(fieldMsgContent) }

// Blocks returns the content block by block. A string counts as one text block.
func (m Message) Blocks() iter.Seq[Block] { return BlocksOf(m.Content()) }

// Parts returns the parts of the content that the reader noted, if it is a list. It calls field for every member of its
// objects and end after every element. For an element that is not an object it only calls end.
func (m Message) Parts(field func(key []byte, value Value), end func(element Value)) {
	text := m.rec.view
	for _, p := range m.rec.parts {
		value := Value(text[p.value.start:p.value.end:p.value.end])
		if p.key.end == 0 {
			end(value)
		} else {
			field(jsontext.PlainKey(text[p.key.start:p.key.end]), value)
		}
	}
}

// BlocksOf returns the blocks of any content value.
func BlocksOf(content Value) iter.Seq[Block] {
	return func(yield func(Block) bool) {
		if content.IsString() {
			yield(Block{content})
			return
		}
		for v := range content.Elements() {
			if !yield(Block{v}) {
				return
			}
		}
	}
}

// Usage returns the usage that the provider reported for an assistant message, or for the work inside a tool.
func (m Message) Usage() (Usage, bool) { return usageOf(m.rec.value(fieldUsage)) }

// IsMirror reports whether no model sent the message: it is OpenClaw's own copy of text that was already said.
func (m Message) IsMirror() bool {
	if !m.rec.value(fieldProvider).Is("openclaw") {
		return false
	}
	switch m.Model() {
	case "delivery-mirror", "gateway-injected", "acp-runtime":
		return true
	}
	return false
}

// The types of a block, independent of the dialect.
const (
	BlockText       = "text"
	BlockThinking   = "thinking"
	BlockImage      = "image"
	BlockToolCall   = "toolCall"
	BlockToolResult = "toolResult"
)

var blockAliases = map[string]string{
	"toolUse": BlockToolCall, "functionCall": BlockToolCall, "tool_call": BlockToolCall,
	"tool_use": BlockToolCall, "function_call": BlockToolCall, "tool_result": BlockToolResult,
}

// A Block is a view of one part of a message's content.
type Block struct{ Value }

// Type returns the block's type under its common name. An unknown type is returned unchanged.
func (b Block) Type() string {
	if b.IsString() {
		return BlockText
	}
	return BlockType(b.Get("type"))
}

// BlockType returns the common name of the type that a block states.
func BlockType(stated Value) string {
	switch string(stated) { // without decoding the usual ones
	case `"text"`:
		return BlockText
	case `"thinking"`:
		return BlockThinking
	case `"toolCall"`:
		return BlockToolCall
	}
	name := stated.String()
	if alias, known := blockAliases[name]; known {
		return alias
	}
	return name
}

// Text returns the text of a text or thinking block, or "".
func (b Block) Text() string {
	if b.IsString() {
		return b.String()
	}
	if text := b.Get("text"); text.Exists() {
		return text.String()
	}
	return b.Get("thinking").String()
}

// signatureFields are the fields of a block with a provider's signature.
var signatureFields = []string{"thinkingSignature", "textSignature", "thoughtSignature", "signature"}

// IsSealed reports whether a field of a block is signed or encrypted text, which only its provider can read.
func IsSealed(field string) bool {
	return field == "encrypted_content" || slices.Contains(signatureFields, field)
}

// Signature returns the provider's signature of the block, or "".
func (b Block) Signature() string {
	for _, name := range signatureFields {
		if s := b.Get(name).String(); s != "" {
			return s
		}
	}
	return ""
}

// A ToolCall is the name of a tool, its arguments as JSON text, and the id that its result refers to.
type ToolCall struct{ ID, Name, Arguments string }

// ToolCall returns the call of a tool-call block.
func (b Block) ToolCall() (call ToolCall, ok bool) {
	if b.Type() != BlockToolCall {
		return call, false
	}
	for key, v := range b.Members() {
		switch key {
		case "id", "tool_use_id":
			call.ID = v.String()
		case "name":
			call.Name = v.String()
		case "arguments", "input":
			call.Arguments = string(v)
		}
	}
	return call, true
}

// An Image is an image inside a message.
type Image struct{ MIMEType, Data string }

// Image returns the image of an image block, in OpenClaw's form or that of the Messages API.
func (b Block) Image() (image Image, ok bool) {
	if b.Type() != BlockImage {
		return image, false
	}
	if source := b.Get("source"); source.IsObject() {
		return Image{source.Get("media_type").String(), source.Get("data").String()}, true
	}
	return Image{b.Get("mimeType").String(), b.Get("data").String()}, true
}

// PlainText joins the text blocks of a content value with newlines.
func PlainText(content Value) string {
	var parts []string
	for b := range BlocksOf(content) {
		if b.Type() == BlockText {
			parts = append(parts, b.Text())
		}
	}
	return strings.Join(parts, "\n")
}
