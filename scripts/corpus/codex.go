package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// codex writes a session in the lines of Codex's rollouts: an item for the model, and an event for the screen.
type codex struct {
	session *session
	lines   int
}

type rolloutLine struct {
	Timestamp string `json:"timestamp"`
	Ordinal   int    `json:"ordinal"`
	Type      string `json:"type"`
	Payload   any    `json:"payload"`
}

// An item is what the model sees.
type item struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Role      string `json:"role,omitempty"`
	Content   []part `json:"content,omitempty"`
	Summary   []part `json:"summary,omitempty"`
	Encrypted string `json:"encrypted_content,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	CallID    string `json:"call_id,omitempty"`
	Output    any    `json:"output,omitempty"`
}

type part struct {
	Type  string `json:"type"`
	Text  string `json:"text,omitempty"`
	Image string `json:"image_url,omitempty"`
}

func (c *codex) path(int) string {
	time := strings.ReplaceAll(c.session.now.Format("2006-01-02T15:04:05"), ":", "-")
	return filepath.Join("sessions", c.session.now.Format("2006/01/02"), "rollout-"+time+"-"+c.session.id+".jsonl")
}

func (c *codex) add(kind string, payload any) {
	b := c.session.next("")
	c.lines++
	c.session.line(rolloutLine{b.Timestamp, c.lines, kind, payload})
}

func (c *codex) begin() {
	c.add("session_meta", map[string]any{"id": c.session.id, "timestamp": c.session.now.Format(stamp),
		"cwd": "/home/dev/project", "originator": "codex_cli", "cli_version": "0.166.0",
		"base_instructions": map[string]string{"text": prose(c.session.dice, 9000)}})
}

// item writes an item, and the event that shows it.
func (c *codex) item(i item, shown string, text string) {
	i.ID = fmt.Sprintf("item_%x", c.session.raw(8))
	c.add("response_item", i)
	c.add("event_msg", map[string]any{"type": "item_completed", "thread_id": c.session.id,
		"item": map[string]string{"type": shown, "id": i.ID, "text": text}})
}

func (c *codex) prompt(content []block) {
	c.add("turn_context", map[string]string{"cwd": "/home/dev/project", "model": "gpt-5.5", "approval_policy": "never"})
	c.item(item{Type: "message", Role: "user", Content: codexParts(content)}, "UserMessage", content[0].Text)
}

func (c *codex) answer(_ string, content ...block) {
	for _, b := range content {
		switch b.Type {
		case "text":
			c.item(item{Type: "message", Role: "assistant", Content: []part{{Type: "output_text", Text: b.Text}}},
				"AgentMessage", b.Text)
		case "thinking":
			c.item(item{Type: "reasoning", Summary: []part{{Type: "summary_text", Text: b.Thinking}},
				Encrypted: b.Signature}, "Reasoning", b.Thinking)
		default:
			arguments, _ := json.Marshal(b.Arguments) // strings can always be written
			c.item(item{Type: "function_call", Name: b.Name, Arguments: string(arguments), CallID: b.ID}, "Call", "")
		}
	}
	u := c.session.tokens()
	c.add("token_usage_record", map[string]any{
		"thread_id": c.session.id, "response_id": fmt.Sprintf("resp_%x", c.session.raw(8)),
		"usage": map[string]int{"input_tokens": u.Input + u.CacheRead, "cached_input_tokens": u.CacheRead,
			"output_tokens": u.Output, "total_tokens": u.Total},
	})
}

func (c *codex) result(call block, content []block, _ bool) {
	var output any = content[0].Text
	if len(content) > 1 {
		output = codexParts(content)
	}
	c.item(item{Type: "function_call_output", CallID: call.ID, Output: output}, "CommandExecution", content[0].Text)
}

func (c *codex) incident() {
	if c.session.cached > 160_000 {
		summary := prose(c.session.dice, 3000+c.session.IntN(6000))
		c.add("compacted", map[string]any{"message": summary, "replacement_history": []item{
			{Type: "message", Role: "user", Content: []part{{Type: "input_text", Text: summary}}},
		}})
		c.session.cached = 20_000
	}
}

// codexParts returns the parts of what is not the model's.
func codexParts(content []block) []part {
	var list []part
	for _, b := range content {
		if b.Type == "image" {
			list = append(list, part{Type: "input_image", Image: "data:" + b.MimeType + ";base64," + b.Data})
		} else {
			list = append(list, part{Type: "input_text", Text: b.Text})
		}
	}
	return list
}
