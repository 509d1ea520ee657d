package compact

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"clawctl/pkg/jsonl"
)

// writeText writes the messages of the context before a step as plain text, one part a line, as claw0 does it:
//
//	[user]: What is in notes.txt?
//	[assistant called read]: {"path":"notes.txt"}
//	[tool_result]: milk, eggs
//	[assistant]: Milk and eggs.
func (s *Survey) writeText(w io.Writer, records Records, end int) error {
	out := bufio.NewWriter(w)
	err := s.Walk(records(), func(i int, rec *jsonl.Record) error {
		if i >= end || !s.isMessage(i) {
			return nil
		}
		for _, part := range partsOf(rec) {
			if _, err := fmt.Fprintf(out, "[%s]: %s\n", part.who, part.text); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// A part is a piece of a message for a summarizer.
type part struct{ who, text string }

// partsOf takes a record apart. Thinking is left out: it is no part of what was said.
func partsOf(rec *jsonl.Record) (parts []part) {
	m, ok := rec.Message()
	if !ok {
		return spokenFor(rec)
	}
	switch role := m.Role(); role {
	case jsonl.RoleToolResult:
		return []part{{"tool_result", preview(resultText(m), resultPreview)}}
	case jsonl.RoleBashExecution:
		return []part{{"user ran", m.Get("command").String()}, {"tool_result", preview(m.Get("output").String(), resultPreview)}}
	default:
		who := jsonl.RoleUser
		if role == jsonl.RoleAssistant {
			who = role
		}
		for b := range m.Blocks() {
			parts = appendPart(parts, who, b)
		}
	}
	return parts
}

// spokenFor is what a record that is no message says to the model.
func spokenFor(rec *jsonl.Record) []part {
	if c, ok := rec.Custom(); ok {
		return []part{{jsonl.RoleUser, jsonl.PlainText(c.Content)}}
	}
	if b, ok := rec.BranchSummary(); ok {
		return []part{{"summary of a branch", b.Summary}}
	}
	return nil
}

func appendPart(parts []part, who string, b jsonl.Block) []part {
	switch b.Type() {
	case jsonl.BlockText:
		if text := b.Text(); strings.TrimSpace(text) != "" {
			return append(parts, part{who, text})
		}
	case jsonl.BlockImage:
		return append(parts, part{who, "(an image)"})
	case jsonl.BlockToolCall:
		call, _ := b.ToolCall()
		return append(parts, part{who + " called " + call.Name, call.Arguments})
	case jsonl.BlockToolResult:
		return append(parts, part{"tool_result", preview(jsonl.PlainText(b.Get("content")), resultPreview)})
	}
	return parts
}

// resultText is what a tool answered.
func resultText(m jsonl.Message) string {
	if content := m.Content(); content.IsObject() {
		return string(content.UTF8())
	}
	return jsonl.PlainText(m.Content())
}
