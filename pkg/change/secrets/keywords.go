package secrets

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"clawctl/pkg/jsontext"
)

// An index finds keywords in a text. Every keyword is known by one gram, which is four bytes in a row, or three if it
// has no more: the one that is probably the rarest in transcripts. A sieve finds the places where a gram may be, many
// at a time, and chains say which keywords have the gram. Case does not count for grams.
type index struct {
	sieve    sieve
	first    [2][gramSlots]uint16 // for short and long grams and every slot, 1 + the first place, or 0
	places   []gramPlace
	keywords []keyword
	longest  int // length of a keyword
	// triples are of the keywords that lead to rules, and markedTriples of those that marked keys begin with.
	triples, markedTriples tripleSet
}

// A keyword is a text that leads to rules.
type keyword struct {
	text  string // in lower case if case does not count
	fold  bool
	rules []*Rule
	looks []look // of the rules
	kind  keywordKind
	names bool // it is in the names of secrets

	isMarked bool // marked keys begin with it
}

// A keywordKind says what a keyword means.
type keywordKind uint8

const (
	leadsToRules keywordKind = iota
	hidesText                // an escape that may hide a keyword: the string must be decoded
)

// A gramPlace says that a gram is in a keyword, so many bytes after its start.
type gramPlace struct {
	gram, mask uint32 // in lower case, and which of its bits count
	head       uint32 // the same for the beginning of the keyword, of which all bits count that count in the gram
	keyword    uint16
	next       uint16 // 1 + the next place of the same slot, or 0
	offset     uint8
}

const (
	gramSize  = 4
	gramBits  = 13
	gramSlots = 1 << gramBits
	foldCase  = 0x20202020

	// The sieve has several bits for every slot, and lets less through.
	seenBits  = 16
	seenShift = 32 - seenBits
	seenBytes = 1 << seenBits / 8
)

// slotsOf returns the slots of the short and of the long gram that four bytes begin with.
func slotsOf(gram uint32) [2]uint32 {
	bits := seenOf(gram)
	return [2]uint32{bits[0] >> (seenBits - gramBits), bits[1] >> (seenBits - gramBits)}
}

// seenOf returns the bits of the sieve for the short and for the long gram that four bytes begin with.
func seenOf(gram uint32) [2]uint32 {
	const multiplier = 0x9e3779b1
	gram |= foldCase
	return [2]uint32{gram & 0xffffff * multiplier >> seenShift, gram * multiplier >> seenShift}
}

// gramAt returns the four bytes at an index of a text, or zeros after its end.
func gramAt(text []byte, i int) uint32 {
	if i+gramSize <= len(text) {
		return binary.LittleEndian.Uint32(text[i:])
	}
	var gram [gramSize]byte
	copy(gram[:], text[i:])
	return binary.LittleEndian.Uint32(gram[:])
}

