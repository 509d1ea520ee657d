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
}

// NewDetector returns a detector with the rules of the table and further ones.
func NewDetector(more ...*Rule) *Detector { return standard().With(more...) }

// With returns a detector with further rules.
func (d *Detector) With(more ...*Rule) *Detector {
	if len(more) == 0 {
		return d
	}
	d = d.Clone()
	d.Add(more...)
	return d
}

// Clone returns a detector with the same rules, to which its only user can add more.
func (d *Detector) Clone() *Detector {
	return &Detector{index: d.index.clone(), loose: slices.Clone(d.loose), literals: d.literals.clone()}
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
		if at, ok := d.known[k]; ok && d.index.keywords[at].kind == leadsToRules && d.index.keywords[at].fold == r.Fold {
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
		keywords = append(keywords, keyword{
			text: k, fold: leads[k][0].Fold, rules: leads[k], names: k == "cookie" || slices.Contains(secretNames, k),
		})
	}
	for _, k := range hiding {
		keywords = append(keywords, keyword{text: k, fold: true, kind: hidesText})
	}
	keywords = append(keywords,
		keyword{text: "+--", kind: hidesText, looks: []look{{gate: isBeforeName}}},
		keyword{text: "  value: ", fold: true, kind: hidesText, looks: []look{{gate: isBeforeValue}}})
	return &Detector{index: newIndex(keywords)}
}

// hiding are the beginnings of escapes that stand for an ASCII character, slashes as some programs escape them, and
// signs as they are in URLs and in HTML. A keyword or the sign after it may be behind one of them. The end of a line
// may break a name before a value.
var hiding = []string{
	`\/\/`, `\u002`, `\u003`, `\u004`, `\u005`, `\u006`, `\u007`, "%09", "%1b", "%22", "%27", "%3a", "%3d", "%3e", "%7c",
	"%252", "%253", "%26lt", "%26quot", "token%24", "1%2f%2f", "%20-", "%20by%20", "%20login%20", "%20set%20", "%20env%20",
	"private%20key", "&quot;", "&#34;", "&#39;", "+-p", "+-a+", "+-b+", "+-u+", "+-w+", "+-s", "+-k", "+by+'", "+login+",
	"+password+", "+set+", "=env+", "+env+", "private+key", "requirepass+",
}

// A Leak is a string of a JSON text that has secrets.
type Leak struct {
	Start, End int     // of the string, without its quotes
	Text       []byte  // decoded
	Matches    []Match // in Text
}

// Strings calls yield with every string of a JSON text that has secrets, until yield returns false.
func (d *Detector) Strings(raw []byte, yield func(Leak) bool) {
	if len(d.loose) > 0 || len(d.literals.All()) > 0 {
		d.scanAll(raw, yield)
	} else {
		d.scan(raw, yield)
	}
}

// scan is Strings for rules with keywords.
func (d *Detector) scan(raw []byte, yield func(Leak) bool) {
	s := scanner{detector: d, raw: raw, encoded: encodedTexts(raw), yield: yield}
	d.index.each(raw, s.keyword)
	s.rest()
}

// A scanner looks at the strings of a JSON text that a keyword or a value in an encoding leads to.
type scanner struct {
	detector   *Detector
	raw        []byte
	encoded    []span // words that are a text in base64, in order
	start, end int    // the last string that was looked for
	done       int    // where the last string ends that was looked at
	stopped    bool
	yield      func(Leak) bool
}

// keyword looks at the string with a keyword, and at the value that the string is the name of, also if another keyword
// has led to the string before.
func (s *scanner) keyword(k *keyword, at int) bool {
	if at < s.done && !k.names || !k.mayLead(s.raw, at) {
		return true
	}
	if at >= s.end {
		s.start, s.end = jsontext.StringAt(s.raw, at)
	}
	start, end := s.start, s.end
	if k.mayLead(s.raw[:end], at) {
		if !s.look(start, end, false) {
			return false
		}
	}
	if !k.names {
		return true
	}
	for _, value := range namedValues(s.raw, start, end) {
		if !s.look(value.start, value.end, true) {
			return false
		}
	}
	return true
}

// look looks at a string, after those before it that have a text in base64.
func (s *scanner) look(start, end int, named bool) bool {
	for !s.stopped && len(s.encoded) > 0 && s.encoded[0].end < start {
		first, last := jsontext.StringAt(s.raw, s.encoded[0].start)
		s.inspect(first, last, false)
	}
	if !s.stopped && start >= s.done {
		s.inspect(start, end, named)
	}
	return !s.stopped
}

// rest looks at the strings after the last keyword.
func (s *scanner) rest() {
	for !s.stopped && len(s.encoded) > 0 {
		first, last := jsontext.StringAt(s.raw, s.encoded[0].start)
		s.inspect(first, last, false)
	}
}

