package rebuild

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/tokens"
)

// A Prompt is what the system messages of a context add up to. pi patches it in the course of a session: content is
// added, sections are replaced or removed by name, and tools come and go.
type Prompt struct {
	Stamp    string // the time of the first system message, as JSON
	contents []string
	sections object
	tools    object // by their names
}

// Prompt returns the prompt of the context, or nil if it has no system messages. records must read the same transcript
// again.
func (c *Context) Prompt(records iter.Seq2[*jsonl.Record, error]) (*Prompt, error) {
	var items []item
	var entries []int32
	for _, it := range c.items {
		if c.isPrompt(it) {
			items, entries = append(items, it), append(entries, it.entry)
		}
	}
	if len(items) == 0 {
		return nil, nil
	}
	p := &Prompt{}
	return p, c.ix.eachRecord(records, entries, func(at int, rec *jsonl.Record) error {
		p.apply(systemMessage(items[at], rec))
		return nil
	})
}

// isPrompt reports whether an item belongs to the prompt, and not to the conversation.
func (c *Context) isPrompt(it item) bool { return it.prompt || c.ix.at(it.entry).isSystem() }

// systemMessage returns the system message of an item that is part of the prompt.
func systemMessage(it item, rec *jsonl.Record) jsonl.Value {
	if it.prompt {
		return rec.Get("systemMessage")
	}
	return rec.Get("message")
}

// apply adds one system message.
func (p *Prompt) apply(m jsonl.Value) {
	if p.Stamp == "" {
		p.Stamp = cmp.Or(string(m.Get("timestamp")), "0")
	}
	if text := jsonl.PlainText(m.Get("content")); text != "" {
		p.contents = append(p.contents, text)
	}
	for name, text := range m.Get("sections").Members() {
		if text.IsNull() {
			p.sections.delete(name)
		} else {
			p.sections.set(name, string(text.UTF8()))
		}
	}
	for tool := range m.Get("toolsRemoved").Elements() {
		p.tools.delete(tool.Get("name").String())
	}
	for tool := range m.Get("toolsAdded").Elements() {
		p.tools.set(tool.Get("name").String(), string(tool.UTF8()))
	}
}

// Text returns the prompt as pi sends it to models that take only one system message, or "" if there is none.
func (p *Prompt) Text() string {
	if p == nil {
		return ""
	}
	parts := slices.Clone(p.contents)
	for _, name := range p.sections.keys {
		if text := jsonl.Value(p.sections.values[name]).String(); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// Message returns the prompt as one system message of pi with a timestamp in milliseconds, as JSON.
func (p *Prompt) Message(timestamp string) string {
	o := &object{}
	o.set("role", `"system"`)
	o.set("content", jsonl.Quote(strings.Join(p.contents, "\n\n")))
	if len(p.sections.keys) > 0 {
		o.set("sections", p.sections.String())
	}
	if len(p.tools.keys) > 0 {
		var tools []string
		for _, name := range p.tools.keys {
			tools = append(tools, p.tools.values[name])
		}
		o.set("toolsAdded", list(tools))
	}
	o.set("timestamp", timestamp)
	return o.String()
}

// Tokens counts the prompt. It returns 0 if there is none.
func (p *Prompt) Tokens(counter tokens.Counter) int {
	if p == nil {
		return 0
	}
	return tokens.SystemTokens(jsonl.Value(p.Message("0")), counter)
}

// A promptMeter counts the prompt that the system messages of a context add up to.
type promptMeter struct {
	prompt Prompt
	left   int // system messages to come
	sum    int // the tokens of those that were added
}

func (c *Context) newPromptMeter() *promptMeter {
	p := &promptMeter{}
	for _, it := range c.items {
		if c.isPrompt(it) {
			p.left++
		}
	}
	return p
}

// add adds the next system message and its tokens. For the last one, it returns the difference between the tokens of
// the prompt and those of all messages.
func (p *promptMeter) add(m jsonl.Value, cost int, counter tokens.Counter) int {
	p.prompt.apply(m)
	p.sum += cost
	if p.left--; p.left > 0 {
		return 0
	}
	return p.prompt.Tokens(counter) - p.sum
}

// Tools returns the declarations of the tools in the form of an API, as JSON. Without a prompt there are none.
func (p *Prompt) Tools(form string) []string {
	if p == nil {
		return nil
	}
	var declarations []string
	for _, name := range p.tools.keys {
		tool := jsonl.Value(p.tools.values[name])
		declarations = append(declarations, declaration(form, toolName(name, LimitsOf(form).Name), tool))
	}
	return declarations
}

// declaration declares a tool in the form of an API, with what is known of it.
func declaration(form, name string, tool jsonl.Value) string {
	o := &object{}
	o.set("name", jsonl.Quote(name))
	if about := tool.Get("description"); isFilled(about) {
		o.set("description", string(about))
	}
	schema := cmp.Or(string(tool.Get("parameters")), `{"type":"object"}`)
	if form == FormOpenAI {
		o.set("parameters", schema)
		return `{"type":"function","function":` + o.String() + `}`
	}
	o.set("input_schema", schema)
	return o.String()
}

// Words name what a prompt has, in the form of an API: "the system prompt and 2 tools". They are "" if it has nothing.
func (p *Prompt) Words(form string) string {
	var parts []string
	if p.Text() != "" {
		parts = append(parts, "the system prompt")
	}
	if tools := len(p.Tools(form)); tools > 0 {
		parts = append(parts, ui.Count(tools, "tool"))
	}
	return strings.Join(parts, " and ")
}

// DeclareTool declares a tool of which only the name is known, in the form of an API, as JSON. A request with calls of
// tools must declare them.
func DeclareTool(form, name string) string { return declaration(form, name, nil) }
