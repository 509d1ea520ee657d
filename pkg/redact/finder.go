package redact

import (
	"cmp"
	"slices"
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/secrets"
)

// A Finder finds secrets in records, and where they stand in texts that are made of the records. It is safe for
// concurrent use. nil has the rules of the table.
type Finder struct{ detector *secrets.Detector }

// NewFinder returns a finder with the rules of the table and further ones.
func NewFinder(more ...*secrets.Rule) *Finder { return &Finder{secrets.NewDetector(more...)} }

func (f *Finder) rules() *secrets.Detector {
	if f == nil {
		return secrets.NewDetector()
	}
	return f.detector
}

// A Secret is a text that is secret.
type Secret struct {
	Text string
	Mark int // how many bytes at its beginning only say what it is
}

// Record returns the secrets of a record, each once.
func (f *Finder) Record(rec *jsonl.Record) (list []Secret) {
	findings := findInRecord(f.rules(), rec)
	if rec.Legible() {
		findings = findIn(f.rules(), rec.Value())
	}
	for _, found := range findings {
		for _, m := range found.Matches {
			s := Secret{string(found.Text[m.Start:m.End]), len(m.Mark(found.Text))}
			if !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
	}
	return list
}

// Text returns the places of the secrets in a text that is not of a record.
func (f *Finder) Text(text string) (places []secrets.Place) {
	for _, m := range f.rules().Find([]byte(text)) {
		places = append(places, secrets.Place{Start: m.Start + len(m.Mark([]byte(text))), End: m.End})
	}
	return places
}

// PlacesOf returns where secrets stand in a text, in order and without overlaps.
func PlacesOf(list []Secret, text string) (places []secrets.Place) {
	for _, s := range list {
		for at := 0; ; {
			next := strings.Index(text[at:], s.Text)
			if next < 0 {
				break
			}
			at += next
			places = append(places, secrets.Place{Start: at + s.Mark, End: at + len(s.Text)})
			at += len(s.Text)
		}
	}
	slices.SortFunc(places, func(a, b secrets.Place) int { return cmp.Or(a.Start-b.Start, b.End-a.End) })
	joined := places[:0]
	for _, p := range places {
		if n := len(joined); n > 0 && p.Start <= joined[n-1].End {
			joined[n-1].End = max(joined[n-1].End, p.End)
			continue
		}
		joined = append(joined, p)
	}
	return joined
}
