package jsonl

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"clawctl/internal/failure"
)

// Errors for what is not a message.
var (
	// ErrNoMessage is the error for an object that is neither a message nor an API's response.
	ErrNoMessage error = &failure.Sentinel{
		Code: failure.NotMessage, Text: "not a message", About: failure.Stdin, Hint: "clawctl help append",
	}
	// ErrAPI is the error for the response of an API that reports an error.
	ErrAPI error = &failure.Sentinel{
		Code: failure.APIError, Text: "the API answered with an error", About: failure.Stdin,
	}
)

// A Composer turns messages of other programs into those of OpenClaw's records.
type Composer struct {
	Millis int64 // the time of messages that have none
	// ToolName returns the tool of a call, or "" if it is not known.
	ToolName func(callID string) string
	// OnlyCall is the call that a result without an id answers, or "".
	OnlyCall string
}

// FromMessage returns a message in OpenClaw's form. It may be in that form already, or in the form of the Messages API,
// or of Chat Completions. Several tool results in one message become several messages.
func (c *Composer) FromMessage(m Value) ([]string, error) {
	content := m.Get("content")
	switch role := m.Get("role").String(); role {
	case "":
		return nil, fmt.Errorf("%w: it has no role", ErrNoMessage)
	case RoleUser:
		return c.user(m, content), nil
	case RoleAssistant:
		body, err := c.assistant(m)
		return []string{body}, err
	case "tool":
		return []string{c.result(m.Get("tool_call_id").String(), content, false)}, nil
	case RoleToolResult:
		return []string{c.ownResult(m, content)}, nil
	}
	return []string{c.stamped(m, nil)}, nil
}

// user returns a message of the user. The tool results in it become messages of their own, before it.
func (c *Composer) user(m, content Value) []string {
	var bodies []string
	if !content.IsArray() {
		return []string{c.stamped(m, nil)}
	}
	var blocks []byte
	for b := range BlocksOf(content) {
		if b.Kind != BlockToolResult {
			blocks = appendBlock(blocks, blockOf(b))
			continue
		}
		bodies = append(bodies, c.result(b.Answers().String(), b.Content(), b.IsError().IsTrue()))
	}
	if len(blocks) > 0 || len(bodies) == 0 {
		bodies = append(bodies, c.stamped(m, map[string]string{"content": "[" + string(blocks) + "]"}))
	}
	return bodies
}

// blockOf returns a block in OpenClaw's form.
func blockOf(b Block) string {
	if b.isOpenClaws() {
		return string(b.Value)
	}
	block, _ := (&converter{toolNames: map[string]string{}}).convertBlock(b)
	return block
}

// blocksOf returns content as a list of blocks, and how many of them are tool calls.
func blocksOf(content Value) (blocks []byte, calls int) {
	if !content.Exists() || content.IsNull() || string(content) == `""` {
		return nil, 0
	}
	if !content.IsArray() {
		return []byte(textBlock(stringOf(content))), 0
	}
	for b := range BlocksOf(content) {
		blocks = appendBlock(blocks, blockOf(b))
		if b.Kind == BlockToolCall {
			calls++
		}
	}
	return blocks, calls
}

// assistant returns an answer in OpenClaw's form.
func (c *Composer) assistant(m Value) (string, error) {
	blocks, calls := blocksOf(m.Get("content"))
	for _, name := range []string{"reasoning_content", "refusal"} {
		if text := m.Get(name); text.IsString() && text.String() != "" {
			blocks = appendBlock(blocks, map[bool]string{true: `{"type":"thinking","thinking":` + string(text) + "}",
				false: textBlock(string(text))}[name == "reasoning_content"])
		}
	}
	for call := range m.Get("tool_calls").Elements() {
		block, err := functionCall(call)
		if err != nil {
			return "", err
		}
		blocks = appendBlock(blocks, block)
		calls++
	}
	changes := map[string]string{"content": "[" + string(blocks) + "]", "tool_calls": "", "refusal": "",
		"reasoning_content": ""}
	if !m.Get("stopReason").Exists() {
		changes["stopReason"] = map[bool]string{true: `"toolUse"`, false: `"stop"`}[calls > 0]
	}
	return c.stamped(m, changes), nil
}

