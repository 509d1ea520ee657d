// Package tokens counts tokens, and says what a message costs.
//
// Counts are exact for OpenAI's encodings, and need no network: a splitter written by hand cuts a text into pieces
// (split.go), a table that lies in the binary knows the pieces that are one token (table.go), and the rest is merged in
// n log n at worst (merge.go).
package tokens

import "unicode/utf8"

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
