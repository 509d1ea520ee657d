// Package claw0 translates the lines of claw0, in which every turn of the user, the assistant or a tool is a record of
// its own, without ids and parents.
package claw0

import (
	"clawctl/pkg/dialect/shape"
	"clawctl/pkg/jsontext"
)

// The types of claw0's lines.
const (
	User       = "user"
	Assistant  = "assistant"
	ToolUse    = "tool_use"
	ToolResult = "tool_result"
)

// Types lists the types of the lines that Translate knows.
func Types() []string { return []string{User, Assistant, ToolUse, ToolResult} }

// A Form is one of the two forms that claw0 has written.
type Form int

// The forms. The older one, Flat, writes times as text and the result of a tool as "output". It keeps calls apart from
// the text before them.
const (
	None Form = iota
	Flat
	Guard
)

// Detect returns the form of a line of one of the types, or None if another program may have written it.
func Detect(kind string, line jsontext.Value) Form {
	ts, content := line.Get("ts"), line.Get("content")
	switch _, isDated := jsontext.ParseTime(ts); {
	case kind == User || kind == Assistant:
		if !isDated || !content.Exists() {
			return None
		}
	case !line.Get("tool_use_id").IsString():
		return None
	}
	if ts.IsString() || !ts.Exists() && kind == ToolResult && !content.Exists() {
		return Flat
	}
	return Guard
}

// IsHeader reports whether a session record is a header of claw0.
func IsHeader(line jsontext.Value) bool {
	return line.Get("created").Exists() && line.Get("key").Exists()
}

// Translate appends a line as a message of OpenClaw without an id. A call becomes an answer that continues the one
// before. It appends nothing if the line is not claw0's.
func Translate(dst []byte, kind string, line *jsontext.Outline) []byte {
	f := read(line.Text)
	if f.message.Exists() {
		return dst
	}
	dst = append(dst, `{"type":"message"`...)
	dst = jsontext.AppendMember(dst, "id", f.id)
	dst = jsontext.AppendMember(dst, "parentId", f.parent)
	dst = jsontext.AppendMember(dst, "timestamp", f.time())
	switch kind {
	case ToolUse:
		dst = append(dst, `,"continues":true,"message":{"role":"assistant","content":[`...)
		return append(append(dst, line.Text...), `]}}`...)
	case ToolResult:
		dst = append(dst, `,"message":{"role":"toolResult"`...)
		dst = jsontext.AppendMember(dst, "tool_use_id", f.call)
		dst = jsontext.AppendMember(dst, "isError", f.isError)
		if !f.content.Exists() {
			f.content = f.output
		}
	default:
		dst = append(append(append(dst, `,"message":{"role":"`...), kind...), '"')
	}
	return append(jsontext.AppendMember(dst, "content", f.content), "}}"...)
}

// fields are what a line consists of.
type fields struct {
	id, parent, timestamp, ts, created      jsontext.Value
	content, output, call, isError, message jsontext.Value
}

func read(line jsontext.Value) fields {
	var f fields
	for key, v := range line.Fields() {
		switch string(key) {
		case "uuid", "parentUuid", "isSidechain": // a row of Claude Code, which may be long
			return fields{message: v}
		case "id":
			f.id = v
		case "parentId":
			f.parent = v
		case "timestamp":
			f.timestamp = v
		case "ts":
			f.ts = v
		case "created":
			f.created = v
		case "content":
			f.content = v
		case "output":
			f.output = v
		case "tool_use_id":
			f.call = v
		case "is_error", "isError":
			f.isError = v
		case "message":
			f.message = v
		}
	}
	return f
}

func (f *fields) time() jsontext.Value {
	for _, v := range []jsontext.Value{f.timestamp, f.ts, f.created} {
		if _, ok := jsontext.ParseTime(v); ok {
			return v
		}
	}
	return nil
}

// NewPrompt returns the line of a message of the user. It has the time of another line.
func NewPrompt(at jsontext.Value, text string) []byte {
	return newLine(at, `{"type":"user","content":`+jsontext.Quote(text))
}

// MissingResult returns the line of a result for a call that has none, with the time of the line of the call. claw0 has
// no way to mark a result as an error.
func MissingResult(form Form, at jsontext.Value, call string) []byte {
	key := "output"
	if form == Guard {
		key = "content"
	}
	return newLine(at, `{"type":"tool_result","tool_use_id":`+jsontext.Quote(call)+`,"`+key+`":`+
		jsontext.Quote("Error: no result of this tool call was recorded."))
}

// newLine completes a line with the time of another one.
func newLine(at jsontext.Value, begun string) []byte {
	return append(jsontext.AppendMember([]byte(begun), "ts", at.Get("ts")), '}')
}

// Known is everything that claw0 is known to write: its lines, and the entries of its indexes.
func Known() []shape.Object {
	return shape.Table(`
record, by type
session record
	id key created
record: user assistant
	ts timestamp created
	content > block
tool_use record
	ts timestamp created tool_use_id id name input
tool_result record
	ts timestamp created tool_use_id content output is_error isError
block, by type
text block
	text
thinking block
	thinking signature
redacted_thinking block
	data
image block
	source
tool_use block
	id name input
tool_result block
	tool_use_id content is_error
index entry
	session_key session_id created_at updated_at message_count transcript_file label last_active
`)
}
