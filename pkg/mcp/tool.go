package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Tool is something that a client can call. All tools only read.
type Tool struct {
	Name, Title, Description string
	Arguments                []Argument
	Call                     func(ctx context.Context, values Values) Result
}

// An Argument is one value that a tool takes: a text, or a whole number if Most is set.
type Argument struct {
	Name, Description string
	Required          bool
	Choices           []string // the allowed texts, if there are few
	Least, Most       int      // of a number
	Default           string   // what is assumed without the argument, or ""
}

// Values are the arguments of a call that were given, as text.
type Values map[string]string

// A Result is what a tool answers.
type Result struct {
	Text string
	// Problem is set if the call failed. It says the same as the text in a form for programs.
	Problem any
}

// describe returns a tool as tools/list does.
func (t *Tool) describe() map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, a := range t.Arguments {
		properties[a.Name] = a.schema()
		if a.Required {
			required = append(required, a.Name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return map[string]any{
		"name": t.Name, "title": t.Title, "description": t.Description, "inputSchema": schema,
		"annotations": map[string]any{
			"title": t.Title, "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
		},
	}
}

// schema returns the JSON Schema of an argument.
func (a *Argument) schema() map[string]any {
	schema := map[string]any{"type": "string", "description": a.Description}
	if a.Most > 0 {
		schema["type"], schema["minimum"], schema["maximum"] = "integer", a.Least, a.Most
	}
	if len(a.Choices) > 0 {
		schema["enum"] = a.Choices
	}
	if a.Default != "" {
		schema["default"] = json.RawMessage(a.Default)
		if a.Most == 0 {
			schema["default"] = a.Default
		}
	}
	return schema
}

// callSafely calls a tool. A tool that panics has a bug, which must not end the others.
func (s *Server) callSafely(ctx context.Context, params json.RawMessage) (result map[string]any, err *Error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, &Error{Code: codeInternal, Message: fmt.Sprintf("internal error: %v", p)}
		}
	}()
	return s.call(ctx, params)
}

// call calls a tool. Wrong arguments are the tool's answer, so that a model can correct them. Calls without a tool are
// errors of the protocol.
func (s *Server) call(ctx context.Context, params json.RawMessage) (map[string]any, *Error) {
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(params, &p); err != nil || len(params) == 0 {
		return nil, &Error{Code: codeParams, Message: "tools/call needs a name and arguments"}
	}
	at := slices.IndexFunc(s.Tools, func(t Tool) bool { return t.Name == p.Name })
	if at < 0 {
		return nil, &Error{Code: codeParams, Message: "there is no tool " + clipped(p.Name)}
	}
	values, err := s.Tools[at].read(p.Arguments)
	if err != nil {
		return toolFailure(s.Refuse(&s.Tools[at], err)), nil
	}
	r := s.Tools[at].Call(ctx, values)
	if r.Problem != nil {
		return toolFailure(r), nil
	}
	return map[string]any{"content": textContent(r.Text)}, nil
}

func toolFailure(r Result) map[string]any {
	return map[string]any{"content": textContent(r.Text), "isError": true, "structuredContent": r.Problem}
}

func textContent(text string) []any { return []any{map[string]any{"type": "text", "text": text}} }

// read checks the arguments of a call. null is the same as none.
func (t *Tool) read(arguments json.RawMessage) (Values, error) {
	given := map[string]json.RawMessage{}
	if text := bytes.TrimSpace(arguments); len(text) > 0 {
		if err := json.Unmarshal(text, &given); err != nil {
			return nil, fmt.Errorf("the arguments of %s must be an object", t.Name)
		}
	}
	values := Values{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		a, value := t.argument(name), given[name]
		switch {
		case a == nil:
			return nil, fmt.Errorf("%s has no argument %s, but %s", t.Name, clipped(name), t.names())
		case string(value) == "null":
			continue
		}
		text, err := a.read(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %s %w", t.Name, name, err)
		}
		values[name] = text
	}
	for _, a := range t.Arguments {
		if a.Required && values[a.Name] == "" {
			return nil, fmt.Errorf("%s needs the argument %s", t.Name, a.Name)
		}
	}
	return values, nil
}

func (t *Tool) argument(name string) *Argument {
	for i := range t.Arguments {
		if t.Arguments[i].Name == name {
			return &t.Arguments[i]
		}
	}
	return nil
}

// names lists the arguments of a tool.
func (t *Tool) names() string {
	var names []string
	for _, a := range t.Arguments {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

func (a *Argument) read(value json.RawMessage) (string, error) {
	if a.Most > 0 {
		n, err := strconv.ParseFloat(string(value), 64)
		if err != nil || n != float64(int(n)) || int(n) < a.Least || int(n) > a.Most {
			return "", fmt.Errorf("must be a whole number from %d to %d", a.Least, a.Most)
		}
		return strconv.Itoa(int(n)), nil
	}
	var text string
	switch err := json.Unmarshal(value, &text); {
	case err != nil:
		return "", fmt.Errorf("must be a string")
	case len(a.Choices) > 0 && !slices.Contains(a.Choices, text):
		return "", fmt.Errorf("must be one of %s", strings.Join(a.Choices, ", "))
	}
	return text, nil
}
