package redact

import (
	"cmp"
	"slices"

	"clawctl/pkg/change/secrets"
	"clawctl/pkg/jsonl"
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

// Record returns the secrets of a record.
func (f *Finder) Record(rec *jsonl.Record) *Secrets {
	list := &Secrets{}
	for _, found := range f.leaks(rec) {
		for _, m := range found.Matches {
			list.add(string(found.Text[m.Start:m.End]), len(m.Mark(found.Text)))
		}
	}
	return list
}

// Places returns how many places of a record have secrets.
func (f *Finder) Places(rec *jsonl.Record) (places int) {
	for range placesOf(findInRecord(f.rules(), rec)) {
		places++
	}
	return places
}

// leaks returns the findings of a record. Those of a line of another program are in what the record says.
func (f *Finder) leaks(rec *jsonl.Record) []secrets.Leak {
	if rec.Legible() {
		return findIn(f.rules(), rec.Value())
	}
	return findInRecord(f.rules(), rec)
}

// Secrets are those of a record. They are looked for in its parts, and it may have many of both.
type Secrets struct {
	marks secrets.Dictionary[int] // how many bytes at the beginning of a secret only say what it is
}

func (l *Secrets) add(secret string, mark int) {
	if before, ok := l.marks.Get(secret); ok {
		mark = min(before, mark)
	}
	l.marks.Set(secret, mark)
}

// Values returns what is masked of each secret.
func (l *Secrets) Values() (list []string) {
	for secret, mark := range l.marks.All() {
		list = append(list, secret[mark:])
	}
	slices.Sort(list)
	return list
}

// len returns how many different secrets there are.
func (l *Secrets) len() int { return len(l.marks.All()) }

// Text returns the places of the secrets in a text that is not of a record.
func (f *Finder) Text(text string) (places []secrets.Span) {
	for _, m := range f.rules().Find([]byte(text)) {
		places = append(places, secrets.Span{Start: m.Start + len(m.Mark([]byte(text))), End: m.End})
	}
	return places
}

// In returns where the secrets stand in a text, in order and without overlaps.
func (l *Secrets) In(text string) []secrets.Span {
	var places []secrets.Span
	if l.len() == 0 {
		return nil
	}
	l.marks.Find([]byte(text), func(start, end, mark int) {
		places = append(places, secrets.Span{Start: start + mark, End: end})
	})
	slices.SortFunc(places, func(a, b secrets.Span) int { return cmp.Or(a.Start-b.Start, b.End-a.End) })
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