// functionCall returns a tool call of Chat Completions as a block.
func functionCall(call Value) (string, error) {
	function := call.Get("function")
	arguments := strings.TrimSpace(function.Get("arguments").String())
	if arguments == "" {
		arguments = "{}"
	}
	if arguments[0] != '{' || !json.Valid([]byte(arguments)) {
		return "", fmt.Errorf("%w: the arguments of a tool call must be a JSON object", ErrNoMessage)
	}
	return `{"type":"toolCall","id":` + Quote(call.Get("id").String()) + `,"name":` +
		Quote(function.Get("name").String()) + `,"arguments":` + withoutLineEnds(arguments) + "}", nil
}

// result returns a tool result.
func (c *Composer) result(callID string, content Value, isError bool) string {
	callID = cmp.Or(callID, c.OnlyCall)
	blocks, _ := blocksOf(content)
	return `{"role":"toolResult","toolCallId":` + Quote(callID) + `,"toolName":` + Quote(c.ToolName(callID)) +
		`,"content":[` + string(blocks) + `],"isError":` + strconv.FormatBool(isError) + `,"timestamp":` +
		strconv.FormatInt(c.Millis, 10) + "}"
}

// ownResult completes a tool result in OpenClaw's form.
func (c *Composer) ownResult(m, content Value) string {
	blocks, _ := blocksOf(content)
	changes := map[string]string{"content": "[" + string(blocks) + "]"}
	callID := cmp.Or(m.Get("toolCallId").String(), c.OnlyCall)
	if !m.Get("toolCallId").Exists() {
		changes["toolCallId"] = Quote(callID)
	}
	if m.Get("toolName").String() == "" {
		changes["toolName"] = Quote(c.ToolName(callID))
	}
	if !m.Get("isError").Exists() {
		changes["isError"] = "false"
	}
	return c.stamped(m, changes)
}

// addedFields are the fields that a message may lack, in the order in which they are added.
var addedFields = []string{"content", "toolCallId", "toolName", "isError", "stopReason", "timestamp"}

// stamped returns a message with other values for some fields, and a time if it has none. A field with the value "" is
// left out.
func (c *Composer) stamped(m Value, changes map[string]string) string {
	if changes == nil {
		changes = map[string]string{}
	}
	if !m.Get("timestamp").Exists() {
		changes["timestamp"] = strconv.FormatInt(c.Millis, 10)
	}
	out, used := []byte{'{'}, map[string]bool{}
	add := func(name, value string) {
		if value != "" && !used[name] {
			used[name] = true
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(append(append(out, Quote(name)...), ':'), value...)
		}
	}
	for name := range m.Members() {
		value, changed := changes[name]
		if !changed {
			value = string(m.Get(name)) // of a repeated key, the last counts
		}
		add(name, value)
	}
	for _, name := range addedFields {
		add(name, changes[name])
	}
	return string(append(out, '}'))
}

// FromText returns a message that consists of a text. A tool result answers the call with the id.
func (c *Composer) FromText(role, text, callID string, isError bool) string {
	content := Value(Quote(text))
	if role == RoleToolResult {
		return c.result(callID, content, isError)
	}
	if role == RoleAssistant {
		content = Value("[" + textBlock(string(content)) + "]")
	}
	m := `{"role":` + Quote(role) + `,"content":` + string(content)
	if role == RoleAssistant {
		m += `,"stopReason":"stop"`
	}
	return m + `,"timestamp":` + strconv.FormatInt(c.Millis, 10) + "}"
}

// FromAnthropic returns a response of the Messages API as a message.
func (c *Composer) FromAnthropic(response Value) (string, error) {
	if err := apiError(response); err != nil {
		return "", err
	}
	if response.Get("role").String() != RoleAssistant || !response.Get("content").IsArray() {
		return "", fmt.Errorf("%w: a response of the Messages API has a role and a list of content", ErrNoMessage)
	}
	u := response.Get("usage")
	read, write := u.Get("cache_read_input_tokens").Int(), u.Get("cache_creation_input_tokens").Int()
	return c.answer(answer{
		content: response.Get("content"), id: response.Get("id"), model: response.Get("model"),
		api: "anthropic-messages", provider: "anthropic", stop: stopReasons[response.Get("stop_reason").String()],
		usage: Usage{Input: u.Get("input_tokens").Int(), Output: u.Get("output_tokens").Int(), CacheRead: read,
			CacheWrite: write}, hasUsage: u.IsObject(),
	}), nil
}

