package jsonl

import "iter"

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

// KnownMessage is Message for a record of which it is known that it has one.
func (r *Record) KnownMessage() Message { return Message{r} }

// Role returns the message's role, or "".
func (m Message) Role() string { return m.rec.Role() }

// Model returns the model that wrote an assistant message, or "".
func (m Message) Model() string { return m.rec.value(FieldModel).String() }

// ResponseModel returns the model that answered, if the message says that another one was asked, or "".
func (m Message) ResponseModel() string { return m.Get("responseModel").String() }

// Provider returns the provider of that model, or "".
func (m Message) Provider() string { return m.rec.value(FieldProvider).String() }

// IsFailed reports whether the message is a failed answer: one that ended with an error or was interrupted.
func (m Message) IsFailed() bool {
	if m.Role() != RoleAssistant {
		return false
	}
	stop := m.rec.value(FieldStopReason)
	return stop.Is("error") || stop.Is("aborted")
}

// toolCallIDFields are the fields that have held the id of the answered call.
var toolCallIDFields = [...]field{
	FieldToolCallID, fieldToolUseID, fieldClaw0CallID, fieldClaw0UseID, fieldCallID, fieldOtherCallID,
}

// ToolCallIDs returns the values that may be the id of the call that a tool result answers, the current name first.
func (m Message) ToolCallIDs() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for _, f := range toolCallIDFields {
			v := m.rec.value(f)
			if v.Exists() && !yield(v) {
				return
			}
		}
	}
}

// ToolCallID returns the id of the call that a tool result answers, or "".
func (m Message) ToolCallID() string {
	for v := range m.ToolCallIDs() {
		if id := v.String(); id != "" {
			return id
		}
	}
	return ""
}

// ToolName returns the name of the tool that a result comes from, or "".
func (m Message) ToolName() string { return m.rec.value(FieldToolName).String() }

// IsError reports whether the message is the result of a tool that failed.
func (m Message) IsError() bool {
	return m.rec.value(FieldIsError).IsTrue() || m.rec.value(fieldClaw0Error).IsTrue()
}

// Get returns any other value of the message.
func (m Message) Get(key string) Value {
	if f := messageFields().find([]byte(key)); f != noField {
		return m.rec.value(f)
	}
	return m.rec.value(fieldMessage).Get(key)
}

// Content returns the content unchanged: a string, a list of blocks, or any other value in a damaged record.
func (m Message) Content() Value { return m.rec.value(FieldContent) }

// Usage returns the usage that the provider reported for an assistant message, or for the work inside a tool.
func (m Message) Usage() (Usage, bool) { return usageOf(m.rec.value(FieldUsage)) }

// IsMirror reports whether no model sent the message: it is OpenClaw's own copy of text that was already said, or what
// Claude Code says in place of the model.
func (m Message) IsMirror() bool {
	if !m.rec.value(FieldProvider).Is("openclaw") {
		return false
	}
	switch m.Model() {
	case "delivery-mirror", "gateway-injected", "acp-runtime", "<synthetic>":
		return true
	}
	return false
}

// IsHarnessCopy reports whether OpenClaw wrote the message from what another program said, which did the work of the
// session and has the original.
func (m Message) IsHarnessCopy() bool {
	if m.rec.value(FieldProvider).Is("openclaw") && m.Model() == "acp-runtime" {
		return true
	}
	return m.Get("api").Is("cli") || m.rec.value(FieldOpenClaw).Get("mirrorOrigin").IsString()
}
