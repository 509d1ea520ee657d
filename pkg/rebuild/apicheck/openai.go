package apicheck

import (
	"encoding/json"
	"fmt"
)

// OpenAI returns the first reason why chat completions would refuse a messages array, or nil.
func OpenAI(messages []byte) error {
	if err := checkText(messages); err != nil {
		return err
	}
	var list []struct {
		Role       string
		Content    json.RawMessage
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID, Type string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	if err := json.Unmarshal(messages, &list); err != nil {
		return err
	}
	if len(list) == 0 {
		return fmt.Errorf("messages: array too short")
	}
	open := map[string]bool{}
	for i, m := range list {
		if m.Role == "tool" {
			if !open[m.ToolCallID] {
				return fmt.Errorf("messages.%d: a tool message must answer a preceding call", i)
			}
			delete(open, m.ToolCallID)
			if len(m.Content) == 0 || m.Content[0] != '"' {
				return fmt.Errorf("messages.%d: content must be a string", i)
			}
			continue
		}
		if len(open) > 0 {
			return fmt.Errorf("messages.%d: %d tool_calls without a tool message", i, len(open))
		}
		switch {
		case m.Role != "user" && m.Role != "assistant" && m.Role != "system":
			return fmt.Errorf("messages.%d: unexpected role %q", i, m.Role)
		case (len(m.Content) == 0 || string(m.Content) == "null") && len(m.ToolCalls) == 0:
			return fmt.Errorf("messages.%d: content is required", i)
		}
		for _, call := range m.ToolCalls {
			if call.Type != "function" || call.ID == "" || len(call.ID) > 40 || len(call.Function.Name) > 64 || open[call.ID] ||
				!namePattern().MatchString(call.Function.Name) {
				return fmt.Errorf("messages.%d: bad tool call %q %q", i, call.ID, call.Function.Name)
			}
			if !json.Valid([]byte(call.Function.Arguments)) {
				return fmt.Errorf("messages.%d: arguments are not JSON", i)
			}
			open[call.ID] = true
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%d tool_calls without a tool message", len(open))
	}
	return nil
}
