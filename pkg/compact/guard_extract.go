package compact

import (
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/tokens"
)

// How many tokens an extract may take in a request; claw0 allows its summaries as many.
const (
	maxExtract = 2048
	minExtract = 100
)

// extractOf is the extract of a request's messages, as far as a number of tokens goes.
func extractOf(messages []message, c tokens.Counter, limit int) string {
	x, files := &Extract{messages: len(messages)}, fileSet{}
	for i, m := range messages {
		text := strings.TrimSpace(jsonl.PlainText(m.Get("content")))
		summary, isSummary := strings.CutPrefix(text, summaryHead)
		switch {
		case i == 0 && isSummary:
			x.Previous = summary
		case text != "" && m.role() == "user":
			x.user(text)
		case text != "" && m.role() == "assistant":
			x.assistant(text)
		}
		for _, call := range m.calls() {
			x.called(call.Name, call.Arguments)
			if use, ok := fileUseOf(call); ok {
				files[use.path] = files[use.path] || use.modifies
			}
		}
	}
	x.Details = files.details()
	short, _ := tokens.Truncate([]string{x.String()}, c, limit)
	return short[0]
}
