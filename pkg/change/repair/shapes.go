package repair

import (
	"strconv"
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/jsontext/javascript"
	"clawctl/pkg/rebuild"
)

// completed returns a malformed record with what it lacks, and says what that is. It returns nil if that is not known.
func (m *recordMender) completed(record jsonl.Value, f rebuild.Fault) (jsonl.Value, string) {
	switch f.Code {
	case rebuild.NullRole:
		return withRole(record)
	case rebuild.NullContent:
		return m.withContent(record), "add empty content and leave the message out of the context"
	}
	switch f.Detail {
	case "type":
		if _, known := knownRole(record.Get("message")); known {
			return record.WithText("type", jsonl.TypeMessage), "add the type of the record"
		}
		return nil, ""
	case "id":
		return record.WithText("id", m.idFor(record)), "give the record an id"
	case "timestamp":
		if date, ok := isoTime(record.Get("timestamp")); ok {
			return record.WithText("timestamp", date), "write the timestamp as a date"
		}
		return record.WithText("timestamp", m.date()), "give the record the date of the one before it"
	}
	return completedFields(record), "complete the fields of the record"
}

// idFor returns an id for a record: the number that it has instead of one, or a new one.
func (m *recordMender) idFor(record jsonl.Value) string {
	if id := record.Get("id"); id.IsNumber() {
		return string(id)
	}
	return "repair-" + uuidOf("id", m.draft.opts.Session.ID, string(record))
}

// knownRole returns the role that the other fields of a message imply.
func knownRole(message jsonl.Value) (role string, known bool) {
	if !message.IsObject() {
		return "", false
	}
	switch role := message.Get("role").String(); role {
	case jsonl.RoleUser, jsonl.RoleAssistant, jsonl.RoleToolResult, jsonl.RoleBashExecution:
		return role, true
	}
	switch {
	case message.Get("toolCallId").IsString():
		return jsonl.RoleToolResult, true
	case message.Get("stopReason").IsString() && message.Get("model").IsString():
		return jsonl.RoleAssistant, true
	case message.Get("command").IsString() && message.Get("output").IsString():
		return jsonl.RoleBashExecution, true
	}
	return "", false
}

// withRole gives a message the role that its other fields imply. Any other text could be from anyone.
func withRole(record jsonl.Value) (jsonl.Value, string) {
	role, known := knownRole(record.Get("message"))
	if !known || record.Get("message").Get("role").IsString() {
		return nil, ""
	}
	return inMessage(record, func(m jsonl.Value) jsonl.Value { return m.WithText("role", role) }),
		"give the message the role " + role
}

// withContent gives a message empty content. pi shows such a message, OpenClaw leaves it out.
func (m *recordMender) withContent(record jsonl.Value) jsonl.Value {
	if !record.Get("message").IsObject() {
		return nil
	}
	return inMessage(record, func(message jsonl.Value) jsonl.Value {
		message = message.With("content", []byte("[]"))
		if role := message.Get("role").String(); role == jsonl.RoleUser || role == jsonl.RoleAssistant {
			message = message.With("excludeFromContext", []byte("true"))
		}
		return message
	})
}

// completedFields completes the fields that the type of a record requires. It returns nil if what is missing matters.
func completedFields(record jsonl.Value) jsonl.Value {
	need := func(key string, fits bool, value string) {
		if !fits && record != nil {
			record = record.With(key, []byte(value))
		}
	}
	isFilled := func(key string) bool { return record.Get(key).String() != "" }
	switch record.Get("type").String() {
	case jsonl.TypeMessage:
		return completedMessage(record)
	case jsonl.TypeCompaction:
		if !record.Get("summary").IsString() {
			return nil
		}
		need("tokensBefore", record.Get("tokensBefore").IsNumber(), "0")
	case jsonl.TypeReset:
		need("reason", false, `"reset"`)
		if !record.Get("firstKeptEntryId").IsString() {
			record = record.Without("firstKeptEntryId")
		}
	case jsonl.TypeBranchSummary:
		if !record.Get("summary").IsString() {
			return nil
		}
		need("fromId", record.Get("fromId").IsString(), `"root"`)
	case jsonl.TypeCustom:
		need("customType", isFilled("customType"), `"unknown"`)
	case jsonl.TypeCustomMessage:
		content, ok := completedContent(record.Get("content"))
		if !ok {
			return nil
		}
		record = record.With("content", content)
		need("customType", isFilled("customType"), `"unknown"`)
		need("display", javascript.IsBoolean(record.Get("display")), "true")
	case jsonl.TypeLabel:
		if !isFilled("targetId") {
			return nil
		}
		record = record.Without("label")
	case jsonl.TypeSessionInfo:
		record = record.Without("name")
	default:
		return nil
	}
	return record
}

// completedMessage is completedFields for a message.
func completedMessage(record jsonl.Value) jsonl.Value {
	message := record.Get("message")
	switch message.Get("role").String() {
	case jsonl.RoleToolResult:
		message = completedResult(message)
	case jsonl.RoleBashExecution:
		for _, key := range []string{"command", "output"} {
			if !message.Get(key).IsString() {
				message = message.WithText(key, "")
			}
		}
	default:
		content, ok := completedContent(message.Get("content"))
		if !ok {
			return nil
		}
		message = message.With("content", content)
		if t := message.Get("customType"); t.Exists() && !t.IsString() {
			message = message.WithText("customType", "hook")
		}
	}
	if message == nil {
		return nil
	}
	return record.With("message", message)
}

// callNames are older names of the field toolCallId.
var callNames = []string{"toolCallId", "toolUseId", "tool_call_id", "tool_use_id", "callId", "call_id"}

// completedResult completes a tool result. One that does not say which call it answers is left to the quarantine.
func completedResult(message jsonl.Value) jsonl.Value {
	id := ""
	for _, name := range callNames {
		if id == "" {
			id = strings.TrimSpace(message.Get(name).String())
		}
	}
	if id == "" {
		return nil
	}
	if !message.Get("toolCallId").IsString() {
		message = message.WithText("toolCallId", id)
	}
	if !message.Get("toolName").IsString() {
		message = message.WithText("toolName", "unknown")
	}
	if isError := message.Get("isError"); !javascript.IsBoolean(isError) {
		message = message.With("isError", strconv.AppendBool(nil, javascript.IsTruthy(isError)))
	}
	if c := message.Get("content"); !c.IsArray() && !c.IsString() && !c.IsObject() {
		message = message.With("content", []byte("[]"))
	}
	return message
}

// completedContent returns content as a list of blocks that each have a type. ok is false if something in it has none.
func completedContent(content jsonl.Value) (jsonl.Value, bool) {
	var blocks []jsonl.Value
	switch {
	case content.IsString():
		return content, true
	case content.IsObject():
		content = jsontext.List([]jsonl.Value{content})
	case !content.IsArray():
		return nil, false
	}
	for block := range content.Elements() {
		switch {
		case block.IsString():
			blocks = append(blocks, textBlock(block.String()))
		case block.Get("type").IsString():
			blocks = append(blocks, block)
		case block.Get("text").IsString():
			blocks = append(blocks, block.WithText("type", "text"))
		default:
			return nil, false
		}
	}
	return jsontext.List(blocks), true
}
