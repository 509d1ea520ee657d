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
	known map[string]int // where a keyword is in the index; nil until rules are added
	loose []*Rule        // rules without keywords, which look at every string
	// literals are the texts that no keyword of their own leads to. They are looked for in every string.
	literals Dictionary[*Rule]
	// shortest is how short a text with a secret may be, if keywords lead to it.
	shortest int
}

// shortestWithSecret is that length for the rules of the table.
const shortestWithSecret = 8

// NewDetector returns a detector with the rules of the table and further ones.
func NewDetector(more ...*Rule) *Detector { return standard().with(more...) }

// Only returns a detector with these rules alone, to which its only user can add more.
func Only(rules ...*Rule) *Detector {
	d := &Detector{index: &index{}, shortest: shortestWithSecret}
	d.Add(rules...)
	return d
}

// with returns a detector with further rules.
func (d *Detector) with(more ...*Rule) *Detector {
	if len(more) == 0 {
		return d
	}
	d = d.Clone()
	d.Add(more...)
	return d
}

// Clone returns a detector with the same rules, to which its only user can add more.
func (d *Detector) Clone() *Detector {
	return &Detector{
		index: d.index.clone(), loose: slices.Clone(d.loose), literals: d.literals.clone(), shortest: d.shortest,
	}
}

// sharedKeyword is how many rules a keyword may lead to if they are for texts that have it in common. A text that was
// made to repeat it would be read as often as there are rules.
const sharedKeyword = 8

// Add adds rules to a detector that Clone has returned, while nobody searches with it.
func (d *Detector) Add(more ...*Rule) {
	if d.known == nil {
		d.known = make(map[string]int, len(d.index.keywords))
		for i, k := range d.index.keywords {
			d.known[k.text] = i
		}
	}
	for _, r := range more {
		switch {
		case r.literal != "" && (len(r.Keywords) == 0 || d.isTaken(r.Keywords[0])):
			d.literals.Set(r.literal, r)
		case len(r.Keywords) == 0:
			d.loose = append(d.loose, r)
		default:
			d.addKeywords(r)
			d.shortest = min(d.shortest, max(gramSize, len(r.literal)))
		}
	}
}

// isTaken reports whether a keyword leads to as many rules as it may, or would be one too many.
func (d *Detector) isTaken(keyword string) bool {
	if at, ok := d.known[keyword]; ok {
		return len(d.index.keywords[at].rules) >= sharedKeyword
	}
	return len(d.index.keywords) >= mostKeywords
}

func (d *Detector) addKeywords(r *Rule) {
	for _, k := range r.Keywords {
		if at, ok := d.known[k]; ok && d.index.keywords[at].fold == r.Fold {
			d.index.keywords[at].addRule(r)
			continue
		}
		d.known[k] = len(d.index.keywords)
		d.index.append(keyword{text: k, fold: r.Fold, rules: []*Rule{r}})
	}
}

// newStandard returns the detector with the rules of the table.
func newStandard() *Detector {
	leads := map[string][]*Rule{}
	for _, r := range table() {
		for _, k := range r.Keywords {
			leads[k] = append(leads[k], r)
		}
	}
	var keywords []keyword
	for _, k := range slices.Sorted(maps.Keys(leads)) {
		keywords = append(keywords, keyword{text: k, fold: leads[k][0].Fold, rules: leads[k]})
	}
	return &Detector{index: newIndex(keywords), shortest: shortestWithSecret}
}

// A Leak is a string of a JSON text that has secrets.
type Leak struct {
	Start, End int     // of the string, without its quotes
	Text       []byte  // decoded
	Matches    []Match // in Text
}

// Strings calls yield with every string of a JSON text that has secrets, until yield returns false. Of the numbers
// between them, only what users have named is found.
func (d *Detector) Strings(raw []byte, yield func(Leak) bool) {
	s := scanner{raw: raw, yield: yield}
	// Rules without keywords have forms that numbers have by chance.
	numbers := &Detector{index: d.index, shortest: d.shortest}
	isString := false
	for start := 0; start < len(raw) && !s.stopped; isString = !isString {
		end := jsontext.StringEnd(raw, start)
		switch {
		case isString:
			s.name(start, end)
			s.inspect(d, start, end)
		case d.known != nil:
			s.inspect(numbers, start, end)
		}
		start = end + 1
	}
}

// A scanner looks at the strings of a JSON text, one after another.
type scanner struct {
	raw     []byte
	named   map[int]bool // where values begin whose names say that they are secret
	stopped bool
	yield   func(Leak) bool
}

// name notes the strings that are secret because of what a string says.
func (s *scanner) name(start, end int) {
	for _, value := range namedValues(s.raw, start, end) {
		if s.named == nil {
			s.named = map[int]bool{}
		}
		s.named[value.start] = true
	}
}

// inspect calls yield if there is a secret in a string: by its text, because of its name, or in an encoding.
func (s *scanner) inspect(d *Detector, start, end int) {
	text := s.raw[start:end]
	var buffer *[]byte
	if bytes.IndexByte(text, '\\') >= 0 {
		buffer = buffers.Get().(*[]byte)
		text = jsontext.Decode((*buffer)[:0], text)
	}
	matches := d.findIn(text, 0)
	if s.named[start] {
		matches = append(matches, Match{0, len(text), fieldRule()})
	}
	if len(matches) > 0 {
		s.stopped = !s.yield(Leak{start, end, text, join(matches)}) // the text is the caller's now
		return
	}
	if buffer != nil {
		if cap(text) <= maxBuffer {
			*buffer = text
		}
		buffers.Put(buffer)
	}
}

