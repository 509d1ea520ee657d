package codex

import (
	"bytes"
	"strings"

	"clawctl/pkg/jsontext"
)

// fields are what a response item consists of. Which ones there are depends on its kind.
type fields struct {
	kind, role, content, summary, encrypted, passthrough jsontext.Value
	name, arguments, call, input, action, output, tools  jsontext.Value
}

// read reads the fields of an item.
func (t *translation) read(p jsontext.Value) fields {
	var f fields
	for key, v := range t.line.Fields(p) {
		switch string(key) {
		case "type":
			f.kind = v
		case "role":
			f.role = v
		case "content":
			f.content = v
		case "summary":
			f.summary = v
		case "encrypted_content":
			f.encrypted = v
		case "internal_chat_message_metadata_passthrough":
			f.passthrough = v
		case "name":
			f.name = v
		case "arguments":
			f.arguments = v
		case "call_id":
			f.call = v
		case "input":
			f.input = v
		case "action":
			f.action = v
		case "output":
			f.output = v
		case "tools":
			f.tools = v
		}
	}
	return f
}

// item writes a response item as a message.
func (t *translation) item(p fields) {
	if kind, ok := p.noteKind(); ok {
		t.raw(`{"role":"custom","customType":` + jsontext.Quote(kind) + `,"content":`)
		t.blocks(p.content)
		t.raw("}")
		return
	}
	switch kind := p.kind.String(); kind {
	case "message":
		t.message(p)
	case "reasoning":
		t.raw(`{"role":"assistant",` + answerOf + `,"content":[{"type":"thinking","thinking":`)
		t.dst = t.line.Append(t.dst, thoughts(p))
		t.member("thinkingSignature", p.encrypted)
		t.raw("}]}")
	case "function_call_output", "custom_tool_call_output", "tool_search_output":
		t.result(kind, p)
	default:
		t.call(kind, p)
	}
}

// noteKind returns the kind of an item that is neither the user's nor the model's nor a tool's: what Codex adds in the
// name of the user, and everything that is not known here.
func (p *fields) noteKind() (kind string, ok bool) {
	switch kind = p.kind.String(); kind {
	case "message":
		role := p.role.String()
		if role == "user" && p.isAdded() {
			return "context", true
		}
		return role, role != "user" && role != "assistant"
	case "reasoning", "function_call", "tool_search_call", "local_shell_call", "custom_tool_call", "function_call_output",
		"custom_tool_call_output", "tool_search_output":
		return "", false
	}
	return kind, true
}

// isSent reports whether Codex sends an item to the model. It skips what it does not know, such as the snapshots of
// older versions.
func (p *fields) isSent() bool {
	switch p.kind.String() {
	case "message":
		return !p.role.Is("system")
	case "additional_tools":
		return p.role.IsString()
	case "web_search_call", "image_generation_call", "agent_message", "compaction", "compaction_summary",
		"context_compaction":
		return true
	}
	_, isNote := p.noteKind()
	return !isNote
}

// misfit returns the field because of which Codex cannot read an item, or "".
func (p *fields) misfit() string {
	switch {
	case !p.kind.IsString():
		return "type"
	case p.isOutput() && !isOutput(p.output):
		return "output"
	}
	return ""
}

// isOutput reports whether an item is the output of a call that has one.
func (p *fields) isOutput() bool {
	return p.kind.Is("function_call_output") || p.kind.Is("custom_tool_call_output")
}

// isOutput reports whether a value is a text, or a list of what an output may have.
func isOutput(v jsontext.Value) bool {
	if !v.IsArray() {
		return v.IsString()
	}
	for part := range v.Elements() {
		if kind := part.Get("type").String(); !strings.HasPrefix(kind, "input_") && kind != "encrypted_content" {
			return false
		}
	}
	return true
}

// malformed writes an item that Codex cannot read: as the message that it seems to be, or else as a remark.
func (t *translation) malformed(p fields, field string) {
	isMessage := p.role.Is("user") || p.role.Is("assistant")
	if !isMessage && !p.isOutput() {
		t.remark(string(p.role.Bytes()))
		t.member("data", t.payload)
	} else {
		t.begin("message")
		t.raw(`,"message":`)
		if isMessage {
			t.message(p)
		} else {
			if !p.output.IsArray() {
				p.output = jsontext.Value(jsontext.Quote(string(p.output)))
			}
			t.result("", p)
		}
		t.dst = append(t.dst[:len(t.dst)-1], `,"excludeFromContext":true}`...)
	}
	t.raw(`,"malformed":"` + field + `"`)
}

// answerOf is what every answer says about its origin.
const answerOf = `"provider":"openai","api":"openai-responses","usage":null`

// message writes a message of the user or of the model.
func (t *translation) message(p fields) {
	t.raw(`{"role":`)
	t.dst = append(t.dst, p.role...)
	if p.role.Is("assistant") {
		t.raw("," + answerOf)
	}
	t.raw(`,"content":`)
	t.blocks(p.content)
	t.raw("}")
}

