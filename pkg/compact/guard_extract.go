package compact

import (
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/tokens"
)

const (
	maxExtract = 2048 // tokens; claw0 allows its summaries as many
	minExtract = 100
	lastAsked  = 3 // of the user's messages, beside the first
)

// extract stands in for a summary where there is no model: what the user said first and last, which tools were used on which
// files, and what was said last. The same messages give the same extract.
func extract(messages []message, c tokens.Counter, limit int) string {
	var b strings.Builder
	b.WriteString("(This is an extract that was made without a model: words of the conversation, not a summary of it.)\n")
	asked, answer := said(messages, "user"), said(messages, "assistant")
	for i, text := range asked {
		switch {
		case i == 0 && strings.HasPrefix(text, strings.TrimSpace(summaryHead)):
			b.WriteString(text + "\n") // what stands for an earlier part stays whole, as far as there is room
		case i == 0:
			b.WriteString("The user began with: " + oneLine(text) + "\n")
		case i >= len(asked)-lastAsked:
			b.WriteString("Later: " + oneLine(text) + "\n")
		}
	}
	tools, files := used(messages)
	if len(tools) > 0 {
		b.WriteString("Tools that were used: " + strings.Join(tools, ", ") + "\n")
	}
	if len(files) > 0 {
		b.WriteString("Files: " + strings.Join(files, ", ") + "\n")
	}
	if n := len(answer); n > 0 {
		b.WriteString("The last answer: " + oneLine(answer[n-1]) + "\n")
	}
	short, _ := tokens.Truncate([]string{strings.TrimSpace(b.String())}, c, limit)
	return short[0]
}

// said returns the texts of one role.
func said(messages []message, role string) (texts []string) {
	for _, m := range messages {
		if text := strings.TrimSpace(jsonl.PlainText(m.Get("content"))); m.role() == role && text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// used returns the tools that were called and the files that the calls name, each once, in the order of their first use.
func used(messages []message) (tools, files []string) {
	seen := map[string]bool{}
	add := func(list []string, name string) []string {
		if name == "" || seen[name] {
			return list
		}
		seen[name] = true
		return append(list, name)
	}
	for _, m := range messages {
		for _, call := range m.calls() {
			tools = add(tools, call.Name)
			for _, path := range pathsOf(call.Arguments) {
				files = add(files, path)
			}
		}
	}
	return tools, files
}

// oneLine is the beginning of a text, without line ends.
func oneLine(text string) string {
	return preview(strings.Join(strings.Fields(text), " "), resultPreview)
}
