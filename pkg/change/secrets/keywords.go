package secrets

import (
	"math"
	"slices"
	"strings"

	"clawctl/pkg/jsontext"
)

// An index finds keywords in a text. Three bytes of every keyword lead to it, those that are probably the rarest in
// transcripts, and a table of their hashes passes over most places of a text. Case does not count for the three bytes.
// The table lets a megabyte through in one to two milliseconds. Aho-Corasick automata were tried, and take ten times as
// long.
type index struct {
	grams    gramSet           // that lead to keywords
	first    [gramSlots]uint16 // for every hash, 1 + the first place, or 0
	places   []gramPlace
	keywords []keyword
	longest  int // length of a keyword
	// all has every three bytes of keywords, and marked those of the keywords that marked keys begin with.
	all, marked gramSet
}

// A keyword is a text that leads to rules.
type keyword struct {
	text  string // in lower case if case does not count
	fold  bool
	rules []*Rule

	isMarked bool // marked keys begin with it
}

// A gramPlace says that a gram is in a keyword, so many bytes after its start.
type gramPlace struct {
	gram    uint32 // in lower case
	keyword uint16
	next    uint16 // 1 + the next place of the same hash, or 0
	offset  uint8
}

const (
	gramSize  = 3
	gramBits  = 16
	gramSlots = 1 << gramBits
	foldCase  = 0x202020
	gramMask  = 0xffffff
)

// A gramSet has the hashes of grams.
type gramSet [gramSlots / 64]uint64

func (s *gramSet) add(gram uint32) {
	slot := slotOf(gram)
	s[slot/64] |= 1 << (slot % 64)
}

func (s *gramSet) has(gram uint32) bool {
	slot := slotOf(gram)
	return s[slot/64]>>(slot%64)&1 != 0
}

// slotOf returns the hash of a gram.
func slotOf(gram uint32) uint32 {
	const multiplier = 0x9e3779b1
	return (gram & gramMask) * multiplier >> (32 - gramBits)
}

// gramAt returns the gram at an index of a text, which has more bytes than that.
func gramAt[T []byte | string](text T, i int) uint32 {
	return (uint32(text[i]) | uint32(text[i+1])<<8 | uint32(text[i+2])<<16) | foldCase
}

// newIndex returns an index of keywords of at least three bytes.
func newIndex(keywords []keyword) *index {
	x := &index{}
	for _, k := range keywords {
		x.append(k)
	}
	return x
}

// clone returns a copy to which keywords can be added.
func (x *index) clone() *index {
	c := *x
	c.places, c.keywords = slices.Clone(x.places), slices.Clone(x.keywords)
	return &c
}

// mostKeywords is how many keywords an index has room for.
const mostKeywords = math.MaxUint16 - 1

// append adds a keyword that is not in the index.
func (x *index) append(k keyword) {
	at := x.chooseGram(k.text)
	for i := range len(k.text) - gramSize + 1 {
		x.all.add(gramAt(k.text, i))
	}
	if k.isMarked = slices.ContainsFunc(k.rules, func(r *Rule) bool { return r.isMarked }); k.isMarked {
		for i := range len(k.text) - gramSize + 1 {
			x.marked.add(gramAt(k.text, i))
		}
	}
	x.longest = max(x.longest, len(k.text))
	gram := gramAt(k.text, at)
	slot := slotOf(gram)
	x.grams.add(gram)
	x.places = append(x.places, gramPlace{
		gram: gram, keyword: uint16(len(x.keywords)), next: x.first[slot], offset: uint8(at),
	})
	x.first[slot] = uint16(len(x.places))
	x.keywords = append(x.keywords, k)
}

// The grams of a keyword that are considered, and how many keywords with the same gram are counted: thousands of keys
// that users name may begin alike.
const (
	farthestGram = 64
	mostSharing  = 64
)

// chooseGram returns where a keyword has the gram that leads to the fewest places in vain.
func (x *index) chooseGram(keyword string) (best int) {
	least := math.Inf(1)
	for i := range min(len(keyword), farthestGram) - gramSize + 1 {
		price := share(keyword[i]) * share(keyword[i+1]) * share(keyword[i+2])
		sharing := 1
		for at := x.first[slotOf(gramAt(keyword, i))]; at > 0 && sharing < mostSharing; at = x.places[at-1].next {
			sharing++
		}
		if price *= float64(sharing); price < least {
			best, least = i, price
		}
	}
	return best
}

// frequent lists the characters of transcripts, the most frequent first.
const frequent = ` tenrosai\"lcd0m/pufgh:,21b4y6w359.7v8xk-zqj()={}_*'[];` + "`#&%|>!<$@?^~+"

// share estimates which part of the bytes of a transcript one is.
func share(c byte) float64 {
	if isLetter(c) {
		c |= 0x20
	}
	if at := strings.IndexByte(frequent, c); at >= 0 {
		return 0.07 * math.Pow(0.94, float64(at))
	}
	return 1e-4
}

// each calls yield with every keyword in a text and where it begins, until yield returns false. Keywords come in the
// order of their grams. It skips images and other data in base64.
func (x *index) each(text []byte, yield func(k *keyword, at int) bool) {
	for from := 0; from+gramSize <= len(text); {
		if mayBeData(text[from:]) {
			if run := jsontext.DataRun(text[from:]); run > maxLength {
				from += run - leftWindow
				continue
			}
		}
		end := min(from+maxLength, len(text)-gramSize+1)
		gram := uint32(text[from])<<8 | uint32(text[from+1])<<16
		for i, c := range text[from+gramSize-1 : end+gramSize-1] {
			gram = gram>>8 | uint32(c)<<16
			if x.grams.has(gram|foldCase) && !x.visit(text, from+i, yield) {
				return
			}
		}
		from = end
	}
}

// visit calls yield with the keywords that have the gram at an index.
func (x *index) visit(text []byte, i int, yield func(k *keyword, at int) bool) bool {
	gram := gramAt(text, i)
	for at := x.first[slotOf(gram)]; at > 0; at = x.places[at-1].next {
		p := &x.places[at-1]
		start := i - int(p.offset)
		if gram != p.gram || start < 0 {
			continue // another gram with the same hash
		}
		if k := &x.keywords[p.keyword]; k.isAt(text[start:]) && !yield(k, start) {
			return false
		}
	}
	return true
}

// isAt reports whether a text begins with the keyword.
func (k *keyword) isAt(text []byte) bool {
	if len(text) < len(k.text) {
		return false
	}
	if !k.fold {
		return string(text[:len(k.text)]) == k.text
	}
	for i := range len(k.text) {
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != k.text[i] {
			return false
		}
	}
	return true
}

// mayBeData is a quick look whether a text begins with more than maxLength bytes of base64.
func mayBeData(text []byte) bool {
	if len(text) <= maxLength {
		return false
	}
	for i := 0; i < maxLength; i += maxLength / 8 {
		if !jsontext.IsData(text[i]) {
			return false
		}
	}
	return true
}
