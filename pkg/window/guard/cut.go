package guard

import (
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/window/summary"
)

// The texts that claw0 puts in place of the messages it summarized.
const (
	summaryHead     = "[Previous conversation summary]\n"
	acknowledgement = "Understood, I have the context."
)

// cut returns how many messages to summarize. It starts with claw0's number, or one less if a turn begins there. If
// that would separate calls from their results, it takes fewer, or otherwise more. 0 means that no cut is possible.
func (r *request) cut() int {
	messages := r.messages[r.lead:]
	want := summary.Claw0Count(len(messages))
	if want > 1 && messages[want].role() == "assistant" && messages[want-1].beginsTurn() {
		return want - 1
	}
	for at := want; at > 0; at-- {
		if !messages[at].isAnswer() {
			return at
		}
	}
	for at := want + 1; want > 0 && at < len(messages); at++ {
		if !messages[at].isAnswer() {
			return at
		}
	}
	return 0
}

// beginsTurn reports whether a message is a message of the user.
func (m message) beginsTurn() bool { return m.role() == "user" && !m.isAnswer() }

// replace replaces the first messages with the summary. The assistant acknowledges it, unless an assistant message
// follows anyway, because the API requires the roles to alternate.
func (r *request) replace(cut int, summary string) {
	rest := r.messages[r.lead+cut:]
	start := []message{textMessage("user", summaryHead+summary)}
	if rest[0].role() != "assistant" {
		start = append(start, textMessage("assistant", acknowledgement))
	}
	r.messages = append(append(r.messages[:r.lead:r.lead], start...), rest...)
}

// textMessage returns a message that both APIs accept.
func textMessage(role, text string) message {
	return message{jsonl.Value(`{"role":"` + role + `","content":[{"type":"text","text":` + jsonl.Quote(text) + `}]}`)}
}

// transcribe writes messages as plain text, in the format that claw0 gives to its summarizer.
func transcribe(messages []message) string {
	var lines []string
	for _, m := range messages {
		role := m.role()
		for b := range m.blocks() {
			switch b.Kind {
			case jsonl.BlockText:
				speaker := role
				text := b.Text().String()
				if role == "tool" || role == "function" {
					speaker, text = "tool_result", summary.Beginning(text, summary.ResultLength)
				}
				lines = append(lines, "["+speaker+"]: "+text)
			case jsonl.BlockToolResult:
				lines = append(lines, "[tool_result]: "+summary.Beginning(jsonl.PlainText(b.Content()), summary.ResultLength))
			}
		}
		for _, call := range m.calls() {
			lines = append(lines, "["+role+" called "+call.Name+"]: "+call.Arguments)
		}
	}
	return strings.Join(lines, "\n")
}