// newIndex returns an index of keywords of at least three bytes. Those without a planned gram choose one when the
// others are known.
func newIndex(keywords []keyword) *index {
	x := &index{keywords: keywords}
	slices.SortStableFunc(x.keywords, func(a, b keyword) int {
		return cmp.Compare(min(len(a.text), gramSize+1), min(len(b.text), gramSize+1))
	})
	p := planOf(bucketCount)
	var others []int
	for i, k := range x.keywords {
		if c, ok := p.choose(k.text, k.fold); ok {
			x.add(i, c)
		} else {
			others = append(others, i)
		}
	}
	for _, i := range others {
		x.add(i, x.sieve.choose(x.keywords[i].text, x.keywords[i].fold, bucketCount))
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

// crowded is how many keywords may have the gram of another one that is added. Thousands of keys may begin alike.
const crowded = 4

// append adds a keyword that is not in the table.
func (x *index) append(k keyword) {
	x.keywords = append(x.keywords, k)
	c := x.sieve.choose(k.text, k.fold, bucketCount)
	if len(k.text) > gramSize && x.sharing(c.gram, crowded) == crowded {
		at := x.leastShared(k.text)
		c = x.sieve.choose(k.text[at:at+gramSize], k.fold, bucketCount)
		c.offset = at
	}
	x.add(len(x.keywords)-1, c)
}

// leastShared returns where a keyword of more than four bytes has the gram that the fewest others share.
func (x *index) leastShared(keyword string) (best int) {
	fewest := len(x.places) + 1
	for at := range min(len(keyword)-gramSize, math.MaxUint8) + 1 {
		if n := x.sharing(keyword[at:at+gramSize], fewest); n < fewest {
			best, fewest = at, n
		}
	}
	return best
}

// sharing counts the keywords in the slot of a gram, up to a limit.
func (x *index) sharing(gram string, limit int) (n int) {
	long := len(gram) - (gramSize - 1)
	slot := slotsOf(gramAt([]byte(gram), 0))[long]
	for at := x.first[long][slot]; at > 0 && n < limit; at = x.places[at-1].next {
		n++
	}
	return n
}

// add enters one keyword.
func (x *index) add(number int, c choice) {
	if k := &x.keywords[number]; len(k.rules) > 0 {
		k.looks = looksOf(k.rules)
		x.longest = max(x.longest, len(k.text))
		x.triples.add(k.text)
		if k.isMarked = slices.ContainsFunc(k.rules, func(r *Rule) bool { return r.isMarked }); k.isMarked {
			x.markedTriples.add(k.text)
		}
	}
	x.sieve.admit(c)
	x.sieve.buckets[c.bucket].count(c)
	long := len(c.gram) - (gramSize - 1)
	gram, mask := gramAt([]byte(c.gram), 0), uint32(0xffffff)|uint32(long)<<24*0xff
	slot := slotsOf(gram)[long]
	place := gramPlace{
		gram: (gram | foldCase) & mask, head: (gramAt([]byte(x.keywords[number].text), 0) | foldCase) & mask, mask: mask,
		keyword: uint16(number), next: x.first[long][slot], offset: uint8(c.offset),
	}
	x.places = append(x.places, place)
	x.first[long][slot] = uint16(len(x.places))
	bit := seenOf(gram)[long]
	x.sieve.seen[long][bit/32] |= 1 << (bit % 32)
}

// each calls yield with every keyword in a text and where it begins, until yield returns false. Keywords come in the
// order of their grams. It skips images and other data in base64.
func (x *index) each(text []byte, yield func(k *keyword, at int) bool) {
	var places [siftPlaces]uint16
	for i := 0; i < len(text); {
		if mayBeData(text[i:]) {
			if run := jsontext.DataRun(text[i:]); run > maxLength {
				i += run - leftWindow
			}
		}
		n, next := x.sieve.sift(text, i, &places)
		for _, place := range places[:n] {
			if !x.visit(text, i+int(place), yield) {
				return
			}
		}
		i = next
	}
}

// visit calls yield with the keywords that have the gram at an index.
func (x *index) visit(text []byte, i int, yield func(k *keyword, at int) bool) bool {
	gram := gramAt(text, i)
	for long, slot := range slotsOf(gram) {
		for at := x.first[long][slot]; at > 0; at = x.places[at-1].next {
			p := &x.places[at-1]
			start := i - int(p.offset)
			if (gram|foldCase)&p.mask != p.gram || start < 0 || (gramAt(text, start)|foldCase)&p.mask != p.head {
				continue // another gram of the slot, or another word with the gram
			}
			if k := &x.keywords[p.keyword]; k.isAt(text[start:]) && !yield(k, start) {
				return false
			}
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

// A sieve finds the places of a text where one of its grams may begin: those whose slot is seen. Vector instructions
// look at many places at once, and find those that may have a gram: every gram is in one of a few buckets, and for each
// of the four bytes, two tables say by the halves of a byte which buckets have it there, as a bit for each bucket. A
// gram of a bucket may begin where its bit is set for all halves. Hyperscan calls this algorithm Teddy.
type sieve struct {
	tables  [gramSize][2][16]byte
	seen    [2][seenBytes / 4]uint32                   // bits of short and of long grams
	rows    [gramSize][4][16]byte                      // the buckets of every class, which let fewer places through
	wide    [gramSize][classCount]uint16               // the same with twice as many buckets
	deep    [gramSize][maxBuckets / 8][classCount]byte // and with four times as many
	buckets [maxBuckets]bucket
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

// admit lets a gram through.
func (s *sieve) admit(c choice) {
	for p := range gramSize {
		c.eachByte(p, func(b byte) {
			class, bit := classOf(b), byte(1)<<(c.bucket%8)
			s.wide[p][class] |= 1 << (c.bucket % 16)
			s.deep[p][c.bucket/8][class] |= bit
			s.rows[p][class>>4][class&15] |= bit
			s.tables[p][0][b&15] |= bit
			s.tables[p][1][b>>4] |= bit
		})
	}
}

// A choice is the gram by which a keyword is found, where it begins in the keyword, and its bucket.
type choice struct {
	gram           string
	fold           bool
	offset, bucket int
}

// eachByte calls yield with the bytes that may be at a place of the gram. A gram of three bytes may have any byte after
// it.
func (c *choice) eachByte(p int, yield func(b byte)) {
	if p >= len(c.gram) {
		for b := range 256 {
			yield(byte(b))
		}
		return
	}
	yield(c.gram[p])
	if c.fold && isLetter(c.gram[p]) {
		yield(c.gram[p] ^ 0x20)
	}
}

// maxBuckets is the maximum number of buckets, and a multiple of 8.
const maxBuckets = 32

// The sieve looks at siftSize bytes of a text at once, in blocks, and lists what it finds. The list has room for more,
// because vector code writes before it counts.
const (
	blockSize  = 32
	wideBlock  = 64 // with wide tables
	siftSize   = 32 * blockSize
	siftPlaces = siftSize + 32
)

// choose chooses a gram and a bucket for a keyword: those that let the fewest other places through.
func (s *sieve) choose(keyword string, fold bool, buckets int) choice {
	var best choice
	least := math.Inf(1)
	for i, gram := range gramsOf(keyword) {
		price := 0.0
		if isEveryday(gram) {
			price = 1
		}
		for b := range buckets {
			if more := price + s.buckets[b].rateWith(gram) - s.buckets[b].rate(); more < least {
				least, best = more, choice{gram, fold, i, b}
			}
		}
	}
	return best
}

// everyday has words that are in every line of a transcript, and frequent ones of people and programs. Their grams are
// taken for keywords that have no others.
const everyday = "parentid timestamp content message text type result user path configuration config passes passed " +
	"function value return string error errorf import package print file line command this that with from have will " +
	"your login log in session account access address process source resource response register default docker " +
	"hook test private identifier author certificate ---- http sign require defined by build base64 make password " +
	"keys github configure redirect _key secret aaaa variable"

// A gramSet is a set of slots of grams.
type gramSet [gramSlots]bool

// everydayGrams has the grams of everyday words.
var everydayGrams = sync.OnceValue(func() *gramSet {
	set := new(gramSet)
	for i := range len(everyday) - gramSize + 1 {
		set[slotsOf(gramAt([]byte(everyday[i:i+gramSize]), 0))[1]] = true
	}
	return set
})

// farthestGram is how much of a keyword is considered. More would cost time and gain nothing.
const farthestGram = 12

// A bucket knows the bytes of its grams, for every byte of a gram.
type bucket [gramSize]column

// A column says of every class of bytes whether grams have it at one place, and what share of the bytes of a transcript
// they are together.
type column struct {
	has   [classCount]bool
	share float64
}

// classOf returns the class of a byte: those that differ in case only have the same one, and bytes outside ASCII have
// the class of one in it.
func classOf(b byte) byte { return b&31 | b>>1&32 }

const classCount = 64

// shareWith returns the share with one more byte.
func (c *column) shareWith(b byte) float64 {
	if c.has[classOf(b)] {
		return c.share
	}
	return c.share + shares[classOf(b)]
}

// count adds a gram to the bucket.
func (b *bucket) count(c choice) {
	for p := range min(gramSize, len(c.gram)) {
		b[p].share = b[p].shareWith(c.gram[p])
		b[p].has[classOf(c.gram[p])] = true
	}
	if len(c.gram) < gramSize {
		b[gramSize-1].share = 1
	}
}

// rate estimates at how many places of a text the bucket sees a gram.
func (b *bucket) rate() float64 {
	product := 1.0
	for p := range b {
		product *= min(1, b[p].share)
	}
	return product
}

// rateWith is rate with one more gram.
func (b *bucket) rateWith(gram string) float64 {
	product := 1.0
	for p := range b {
		share := 1.0
		if p < len(gram) {
			share = b[p].shareWith(gram[p])
		}
		product *= min(1, share)
	}
	return product
}

// frequent lists the characters of transcripts, the most frequent first.
const frequent = ` tenrosai\"lcd0m/pufgh:,21b4y6wA359.7v8xkTCESRIONPLFDM-BGUWZzqVHj+KYXQJ()={}_*'[];` +
	"`#&%|>!<$@?^~"

// shares estimates how many of the bytes of a transcript are of each class.
var shares = func() (list [classCount]float64) {
	share := 0.07
	for _, c := range []byte(frequent) {
		list[classOf(c)] += share
		share *= 0.94
	}
	for c := range list {
		list[c] = max(list[c], rarest)
	}
	return list
}()

// rarest is the share of characters that transcripts hardly have.
const rarest = 1e-5

// siftGo is sift without vector instructions.
func (s *sieve) siftGo(text []byte, from int, places *[siftPlaces]uint16) (n, next int) {
	next = min(from+siftSize, len(text))
	for i := from; i < next; i++ {
		if s.mayBegin(gramAt(text, i)) {
			places[n] = uint16(i - from)
			n++
		}
	}
	return n, next
}

// mayBegin reports whether four bytes may begin with a gram.
func (s *sieve) mayBegin(gram uint32) bool {
	bits := seenOf(gram)
	return (s.seen[0][bits[0]/32]>>(bits[0]%32)|s.seen[1][bits[1]/32]>>(bits[1]%32))&1 != 0
}
