// Package tokens counts tokens and computes the cost of messages.
//
// Counts are exact for OpenAI's encodings and need no network. A handwritten splitter cuts a text into pieces
// (split.go), or a state machine if the text is ASCII (machine.go). A table in the binary contains the pieces that are
// one token (table.go), and the rest is merged in at most n log n steps (merge.go). Several cores count the segments of
// a long text (segments.go).
package tokens

import "unicode/utf8"

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
