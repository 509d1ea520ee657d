// Package tokens counts tokens, says what a message costs, and knows how many tokens a model takes.
//
// Counts are exact for OpenAI's encodings, and need no network: a splitter written by hand cuts a text into pieces
// (split.go), a table that lies in the binary knows the pieces that are one token (table.go), and the rest is merged in
// n log n at worst (merge.go).
package tokens

import (
	"strings"
	"unicode/utf8"
)

// Heuristic counts a token for every four characters, as pi counts them: in the units of UTF-16, rounded up.
type Heuristic struct{}

// Count estimates the tokens of a text.
func (Heuristic) Count(text string) int { return (units(text) + 3) / 4 }

// units is the length of a text in UTF-16.
func units(text string) int {
	n := utf8.RuneCountInString(text)
	for _, r := range text {
		if r > 0xffff {
			n++ // a pair of surrogates
		}
	}
	return n
}

// windows are the context windows of models, by the beginnings of their names, the longer ones first.
var windows = []struct {
	prefix string
	tokens int
}{
	{"claude-", 200_000},
	{"gpt-4o", 128_000},
	{"gpt-4.1", 1_047_576},
	{"gpt-4", 128_000},
	{"gpt-5", 400_000},
	{"o1", 200_000},
	{"o3", 200_000},
	{"o4", 200_000},
	{"gemini-", 1_048_576},
	{"kimi-", 262_144},
	{"deepseek-", 128_000},
}

// Window returns the context window of a model. A name may have the names of providers before it, as in
// openrouter/anthropic/claude-opus-4-6.
func Window(model string) (tokens int, known bool) {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, w := range windows {
		if strings.HasPrefix(name, w.prefix) {
			return w.tokens, true
		}
	}
	return 0, false
}
