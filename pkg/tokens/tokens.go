// Package tokens counts tokens and computes the cost of messages.
//
// Counts are exact for OpenAI's encodings and need no network. A handwritten splitter cuts a text into pieces
// (split.go), or a state machine if the text is ASCII (machine.go). A table in the binary contains the pieces that are
// one token (table.go), and the rest is merged in at most n log n steps (merge.go).
package tokens

import (
	"strings"
	"unicode/utf8"
)

// Heuristic counts a token for every four characters, as pi does: in UTF-16 units, rounded up.
type Heuristic struct{}

// Count estimates the tokens of a text.
func (Heuristic) Count(text string) int { return (units(text) + 3) / 4 }

// units returns the length of a text in UTF-16.
func units(text string) int {
	n := utf8.RuneCountInString(text)
	for _, r := range text {
		if r > 0xffff {
			n++ // a surrogate pair
		}
	}
	return n
}

// newModels are the beginnings of the names of OpenAI's models that count with o200k_base. Their older ones count with
// cl100k_base.
var newModels = []string{"gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-6", "o1", "o3", "o4", "codex", "chatgpt-4o"}

// EncodingOf returns the name of the encoding that a model counts with. The name of its provider may come first. For
// other makers' models it is the one whose count is the estimate.
func EncodingOf(model string) string {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, beginning := range newModels {
		if strings.HasPrefix(name, beginning) {
			return O200K.Name()
		}
	}
	return CL100K.Name()
}
