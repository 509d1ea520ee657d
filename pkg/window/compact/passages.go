package compact

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/window/summary"
)

// writeText writes the messages of the context before a step as plain text, one passage per line, in the format of
// claw0:
//
//	[user]: What is in notes.txt?
//	[assistant called read]: {"path":"notes.txt"}
//	[tool_result]: milk, eggs
//	[assistant]: Milk and eggs.
func (s *Survey) writeText(w io.Writer, records Records, end int) error {
	out := bufio.NewWriter(w)
	err := s.stretch.Walk(records(), func(i int, rec *jsonl.Record) error {
		if i >= end || !s.isMessage(i) {
			return nil
		}
		for _, p := range passagesOf(rec) {
			if _, err := fmt.Fprintf(out, "[%s]: %s\n", p.speaker, p.text); err != nil {
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

// A passage is a piece of a message for a summarizer.
type passage struct{ speaker, text string }

// passagesOf splits a record into passages. Thinking is left out, because it is not part of what was said.
func passagesOf(rec *jsonl.Record) []passage {
	var passages []passage
	m, ok := rec.Message()
	if !ok {
		return otherPassages(rec)
	}
	switch role := m.Role(); role {
	case jsonl.RoleToolResult:
		return []passage{{"tool_result", summary.Beginning(resultText(m), summary.ResultLength)}}
	case jsonl.RoleBashExecution:
		output := summary.Beginning(m.Get("output").String(), summary.ResultLength)
		return []passage{{"user ran", m.Get("command").String()}, {"tool_result", output}}
	default:
		who := jsonl.RoleUser
		if role == jsonl.RoleAssistant {
			who = role
		}
		for b := range m.Blocks() {
			passages = appendPassage(passages, who, b)
		}
	}
	return passages
}

// otherPassages returns what the model sees of a record that is not a message.
func otherPassages(rec *jsonl.Record) []passage {
	if c, ok := rec.Custom(); ok {
		return []passage{{jsonl.RoleUser, jsonl.PlainText(c.Content)}}
	}
	if summary, ok := rec.BranchSummary(); ok {
		return []passage{{"summary of a branch", summary}}
	}
	return nil
}

func appendPassage(passages []passage, who string, b jsonl.Block) []passage {
	switch b.Kind {
	case jsonl.BlockText:
		if text := b.Text().String(); strings.TrimSpace(text) != "" {
			return append(passages, passage{who, text})
		}
	case jsonl.BlockImage:
		return append(passages, passage{who, "(an image)"})
	case jsonl.BlockToolCall:
		call, _ := b.ToolCall()
		return append(passages, passage{who + " called " + call.Name, call.Arguments})
	case jsonl.BlockToolResult:
		text := summary.Beginning(jsonl.PlainText(b.Content()), summary.ResultLength)
		return append(passages, passage{"tool_result", text})
	}
	return passages
}

// resultText returns the text of a tool result.
func resultText(m jsonl.Message) string {
	if content := m.Content(); content.IsObject() {
		return string(content.UTF8())
	}
	return jsonl.PlainText(m.Content())
}
