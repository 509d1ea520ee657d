package rebuild

import (
	"cmp"
	"encoding/json"
	"iter"
	"strconv"
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/tokens"
)

// The forms of messages.
const (
	FormAnthropic = "anthropic"
	FormOpenAI    = "openai"
	FormNative    = "native" // that of the program that wrote the transcript
)

// DefaultMaxTokens is how many tokens the answer to a request may have if nobody says otherwise.
const DefaultMaxTokens = 4096

// A Request is what goes around the messages for an API.
type Request struct {
	Form, Model string
	System      string
	MaxTokens   int64
	Tools       json.RawMessage // a JSON array, nil if nothing declares tools
}

// ParseTools reads the tools of a request, a JSON array of objects. An empty one declares nothing.
func ParseTools(text string) (json.RawMessage, error) {
	var list []map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list) == 0 {
		return nil, err
	}
	return json.RawMessage(strings.TrimSpace(text)), nil
}

// Tokens returns the cost of the system prompt and the tools.
func (r *Request) Tokens(counter tokens.Counter) int {
	return counter.Count(r.System) + counter.Count(string(r.Tools))
}

// Complete takes the prompt and the tools of a session for what the request does not have.
func (r *Request) Complete(prompt *Prompt) {
	r.System = cmp.Or(r.System, prompt.Text())
	if r.Tools == nil {
		r.declare(prompt.Tools(r.Form))
	}
}

// DeclareCalled declares the called tools of a conversation by name alone, unless the request has tools. It returns how
// many it declared.
func (r *Request) DeclareCalled(p *Conversation) int {
	if r.Tools != nil {
		return 0
	}
	var list []string
	for _, name := range p.tools {
		list = append(list, DeclareTool(r.Form, name))
	}
	r.declare(list)
	return len(list)
}

func (r *Request) declare(list []string) {
	if len(list) > 0 {
		r.Tools = json.RawMessage("[" + strings.Join(list, ",") + "]")
	}
}

// Text returns the text of the request before and after its messages, which commas separate.
func (r *Request) Text() (before, after string) {
	head := `{"model":` + jsonl.Quote(r.Model) + `,"max_tokens":` + strconv.FormatInt(r.MaxTokens, 10)
	first := ""
	if r.System != "" && r.Form == FormOpenAI {
		first = `{"role":"system","content":` + jsonl.Quote(r.System) + "},\n"
	} else if r.System != "" {
		head += `,"system":` + jsonl.Quote(r.System)
	}
	if len(r.Tools) > 0 {
		head += `,"tools":` + string(r.Tools)
	}
	return head + `,"messages":[` + "\n" + first, "\n]}\n"
}

// Write writes the messages in the form of an API, calling emit with one JSON object each. records must read the same
// transcript again.
func (p *Conversation) Write(
	form string, records iter.Seq2[*jsonl.Record, error], emit func(message []byte) error,
) error {
	if form == FormOpenAI {
		return p.OpenAI(records, emit)
	}
	return p.Anthropic(records, emit)
}

// SuitsModel reports whether a request has the form that its model takes. Other models than Anthropic's take its form
// too if the session has answers of them over such an API.
func (r *Request) SuitsModel(c *Context) bool {
	switch {
	case r.Form != FormAnthropic || strings.Contains(strings.ToLower(r.Model), "claude"):
		return true
	case r.Model != c.Answering.ID:
		return false
	}
	last := c.lastAnswer()
	return strings.Contains(c.Answering.Provider, "anthropic") || last != nil && last.api == AnthropicMessages
}

// EndWithUser makes the conversation end with a user message, as a request must. It adds the prompt, or ClosingLine if
// there is no prompt and the model spoke last, and reports whether it added that.
func (p *Conversation) EndWithUser(prompt string) bool {
	var added bool
	last := len(p.messages) - 1
	if prompt == "" {
		if last >= 0 && !p.messages[last].assistant {
			return false
		}
		place := Place{}
		if last >= 0 {
			pieces := p.messages[last].pieces
			place = p.ix.placeOf(pieces[len(pieces)-1].entry)
		}
		p.Fixes = append(p.Fixes, Fix{Code: NotUserLast, Place: place})
		prompt, added = ClosingLine, true
	}
	line := piece{kind: pieceLine, alter: &alteration{text: prompt}}
	if last >= 0 && !p.messages[last].assistant {
		p.messages[last].pieces = append(p.messages[last].pieces, line)
		return added
	}
	p.messages = append(p.messages, message{pieces: []piece{line}})
	return added
}

// Tools returns the names of the called tools, in the order of their first use.
func (p *Conversation) Tools() []string { return p.tools }
