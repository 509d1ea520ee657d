package codex

import (
	"bytes"
	"strings"

	"clawctl/pkg/jsontext"
)

// item writes a response item as a message.
func (t *translation) item(p jsontext.Value) {
	if kind, ok := noteKind(p); ok {
		t.raw(`{"role":"custom","customType":` + jsontext.Quote(kind) + `,"content":`)
		t.blocks(p.Get("content"))
		t.raw("}")
		return
	}
	switch kind := p.Get("type").String(); kind {
	case "message":
		t.message(p)
	case "reasoning":
		t.raw(`{"role":"assistant",` + answerOf + `,"content":[{"type":"thinking","thinking":` + thoughts(p))
		t.member("thinkingSignature", p.Get("encrypted_content"))
		t.raw("}]}")
	case "function_call_output", "custom_tool_call_output", "tool_search_output":
		t.result(kind, p)
	default:
		t.call(kind, p)
	}
}

// noteKind returns the kind of an item that is neither the user's nor the model's nor a tool's: what Codex adds in the
// name of the user, and everything that is not known here.
func noteKind(p jsontext.Value) (kind string, ok bool) {
	switch kind = p.Get("type").String(); kind {
	case "message":
		role := p.Get("role").String()
		if role == "user" && isAdded(p) {
			return "context", true
		}
		return role, role != "user" && role != "assistant"
	case "reasoning", "function_call", "tool_search_call", "local_shell_call", "custom_tool_call", "function_call_output",
		"custom_tool_call_output", "tool_search_output":
		return "", false
	}
	return kind, true
}

// answerOf is what every answer says about its origin.
const answerOf = `"provider":"openai","api":"openai-responses","usage":null`

// message writes a message of the user or of the model.
func (t *translation) message(p jsontext.Value) {
	origin := ""
	if role := p.Get("role"); role.Is("assistant") {
		origin = "," + answerOf
	}
	t.raw(`{"role":` + string(p.Get("role")) + origin + `,"content":`)
	t.blocks(p.Get("content"))
	t.raw("}")
}

// isAdded reports whether Codex added a message of the user. Newer versions say of what kind its parts are.
func isAdded(p jsontext.Value) bool {
	kinds := p.Get("internal_chat_message_metadata_passthrough").Get("content_item_kinds")
	if !kinds.IsArray() {
		return beginsWithTag(p.Get("content"))
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
		text := block.Get("text").String()
		for _, tag := range addedTags {
			if strings.HasPrefix(text, tag) {
				return true
			}
		}
		return false
	}
	return false
}

// blocks writes a content in OpenClaw's blocks.
func (t *translation) blocks(content jsontext.Value) {
	if content.IsString() {
		t.dst = append(t.dst, content...)
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

// block writes one block.
func (t *translation) block(block jsontext.Value) {
	switch block.Get("type").String() {
	case "input_text", "output_text", "text":
		t.raw(`{"type":"text","text":`)
		t.dst = append(append(t.dst, quoted(block.Get("text"))...), '}')
	case "input_image":
		mime, data := imageIn(block.Get("image_url"))
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
func thoughts(p jsontext.Value) string {
	var texts []string
	for _, key := range []string{"content", "summary"} {
		for block := range p.Get(key).Elements() {
			texts = append(texts, block.Get("text").String())
		}
		if texts != nil {
			break
		}
	}
	return jsontext.Quote(strings.Join(texts, "\n\n"))
}

// call writes the call of a tool.
func (t *translation) call(kind string, p jsontext.Value) {
	name, arguments := p.Get("name"), p.Get("arguments")
	t.raw(`{"role":"assistant",` + answerOf + `,"content":[{"type":"toolCall"`)
	t.member("id", p.Get("call_id"))
	if !name.IsString() {
		name = jsontext.Value(`"` + strings.TrimSuffix(kind, "_call") + `"`)
	}
	t.member("name", name)
	switch {
	case kind == "custom_tool_call":
		t.raw(`,"arguments":{"input":`)
		t.dst = append(append(t.dst, quoted(p.Get("input"))...), '}')
	case kind == "local_shell_call":
		t.member("arguments", p.Get("action"))
	default:
		t.member("arguments", arguments)
	}
	t.raw("}]}")
}

// result writes the result of a call.
func (t *translation) result(kind string, p jsontext.Value) {
	t.raw(`{"role":"toolResult"`)
	t.member("toolCallId", p.Get("call_id"))
	t.raw(`,"content":`)
	if kind == "tool_search_output" {
		t.raw(jsontext.Quote(string(p.Get("tools"))))
	} else {
		t.blocks(p.Get("output"))
	}
	t.raw("}")
}