// buffers hold decoded strings without secrets, one after another. Buffers larger than maxBuffer are not kept.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxBuffer = 256 << 10

// Find returns the secrets in a decoded text, in order and without overlaps. It looks at every byte a few times at
// most, whatever the text says.
func (d *Detector) Find(text []byte) []Match { return join(d.findIn(text, 0)) }

// findIn returns the secrets in a text, and in what is encoded in it.
func (d *Detector) findIn(text []byte, depth int) []Match {
	if len(text) < narrowest && !d.looksEverywhere() && d.isClean(text) {
		return nil
	}
	p := pages.Get().(*page)
	defer pages.Put(p)
	p.open(text)
	p.sights = d.index.appendSights(p.sights, text, 0)
	found := d.search(p, encodedTexts(text), depth, 0)
	p.text = nil
	return found
}

// isClean is a quick look, in one pass, whether a text of one narrow line has nothing that may lead to a secret. Most
// strings of a transcript are short, and clean.
func (d *Detector) isClean(text []byte) bool {
	if len(text) < d.shortest {
		return true
	}
	run, gram := 0, uint32(text[0])<<8|uint32(text[1])<<16
	for _, c := range text[2:] {
		gram = gram>>8 | uint32(c)<<16
		switch {
		case d.index.grams.has(gram | foldCase), mayEncode[c]:
			return false
		case !isData[c]:
			run = 0
		default:
			if run++; run == shortestRun-2 { // the first two bytes are not counted
				return false
			}
		}
	}
	return !mayEncode[text[0]] && !mayEncode[text[1]]
}

// mayEncode says which characters something encoded begins with.
var mayEncode = setOf(`\%+&`)

// looksEverywhere reports whether there are rules that no keyword leads to.
func (d *Detector) looksEverywhere() bool { return len(d.loose) > 0 || len(d.literals.All()) > 0 }

// search is findIn for a page with words in base64. Views before the first are not tried again.
func (d *Detector) search(p *page, encoded []span, depth, first int) []Match {
	list := d.findPlain(p)
	if depth == deepestView {
		return list
	}
	for _, word := range encoded {
		if plain := decodeText(p.text[word.start:word.end]); len(d.findIn(plain, depth+1)) > 0 {
			list = append(list, Match{word.start, word.end, encodedRule()})
		}
	}
	for i := first; i < len(views); i++ {
		found := d.findView(p, depth, i)
		if views[i].onlyMarked {
			found = slices.DeleteFunc(found, func(m Match) bool { return !m.Rule.isMarked || overlaps(list, m) })
		}
		list = append(list, found...)
	}
	return list
}

// findView returns the secrets in what a view reads.
func (d *Detector) findView(p *page, depth, number int) []Match {
	v := &views[number]
	if !v.may(p) {
		return nil
	}
	r := readings.Get().(*reading)
	defer r.release()
	needsLead := v.joins && !d.looksEverywhere()
	r.steps = v.steps(p, r.steps[:0])
	if len(r.steps) == 0 || needsLead && !r.mayLead(d.index, p, v.onlyMarked) {
		return nil
	}
	r.read(p)
	if r.carry(d.index, p.sights); v.onlyMarked && !hasMarked(&r.plain) {
		return nil
	}
	if !v.nests {
		number++
	}
	return r.back(join(d.search(&r.plain, r.encodedTexts(), depth+1, number)))
}

func overlaps(list []Match, m Match) bool {
	return slices.ContainsFunc(list, func(other Match) bool { return m.Start < other.End && m.End > other.Start })
}

// findPlain returns the secrets in a text as it is written.
func (d *Detector) findPlain(p *page) []Match {
	f := finder{text: p.text}
	for _, s := range p.sights {
		for _, r := range s.keyword.rules {
			f.consider(r, s.at, len(s.keyword.text))
		}
	}
	f.finish()
	for _, r := range d.loose {
		f.list = r.matchAll(f.list, p.text)
	}
	d.literals.Find(p.text, func(start, end int, r *Rule) {
		if m := (Match{start, end, r}); r.isSecret(p.text, m, start) {
			f.list = append(f.list, m)
		}
	})
	return f.list
}

// hasMarked reports whether a text has a key that begins with a mark.
func hasMarked(p *page) bool {
	f := finder{text: p.text}
	for _, s := range p.sights {
		for _, r := range s.keyword.rules {
			if r.isMarked {
				f.consider(r, s.at, len(s.keyword.text))
			}
		}
	}
	f.finish()
	return len(f.list) > 0
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

// finish runs the patterns that still wait for a next keyword.
func (f *finder) finish() {
	for r, lead := range f.waiting {
		f.match(r, lead, len(f.text))
	}
}

// match runs the pattern of a rule up to a limit.
func (f *finder) match(r *Rule, l lead, limit int) {
	if r.find != nil {
		for _, place := range r.find(f.text, l.at) {
			if m := (Match{place.start, place.end, r}); r.isSecret(f.text, m, l.at) {
				f.list = append(f.list, m)
			}
		}
		return
	}
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

// addRule adds a rule that the keyword leads to.
func (k *keyword) addRule(r *Rule) { k.rules = append(slices.Clip(k.rules), r) }
