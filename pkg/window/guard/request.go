package guard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/tokens"
)

// A request is the JSON text of a request, of which only the messages change. Everything else stays as it was written.
type request struct {
	whole    jsonl.Value // nil if the text consists of the messages only
	messages []message
	lead     int // number of system messages at the start
}

// A message is one message of a request, for either API.
type message struct{ jsonl.Value }

func parseRequest(body []byte) (*request, error) {
	if !json.Valid(body) {
		return nil, fmt.Errorf("%w: it is not JSON", errNoRequest)
	}
	r := &request{whole: jsonl.Value(bytes.TrimSpace(body))}
	list := r.whole.Get("messages")
	if r.whole.IsArray() {
		list, r.whole = r.whole, nil
	}
	if !list.IsArray() {
		return nil, fmt.Errorf("%w: it has no list of messages", errNoRequest)
	}
	for m := range list.Elements() {
		if !m.IsObject() || !m.Get("role").IsString() {
			return nil, fmt.Errorf("%w: message %d has no role", errNoRequest, len(r.messages))
		}
		r.messages = append(r.messages, message{m})
	}
	for r.lead < len(r.messages) && slices.Contains([]string{"system", "developer"}, r.messages[r.lead].role()) {
		r.lead++
	}
	return r, nil
}

// text returns the request with its current messages.
func (r *request) text() []byte {
	messages := make([]string, len(r.messages))
	for i, m := range r.messages {
		messages[i] = string(m.Value)
	}
	list := "[" + strings.Join(messages, ",\n") + "]"
	if r.whole == nil {
		return []byte(list + "\n")
	}
	return append(r.whole.With("messages", []byte(list)), '\n')
}

func (m message) role() string { return m.Get("role").String() }

// blocks returns the content of a message block by block.
func (m message) blocks() iter.Seq[jsonl.Block] { return jsonl.BlocksOf(m.Get("content")) }

// calls returns the calls of a message, in the form of either API.
func (m message) calls() []jsonl.ToolCall {
	var calls []jsonl.ToolCall
	for b := range m.blocks() {
		if call, ok := b.ToolCall(); ok {
			calls = append(calls, call)
		}
	}
	for v := range m.Get("tool_calls").Elements() {
		f := v.Get("function")
		calls = append(calls, jsonl.ToolCall{
			ID: v.Get("id").String(), Name: f.Get("name").String(), Arguments: f.Get("arguments").String(),
		})
	}
	if f := m.Get("function_call"); f.IsObject() { // the older form of chat completions
		calls = append(calls, jsonl.ToolCall{Name: f.Get("name").String(), Arguments: f.Get("arguments").String()})
	}
	return calls
}

// isAnswer reports whether a message holds the results of calls in the message before it.
func (m message) isAnswer() bool {
	if m.role() == "tool" || m.role() == "function" {
		return true
	}
	for b := range m.blocks() {
		if b.Kind == jsonl.BlockToolResult {
			return true
		}
	}
	return false
}

// cost counts the tokens of a request: the system prompt, the tools as JSON, and every message by the rule of package
// tokens.
func (r *request) cost(c tokens.Counter) int {
	sum := 0
	for b := range jsonl.BlocksOf(r.whole.Get("system")) {
		sum += blockCost(b, c)
	}
	for _, key := range []string{"tools", "functions"} {
		if v := r.whole.Get(key); v.IsArray() {
			sum += c.Count(string(v))
		}
	}
	for _, m := range r.messages {
		sum += m.cost(c)
	}
	return sum
}

func (m message) cost(c tokens.Counter) int {
	sum := tokens.MessageOverhead
	for b := range m.blocks() {
		sum += blockCost(b, c)
	}
	for v := range m.Get("tool_calls").Elements() {
		sum += callCost(v.Get("function"), c)
	}
	return sum + callCost(m.Get("function_call"), c)
}

// callCost counts a call of chat completions.
func callCost(f jsonl.Value, c tokens.Counter) int {
	return c.Count(f.Get("name").String()) + c.Count(f.Get("arguments").String())
}

// blockCost counts one block. A block of unknown type counts as its JSON text.
func blockCost(b jsonl.Block, c tokens.Counter) int {
	switch b.Kind {
	case jsonl.BlockText, jsonl.BlockThinking, jsonl.BlockImage, jsonl.BlockToolCall:
		return tokens.CostOf(b, c).Tokens
	case jsonl.BlockToolResult:
		sum := 0
		for inner := range jsonl.BlocksOf(b.Content()) {
			sum += blockCost(inner, c)
		}
		return sum
	}
	if b.Type() == "image_url" {
		_, data, _ := strings.Cut(b.Value.Get("image_url").Get("url").String(), ";base64,")
		return tokens.ImageTokens(data)
	}
	return c.Count(string(b.Value))
}
