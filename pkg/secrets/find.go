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
	done := 0 // strings that end before have been looked at
	d.index.each(raw, func(k *keyword, at int) bool {
		if k.kind == isBlanked {
			blanked = true
		}
		if k.kind == isBlanked || at < done || k.kind == leadsToRules && !k.mayLead(raw, at) {
			return true
		}
		start, end := jsontext.StringAt(raw, at)
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

// Find returns the secrets in a decoded text, in order and without overlaps.
func (d *Detector) Find(text []byte) []Match {
	var list []Match
	d.index.each(text, func(k *keyword, at int) bool {
		for _, r := range k.rules {
			if m, ok := r.match(text, at); ok {
				list = append(list, m)
			}
		}
		return true
	})
	for _, r := range d.loose {
		list = r.matchAll(list, text)
	}
	return join(list)
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