// FromOpenAI returns a response of Chat Completions as a message.
func (c *Composer) FromOpenAI(response Value) (string, error) {
	if err := apiError(response); err != nil {
		return "", err
	}
	var choices []Value
	for choice := range response.Get("choices").Elements() {
		choices = append(choices, choice)
	}
	if len(choices) != 1 || !choices[0].Get("message").IsObject() {
		return "", fmt.Errorf("%w: a response of Chat Completions has one choice with a message", ErrNoMessage)
	}
	body, err := c.assistant(choices[0].Get("message"))
	if err != nil {
		return "", err
	}
	u := response.Get("usage")
	cached := u.Get("prompt_tokens_details").Get("cached_tokens").Int()
	return c.answer(answer{
		content: Value(body).Get("content"), id: response.Get("id"), model: response.Get("model"),
		api: "openai-completions", provider: "openai", stop: stopReasons[choices[0].Get("finish_reason").String()],
		usage: Usage{Input: max(0, u.Get("prompt_tokens").Int()-cached), CacheRead: cached,
			Output: u.Get("completion_tokens").Int()}, hasUsage: u.IsObject(),
	}), nil
}

// apiError returns the error that a response reports, or nil.
func apiError(response Value) error {
	e := response.Get("error")
	if !e.IsObject() {
		return nil
	}
	text := ErrAPI.Error()
	for _, field := range []string{"type", "message"} {
		if detail := e.Get(field).String(); detail != "" {
			text += ": " + detail
		}
	}
	return &apiFailure{text[:min(len(text), maxAPIError)]}
}

// maxAPIError is the maximum length of an API's error that is repeated.
const maxAPIError = 300

type apiFailure struct{ text string }

func (e *apiFailure) Error() string { return strings.ToValidUTF8(e.text, "") }
func (e *apiFailure) Unwrap() error { return ErrAPI }

// stopReasons are OpenClaw's names for the reasons of both APIs.
var stopReasons = map[string]string{
	"end_turn": "stop", "stop_sequence": "stop", "pause_turn": "stop", "refusal": "stop", "stop": "stop",
	"content_filter": "stop", "tool_use": "toolUse", "tool_calls": "toolUse", "function_call": "toolUse",
	"max_tokens": "length", "model_context_window_exceeded": "length", "length": "length",
}

// An answer is what a response says.
type answer struct {
	content, id, model  Value
	api, provider, stop string
	usage               Usage
	hasUsage            bool
}

// answer returns the message of an answer.
func (c *Composer) answer(a answer) string {
	blocks, calls := blocksOf(a.content)
	stop := a.stop
	if stop == "" {
		stop = map[bool]string{true: "toolUse", false: "stop"}[calls > 0]
	}
	text := `{"role":"assistant","content":[` + string(blocks) + `],"api":` + Quote(a.api) + `,"provider":` +
		Quote(a.provider) + `,"model":` + Quote(a.model.String())
	if a.hasUsage {
		u := a.usage
		text += fmt.Sprintf(`,"usage":{"input":%d,"output":%d,"cacheRead":%d,"cacheWrite":%d,"totalTokens":%d}`,
			u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Input+u.Output+u.CacheRead+u.CacheWrite)
	}
	text += `,"stopReason":` + Quote(stop)
	if id := a.id.String(); id != "" {
		text += `,"responseId":` + Quote(id)
	}
	return text + `,"timestamp":` + strconv.FormatInt(c.Millis, 10) + "}"
}

// withoutLineEnds returns JSON without line ends between its tokens.
func withoutLineEnds(text string) string {
	return strings.NewReplacer("\n", "", "\r", "").Replace(text) // inside strings they are escaped
}
