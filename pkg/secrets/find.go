package secrets

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"sync"

	"clawctl/pkg/jsontext"
)

// A Detector finds the secrets of a set of rules. It is safe for concurrent use.
type Detector struct {
	index *index
	loose []*Rule // rules without keywords, which look at every string
}

// NewDetector returns a detector with the rules of the table and further ones.
func NewDetector(more ...*Rule) *Detector {
	d := &Detector{}
	leads := map[string][]*Rule{}
	for _, r := range slices.Concat(table(), more) {
		for _, k := range r.Keywords {
			leads[k] = append(leads[k], r)
		}
		if len(r.Keywords) == 0 {
			d.loose = append(d.loose, r)
		}
	}
	var keywords []keyword
	for _, k := range slices.Sorted(maps.Keys(leads)) {
		keywords = append(keywords, keyword{text: k, fold: leads[k][0].Fold, rules: leads[k]})
	}
	for _, k := range hiding {
		keywords = append(keywords, keyword{text: k, fold: true, kind: hidesText})
	}
	d.index = newIndex(append(keywords, keyword{text: "REDACTED", kind: isBlanked}))
	return d
}

// hiding are the beginnings of escapes that stand for an ASCII character, and slashes as some programs escape them. A
// keyword may be behind one of them.
var hiding = []string{`\/\/`, `\u002`, `\u003`, `\u004`, `\u005`, `\u006`, `\u007`}

// A Finding is a string of a JSON text that has secrets.
type Finding struct {
	Start, End int     // of the string, without its quotes
	Text       []byte  // decoded
	Matches    []Match // in Text
}

// Strings calls yield with every string of a JSON text that has secrets, until yield returns false.
func (d *Detector) Strings(raw []byte, yield func(Finding) bool) { d.scan(raw, yield) }

// scan is Strings. It also reports whether REDACTED stands in the text.
func (d *Detector) scan(raw []byte, yield func(Finding) bool) (blanked bool) {
	if len(d.loose) > 0 {
		d.scanAll(raw, yield)
		return bytes.Contains(raw, []byte("REDACTED"))
	}
	start, end, done := 0, 0, 0 // the last string that was looked for, and where the last one ends that was looked at
	d.index.each(raw, func(k *keyword, at int) bool {
		if k.kind == isBlanked {
			blanked = true
		}
		if k.kind == isBlanked || at < done || k.kind == leadsToRules && !k.mayLead(raw, at) {
			return true
		}
		if at >= end {
			start, end = jsontext.StringAt(raw, at)
		}
		if k.kind == leadsToRules && !k.mayLead(raw[:end], at) {
			return true
		}
		done = end
		return d.inspect(raw, start, end, yield)
	})
	return blanked
}

// scanAll looks at every string.
func (d *Detector) scanAll(raw []byte, yield func(Finding) bool) {
	for at := bytes.IndexByte(raw, '"'); at >= 0; {
		start, end := jsontext.StringAt(raw, at+1)
		if !d.inspect(raw, start, end, yield) {
			return
		}
		next := bytes.IndexByte(raw[min(end+1, len(raw)):], '"')
		if next < 0 {
			return
		}
		at = end + 1 + next
	}
}

// inspect calls yield if there is a secret in a string. It returns false if yield does.
func (d *Detector) inspect(raw []byte, start, end int, yield func(Finding) bool) bool {
	text := raw[start:end]
	if bytes.IndexByte(text, '\\') < 0 {
		matches := d.Find(text)
		return len(matches) == 0 || yield(Finding{start, end, text, matches})
	}
	buffer := buffers.Get().(*[]byte)
	text = jsontext.Decode((*buffer)[:0], text)
	if matches := d.Find(text); len(matches) > 0 {
		return yield(Finding{start, end, text, matches}) // the text is the caller's now
	}
	if cap(text) <= maxBuffer {
		*buffer = text
	}
	buffers.Put(buffer)
	return true
}

// buffers hold decoded strings without secrets, one after another. Buffers larger than maxBuffer are not kept.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxBuffer = 1 << 20

// Find returns the secrets in a decoded text, in order and without overlaps. It looks at every byte a few times at
// most, whatever the text says.
func (d *Detector) Find(text []byte) []Match {
	f := finder{text: text}
	d.index.each(text, func(k *keyword, at int) bool {
		for _, r := range k.rules {
			f.consider(r, at, len(k.text))
		}
		return true
	})
	for r, lead := range f.waiting {
		f.match(r, lead, len(text))
	}
	for _, r := range d.loose {
		f.list = r.matchAll(f.list, text)
	}
	return join(f.list)
}

// A finder collects the secrets of one text. A pattern runs when the next keyword of its rule is known, because that is
// where a secret ends at the latest. If patterns ran on into what the next keyword leads to, a text that repeats a
// keyword would be read as often as it has keywords.
type finder struct {
	text    []byte
	list    []Match
	waiting map[*Rule]lead
}

// A lead is a keyword that may lead to a secret, and where the secret begins if the pattern has no group.
type lead struct{ at, start int }

// consider looks at a keyword of a rule.
func (f *finder) consider(r *Rule, at, length int) {
	start, ok := r.startAt(f.text, at, length)
	if !ok {
		return
	}
	next := lead{at, start}
	last, ok := f.waiting[r]
	switch {
	case r.nests:
		f.match(r, next, len(f.text))
		return
	case ok && at < last.at: // keywords that overlap may come in any order
		f.match(r, next, last.at)
		return
	case ok:
		f.match(r, last, at)
	case f.waiting == nil:
		f.waiting = map[*Rule]lead{}
	}
	f.waiting[r] = next
}

// match runs the pattern of a rule up to a limit.
func (f *finder) match(r *Rule, l lead, limit int) {
	if m, ok := r.match(f.text, l.start, l.at, limit); ok {
		f.list = append(f.list, m)
	}
}

// join sorts matches and joins those that overlap. The rule that comes first in the table names them.
func join(list []Match) []Match {
	if len(list) < 2 {
		return list
	}
	slices.SortFunc(list, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.Rule.rank, b.Rule.rank))
	})
	joined := list[:1]
	for _, m := range list[1:] {
		last := &joined[len(joined)-1]
		if m.Start >= last.End {
			joined = append(joined, m)
			continue
		}
		last.End = max(last.End, m.End)
		if m.Rule.rank < last.Rule.rank {
			last.Rule = m.Rule
		}
	}
	return joined
}

// mayLead reports whether any rule of a keyword may match at an index of a raw text.
func (k *keyword) mayLead(raw []byte, at int) bool {
	for _, r := range k.rules {
		if r.mayMatch(raw, at, len(k.text)) {
			return true
		}
	}
	return false
}
