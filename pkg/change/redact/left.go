package redact

import (
	"cmp"
	"maps"
	"slices"

	"clawctl/pkg/change/secrets"
	"clawctl/pkg/jsonl"
)

// A LeftName is a name or a number that a copy has as it was, because something refers to it or reads it, although it
// has a secret.
type LeftName struct {
	Kind NameKind `json:"kind"`
	Name string   `json:"name"` // with a placeholder for the secret
}

// A NameKind says what a name is for.
type NameKind string

// The kinds of names.
const (
	SessionKey NameKind = "session key"
	ID         NameKind = "id" // or another field that never changes
	FileName   NameKind = "file name"
	Number     NameKind = "number" // of the format, such as a time or a count
)

// mostLeft is how many names are remembered. Nobody reads more.
const mostLeft = 1000

// KeepName notes that the copy keeps a name as it is.
func (r *Redactor) KeepName(kind NameKind, name string) {
	r.keep(kind, []byte(name), r.detector.Find([]byte(name)))
}

// KeepIDs notes the ids of a record, for a copy that keeps them and masks everything else by itself.
func (r *Redactor) KeepIDs(rec *jsonl.Record) {
	if rec.Legible() {
		r.rewrite(rec.Text(), findIn(r.detector, rec.Text()), false)
	}
}

// keep notes a text that stays, with the secrets that were found in it.
func (r *Redactor) keep(kind NameKind, text []byte, matches []secrets.Match) {
	matches = unmarked(text, matches)
	for _, m := range matches {
		r.Counts.Kept[m.Rule.Name]++
	}
	if left := (LeftName{kind, r.mask(text, matches)}); len(matches) > 0 && len(r.Counts.left) < mostLeft {
		r.Counts.left[left] = true
	}
}

// mask returns a decoded text with placeholders for the secrets in it.
func (r *Redactor) mask(text []byte, matches []secrets.Match) string {
	var out []byte
	from := 0
	for _, m := range matches {
		out = append(append(out, text[from:m.Start]...), r.stand(m, text)...)
		from = m.End
	}
	return string(append(out, text[from:]...))
}

// Left returns the names that still have a secret, in order.
func (c *Counts) Left() []LeftName { return SortNames(slices.Collect(maps.Keys(c.left))) }

// SortNames sorts names and removes those that are listed twice.
func SortNames(list []LeftName) []LeftName {
	slices.SortFunc(list, func(a, b LeftName) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return slices.Compact(list)
}
