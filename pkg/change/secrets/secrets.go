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

import (
	"sync"
)

// A Match is a secret in a text.
type Match struct {
	Start, End int
	Rule       *Rule
}

// standard is the detector with the rules of the table only, and asking is the same for a question.
var (
	standard = sync.OnceValue(newStandard)
	asking   = sync.OnceValue(func() *Detector {
		return &Detector{index: standard().index, isAsking: true}
	})
)

// Find returns the secrets in a decoded text, in order and without overlaps.
func Find(text []byte) []Match { return standard().Find(text) }

// Signs are what Search sees in a text.
type Signs struct {
	HasSecret    bool
	MayBeBlanked bool // REDACTED may stand in place of a secret
	MayBeMasked  bool // asterisks or an ellipsis may
}

// Search looks at the raw text of a JSON value. It stops at the first string with a secret.
func Search(raw []byte) Signs {
	kinds, found := asking().scan(raw, func(Leak) bool { return false })
	return Signs{HasSecret: found, MayBeBlanked: found || kinds.has(isBlanked), MayBeMasked: found || kinds.has(isMasked)}
}