// inspect looks at one string.
func (s *scanner) inspect(start, end int, named bool) {
	for len(s.encoded) > 0 && s.encoded[0].start < end {
		s.encoded = s.encoded[1:]
	}
	s.done = end
	s.stopped = !s.detector.inspect(s.raw, start, end, named, s.yield)
}

// scanAll looks at every string, and at the numbers between them.
func (d *Detector) scanAll(raw []byte, yield func(Leak) bool) {
	s := scanner{detector: d, raw: raw, yield: yield}
	numbers := &Detector{index: d.index} // loose rules have forms that numbers have by chance
	named := map[int]bool{}              // where values begin whose names say that they are secret
	isString := false
	for start := 0; start < len(raw) && !s.stopped; isString = !isString {
		end := jsontext.StringEnd(raw, start)
		if isString {
			for _, value := range namedValues(raw, start, end) {
				named[value.start] = true
			}
			s.inspect(start, end, named[start])
		} else {
			s.stopped = !numbers.inspect(raw, start, end, false, yield)
		}
		start = end + 1
	}
}

// inspect calls yield if there is a secret in a string: by its text, because of its name, or in an encoding. It returns
// false if yield does.
func (d *Detector) inspect(raw []byte, start, end int, named bool, yield func(Leak) bool) bool {
	text := raw[start:end]
	var buffer *[]byte
	if bytes.IndexByte(text, '\\') >= 0 {
		buffer = buffers.Get().(*[]byte)
		text = jsontext.Decode((*buffer)[:0], text)
	}
	matches := d.findIn(text, 0)
	if named {
		matches = append(matches, Match{0, len(text), fieldRule()})
	}
	if len(matches) > 0 {
		return yield(Leak{start, end, text, join(matches)}) // the text is the caller's now
	}
	if buffer != nil {
		if cap(text) <= maxBuffer {
			*buffer = text
		}
		buffers.Put(buffer)
	}
	return true
}

// buffers hold decoded strings without secrets, one after another. Buffers larger than maxBuffer are not kept.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxBuffer = 256 << 10

// Find returns the secrets in a decoded text, in order and without overlaps. It looks at every byte a few times at
// most, whatever the text says.
func (d *Detector) Find(text []byte) []Match { return join(d.findIn(text, 0)) }

// findIn returns the secrets in a text, and in what is encoded in it.
func (d *Detector) findIn(text []byte, depth int) []Match {
	p := pages.Get().(*page)
	defer pages.Put(p)
	p.open(text)
	p.sights = d.index.appendSights(p.sights, text, 0)
	found := d.search(p, depth, 0)
	p.text = nil
	return found
}

// search is findIn for a page. Views before the first are not tried again.
func (d *Detector) search(p *page, depth, first int) []Match {
	list := d.findPlain(p)
	if depth == deepestView {
		return list
	}
	list = d.appendEncoded(list, p.text, depth)
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
	if v.onlyMarked && !v.mayMark(d.index, p) {
		return nil
	}
	r := readings.Get().(*reading)
	defer r.release()
	if r.read(v, p); len(r.steps) == 0 {
		return nil
	}
	if r.carry(d.index, p.sights); v.onlyMarked && !hasMarked(&r.plain) {
		return nil
	}
	if !v.nests {
		number++
	}
	return r.back(join(d.search(&r.plain, depth+1, number)))
}

func overlaps(list []Match, m Match) bool {
	return slices.ContainsFunc(list, func(other Match) bool { return m.Start < other.End && m.End > other.Start })
}

// findPlain returns the secrets in a text as it is written.
func (d *Detector) findPlain(p *page) []Match {
	f := finder{text: p.text}
	for _, s := range p.sights {
		if !s.keyword.mayLead(p.text, s.at) {
			continue
		}
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

// mayLead reports whether any rule of a keyword may match at an index of a raw text. What hides text may be before
// anything.
func (k *keyword) mayLead(raw []byte, at int) bool {
	if len(k.looks) == 0 {
		return true
	}
	for i := range k.looks {
		if k.looks[i].mayMatch(raw, at, len(k.text)) {
			return true
		}
	}
	return false
}

// isBeforeName is a quick look whether a keyword is the beginning of a flag, and not of the border of a table.
func isBeforeName(text []byte, at, length int) bool {
	i := skip(text, at+length, "-", maxName)
	return i < len(text) && isLetter(text[i])
}

// isBeforeValue is a quick look whether a keyword is before something that may be a secret.
func isBeforeValue(text []byte, at, length int) bool {
	start := fillerEnd(text, at+length)
	return start >= 0 && mayBeValue(text, start)
}

// addRule adds a rule that the keyword leads to.
func (k *keyword) addRule(r *Rule) {
	k.rules = append(slices.Clip(k.rules), r)
	k.looks = looksOf(k.rules)
}
