package guard

import (
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/fileuse"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window/summary"
)

// Limits on the tokens of an extract in a request. claw0 allows its summaries the same.
const (
	maxExtract = 2048
	minExtract = 100
)

// extractOf returns the extract of a request's messages, limited to a number of tokens.
func extractOf(messages []message, c tokens.Counter, limit int) string {
	x, files := &summary.Extract{Messages: len(messages)}, fileuse.Set{}
	for i, m := range messages {
		text := strings.TrimSpace(jsonl.PlainText(m.Get("content")))
		summary, isSummary := strings.CutPrefix(text, summaryHead)
		switch {
		case i == 0 && isSummary:
			x.Previous = summary
		case text != "" && m.role() == "user":
			x.AddUser(text)
		case text != "" && m.role() == "assistant":
			x.AddAssistant(text)
		}
		for _, call := range m.calls() {
			x.AddCall(call.Name, call.Arguments)
			if use, ok := fileuse.Of(call); ok {
				files[use.Path] = files[use.Path] || use.Modifies
			}
		}
	}
	x.Details = files.Details()
	short, _ := tokens.Truncate([]string{x.String()}, c, limit)
	return short[0]
}
