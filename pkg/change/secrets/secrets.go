// Package secrets finds keys, tokens and passwords in texts, and says what they are.
//
//	string ─▶ decoded ─▶ keywords ─▶ pattern ─▶ judgement ─▶ Match
//	              └─▶ views: escapes, URLs, HTML, base64, joined lines ─▶ keywords …
//
// What is looked for is a table of rules (rules.txt), written from the formats that services publish. Every rule has
// keywords, one of which is in every secret of its kind or right before it. Every string of a record is decoded once,
// and all keywords are searched in one pass over it (keywords.go). Only around a keyword the pattern of its rule runs
// (find.go), and what it matches is a secret only if it is random enough and no placeholder such as ${TOKEN} or
// your-key-here (judge.go).
//
// A key is found in disguise too. Where a string has something that is encoded, a view of it (views.go) is searched in
// the same way: JSON inside of JSON, percent encoding, HTML, base64, and lines that were broken.
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
