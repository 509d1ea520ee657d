// Package secrets finds keys, tokens and passwords in texts, and says what they are.
//
//	raw bytes ─▶ keywords ─▶ decoded string ─▶ pattern ─▶ judgement ─▶ Match
//
// What is looked for is a table of rules (rules.go), written from the formats that services publish. Every rule has
// keywords, one of which is in every secret of its kind or right before it. All keywords are searched in one pass over
// the raw bytes of a record, before anything is decoded (keywords.go). Most records have none, and cost no more than
// this pass. Only around a keyword the pattern of its rule runs, on decoded text (find.go), and what it matches is a
// secret only if it is random enough and no placeholder such as ${TOKEN} or your-key-here (judge.go).
//
// A key is found in disguise too: JSON inside of JSON, \u escapes, percent encoding, and the colors of a terminal.
//
// Everything that masks, reports or removes secrets uses this package, so what one of them finds the others find.
package secrets

import "sync"

// A Match is a secret in a text.
type Match struct {
	Start, End int
	Rule       *Rule
}

// standard is the detector with the rules of the table only.
var standard = sync.OnceValue(newStandard)

// Find returns the secrets in a decoded text, in order and without overlaps.
func Find(text []byte) []Match { return standard().Find(text) }
