package page

import (
	"strings"

	"clawctl/pkg/jsonl"
)

// marks are what Markdown adds to a text and a title does not need.
var marks = strings.NewReplacer("**", "", "`", "", "# ", "")

// preview returns the first characters of a text, on one line and without the marks of Markdown.
func preview(v jsonl.Value, most int) string {
	text := v.String()
	words := strings.Fields(marks.Replace(text[:min(len(text), 8*most)]))
	runes := []rune(strings.ToValidUTF8(strings.Join(words, " "), ""))
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(runes)
}