// isAdded reports whether Codex added a message of the user. Newer versions say of what kind its parts are.
func (p *fields) isAdded() bool {
	kinds := p.passthrough.Get("content_item_kinds")
	if !kinds.IsArray() {
		return beginsWithTag(p.content)
	}
	for kind := range kinds.Elements() {
		if strings.HasPrefix(kind.String(), "user.") {
			return false
		}
	}
	return true
}

// addedTags are the tags around what older versions added.
var addedTags = []string{
	"<environment_context>", "<user_instructions>", "<turn_aborted>", "<subagent_notification>", "<user_shell_command>",
	"# AGENTS.md instructions",
}

// beginsWithTag reports whether a content begins with a tag around what Codex adds.
func beginsWithTag(content jsontext.Value) bool {
	for block := range content.Elements() {
		text := beginning(block.Get("text"))
		for _, tag := range addedTags {
			if strings.HasPrefix(text, tag) {
				return true
			}
		}
		return false
	}
	return false
}

// beginning returns the beginning of a text, which is longer than any tag, without decoding the rest of it.
func beginning(text jsontext.Value) string {
	const enough = 64
	if len(text) < enough || bytes.IndexByte(text[:enough], '\\') >= 0 || !text.IsString() {
		return text.String()
	}
	return string(text[1:enough])
}

// blocks writes a content in OpenClaw's blocks.
func (t *translation) blocks(content jsontext.Value) {
	if content.IsString() {
		t.dst = t.line.Append(t.dst, content)
		return
	}
	t.raw("[")
	first := true
	for block := range content.Elements() {
		if !first {
			t.raw(",")
		}
		first = false
		t.block(block)
	}
	t.raw("]")
}

func (t *translation) block(block jsontext.Value) {
	var kind, text, url jsontext.Value
	for key, v := range block.Fields() {
		switch string(key) {
		case "type":
			kind = v
		case "text":
			text = v
		case "image_url":
			url = v
		}
	}
	switch kind.String() {
	case "input_text", "output_text", "text":
		t.raw(`{"type":"text","text":`)
		t.dst = t.line.Append(t.dst, quoted(text))
		if isImageTag(text) {
			t.raw(`,"added":true`)
		}
		t.raw("}")
	case "input_image":
		mime, data := imageIn(url)
		if data == nil {
			t.dst = append(t.dst, block...)
			return
		}
		t.raw(`{"type":"image","mimeType":"` + mime + `","data":"`)
		t.dst = append(append(t.dst, data...), `"}`...)
	default:
		t.dst = append(t.dst, block...)
	}
}

// isImageTag reports whether a text is one of those that Codex writes before and after an image.
func isImageTag(text jsontext.Value) bool {
	return bytes.HasPrefix(text, []byte(`"<image name=`)) || string(text) == `"</image>"`
}

// imageIn returns the type and the data of an image in a URL, or no data if the URL leads elsewhere.
func imageIn(url jsontext.Value) (mime string, data []byte) {
	text, ok := bytes.CutPrefix(url, []byte(`"data:`))
	if !ok {
		return "", nil
	}
	kind, data, ok := bytes.Cut(text, []byte(";base64,"))
	if !ok || len(data) == 0 || bytes.ContainsAny(kind, `"\`) {
		return "", nil
	}
	return string(kind), data[:len(data)-1]
}

// thoughts returns the text of a reasoning, as a JSON string: what was said, or its summary.
func thoughts(p fields) jsontext.Value {
	var texts []jsontext.Value
	for _, list := range []jsontext.Value{p.content, p.summary} {
		for block := range list.Elements() {
			texts = append(texts, block.Get("text"))
		}
		if texts != nil {
			break
		}
	}
	if len(texts) == 1 {
		return quoted(texts[0])
	}
	var decoded []string
	for _, text := range texts {
		decoded = append(decoded, text.String())
	}
	return jsontext.Value(jsontext.Quote(strings.Join(decoded, "\n\n")))
}

// call writes the call of a tool.
func (t *translation) call(kind string, p fields) {
	t.raw(`{"role":"assistant",` + answerOf + `,"content":[{"type":"toolCall"`)
	t.member("id", p.call)
	if !p.name.IsString() {
		p.name = jsontext.Value(`"` + strings.TrimSuffix(kind, "_call") + `"`)
	}
	t.member("name", p.name)
	switch {
	case kind == "custom_tool_call":
		t.raw(`,"arguments":{"input":`)
		t.dst = append(append(t.dst, quoted(p.input)...), '}')
	case kind == "local_shell_call":
		t.member("arguments", p.action)
	default:
		t.member("arguments", p.arguments)
	}
	t.raw("}]}")
}

// result writes the result of a call.
func (t *translation) result(kind string, p fields) {
	t.raw(`{"role":"toolResult"`)
	t.member("toolCallId", p.call)
	t.raw(`,"content":`)
	if kind == "tool_search_output" {
		t.raw(jsontext.Quote(string(p.tools)))
	} else {
		t.blocks(p.output)
	}
	t.raw("}")
}
