// Package redact makes copies of transcripts without the secrets in them.
//
//	records ─▶ Survey ─▶ Redactor ─▶ records ─▶ Survey
//
// A Survey reads everything once and remembers the secrets. A Redactor then replaces them wherever they stand, also
// without what gave them away. Each secret has a placeholder such as [redacted:github-token:1], the same in all files
// of a run, so that a reader still sees which command used which key. The result is surveyed again.
//
// A transcript stays one that programs can continue:
//
//   - Only the inside of strings changes, and of a string only the secret. All other bytes stay. A number with a secret
//     becomes a string, if it is no part of the format.
//   - Ids, links, times, types, models and names of tools never change (fields.go).
//   - A provider refuses signed or encrypted thinking that was changed, so such a block is dropped as a whole. A signed
//     text or tool call stays, and loses its signature.
//   - The checkpoint of a provider stands for what is before it, so it is dropped if anything there was replaced.
//   - A damaged line is searched as text. One that cannot be searched is left out.
package redact

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"clawctl/pkg/change/secrets"
	"clawctl/pkg/jsonl"
)

// A Redactor replaces secrets. The zero value is not usable; see Survey.Redactor.
type Redactor struct {
	detector *secrets.Detector
	numbers  map[[sha256.Size]byte]string // placeholders by the digest of the secret
	next     map[string]int               // the last number of every rule
	masks    bool                         // secrets become [masked], and blocks stay, for a text that is only read
	masksIDs bool                         // also what programs refer to
	Counts   Counts
	// KeepCheckpoints leaves the checkpoints of providers, which may hold what is replaced before them.
	KeepCheckpoints bool
	replaced        bool // something in the session at hand was replaced
	// LeftOut, if set, is called with every line that is left out because it cannot be searched.
	LeftOut func(*jsonl.Record)
}

// Counts say what was replaced or found. They hold no secret.
type Counts struct {
	Places     map[string]int // by rule
	Kept       map[string]int // in ids and other fields that never change, by rule
	Thinking   int            // blocks that were dropped
	Signatures int            // that were dropped
	Lines      int            // that were left out because they cannot be searched
	// Checkpoints of providers that were dropped, and that were kept although something before them was replaced.
	Checkpoints, CheckpointsKept int

	left map[LeftName]bool // what Kept counts
}

// newRedactor returns a redactor that finds what a detector finds.
func newRedactor(d *secrets.Detector) *Redactor {
	return &Redactor{detector: d, numbers: map[[sha256.Size]byte]string{}, next: map[string]int{}, Counts: newCounts()}
}

func newCounts() Counts {
	return Counts{Places: map[string]int{}, Kept: map[string]int{}, left: map[LeftName]bool{}}
}

// Total returns the number of places that were replaced or found.
func (c *Counts) Total() int { return sum(c.Places) }

// TotalKept returns the number of places that could not be replaced.
func (c *Counts) TotalKept() int { return sum(c.Kept) }

func sum(places map[string]int) (n int) {
	for _, count := range places {
		n += count
	}
	return n
}

func (r *Redactor) stand(m secrets.Match, text []byte) string {
	if r.masks {
		return m.Mark(text) + secrets.Masked
	}
	return r.placeholder(m.Rule.Name, text[m.Start:m.End])
}

// placeholder returns what stands for a secret.
func (r *Redactor) placeholder(rule string, secret []byte) string {
	sum := sha256.Sum256(secret)
	if known := r.numbers[sum]; known != "" {
		return known
	}
	r.next[rule]++
	made := fmt.Sprintf("[redacted:%s:%d]", rule, r.next[rule])
	r.numbers[sum] = made
	return made
}

// placeholders matches what stands for secrets.
var placeholders = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[redacted:[a-z0-9-]+:[0-9]+\]`)
})

// unmarked leaves out the matches that are in a placeholder, so that nothing is redacted twice.
func unmarked(text []byte, matches []secrets.Match) []secrets.Match {
	marks := placeholders().FindAllIndex(text, -1)
	if len(marks) == 0 {
		return matches
	}
	var kept []secrets.Match
	for _, m := range matches { // both are in order
		for len(marks) > 0 && marks[0][1] <= m.Start {
			marks = marks[1:]
		}
		if len(marks) == 0 || marks[0][0] >= m.End {
			kept = append(kept, m)
		}
	}
	return kept
}

// Text replaces the secrets of a decoded text, such as the name of a session.
func (r *Redactor) Text(text string) string {
	for range mostPasses {
		matches := unmarked([]byte(text), r.detector.Find([]byte(text)))
		if len(matches) == 0 {
			break
		}
		for _, m := range matches {
			r.Counts.Places[m.Rule.Name]++
		}
		text = r.mask([]byte(text), matches)
	}
	return text
}

// A Row is the JSON form of what one rule found.
type Row struct {
	SchemaVersion int    `json:"schema_version"`
	Rule          string `json:"rule"`
	Secrets       int    `json:"secrets"`
	Places        int    `json:"places"`
	Kept          int    `json:"kept,omitempty"`
}

// Rows returns what the rules found, the most frequent first. counts say what became of it.
func (s *Survey) Rows(counts *Counts) []Row {
	var rows []Row
	for rule, n := range counts.Places {
		rows = append(rows, Row{1, rule, s.Secrets(rule), n, counts.Kept[rule]})
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Places, a.Places), cmp.Compare(a.Rule, b.Rule))
	})
	return rows
}
