package secrets

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// An index finds keywords in a text. Every keyword is known by one gram, which is four bytes in a row, or three if it
// has no more: the one that is probably the rarest in transcripts. A sieve finds the places where a gram may be, many
// at a time, and chains say which keywords have the gram. Case does not count for grams.
type index struct {
	sieve    sieve
	first    [2][gramSlots]uint16 // for short and long grams and every slot, 1 + the first place, or 0
	places   []gramPlace
	keywords []keyword
}

// A keyword is a text that leads to rules.
type keyword struct {
	text  string // in lower case if case does not count
	fold  bool
	rules []*Rule
	kind  keywordKind
	names bool // it is in the names of secrets
}

// A keywordKind says what a keyword means.
type keywordKind uint8

const (
	leadsToRules keywordKind = iota
	hidesText                // an escape that may hide a keyword: the string must be decoded
	isBlanked                // what other programs write in place of a secret
)

// A gramPlace says that a gram is in a keyword, so many bytes after its start.
type gramPlace struct {
	gram, mask uint32 // in lower case, and which of its bits count
	keyword    uint16
	offset     uint8
	next       uint16 // 1 + the next place of the same slot, or 0
}

const (
	gramSize  = 4
	gramBits  = 13
	gramSlots = 1 << gramBits
	foldCase  = 0x20202020
)

// slotsOf returns the slots of the short and of the long gram that four bytes begin with.
func slotsOf(gram uint32) [2]uint32 {
	const multiplier, shift = 0x9e3779b1, 32 - gramBits
	gram |= foldCase
	return [2]uint32{gram & 0xffffff * multiplier >> shift, gram * multiplier >> shift}
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

// newIndex returns an index of keywords of at least three bytes. Those with the fewest grams choose first.
func newIndex(keywords []keyword) *index {
	x := &index{keywords: keywords}
	slices.SortStableFunc(x.keywords, func(a, b keyword) int {
		return cmp.Compare(min(len(a.text), gramSize+1), min(len(b.text), gramSize+1))
	})
	for i, k := range x.keywords {
		x.add(uint16(i), k)
	}
	x.sieve.fill()
	return x
}

// clone returns a copy to which keywords can be added.
func (x *index) clone() *index {
	c := *x
	c.places, c.keywords = slices.Clone(x.places), slices.Clone(x.keywords)
	return &c
}

// append adds a keyword. The sieve must be filled after the last one.
func (x *index) append(k keyword) {
	x.keywords = append(x.keywords, k)
	x.add(uint16(len(x.keywords)-1), k)
}

// add enters one keyword.
func (x *index) add(number uint16, k keyword) {
	offset := x.sieve.add(k.text, k.fold)
	long := min(len(k.text), gramSize) - (gramSize - 1)
	gram, mask := gramAt([]byte(k.text), offset), uint32(0xffffff)|uint32(long)<<24*0xff
	slot := slotsOf(gram)[long]
	x.places = append(x.places, gramPlace{(gram | foldCase) & mask, mask, number, uint8(offset), x.first[long][slot]})
	x.first[long][slot] = uint16(len(x.places))
	x.sieve.seen[long][slot/32] |= 1 << (slot % 32)
}

// each calls yield with every keyword in a text and where it begins, until yield returns false. Keywords come in the
// order of their grams. It skips images and other data in base64.
func (x *index) each(text []byte, yield func(k *keyword, at int) bool) {
	var places [siftPlaces]uint16
	for i := 0; i < len(text); {
		if mayBeData(text[i:]) {
			if run := dataRun(text[i:]); run > maxLength {
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
			if (gram|foldCase)&p.mask != p.gram {
				continue // another gram of the slot
			}
			k := &x.keywords[p.keyword]
			if start := i - int(p.offset); start >= 0 && k.isAt(text[start:]) && !yield(k, start) {
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
// look at many places at once, and find those that may have a gram: every gram is in one of eight buckets, and for each
// of the four bytes, two tables say by the halves of a byte which buckets have it there, as a bit for each bucket. A
// gram of a bucket may begin where its bit is set for all halves. Hyperscan calls this algorithm Teddy.
type sieve struct {
	tables  [gramSize][2][16]byte
	seen    [2][gramSlots / 32]uint32 // a bit for every slot of short and of long grams
	wide    [gramSize][128]byte       // the tables for whole bytes, which let fewer places through
	buckets [8]bucket
}

// dataAlphabet has the bytes of base64 as a gram of one byte would be: one bucket for every upper half.
var dataAlphabet = func() (table [2][16]byte) {
	for c := range 128 {
		if isAlnum(byte(c)) || c == '+' || c == '/' {
			table[0][c&15] |= 1 << (c >> 4)
			table[1][c>>4] |= 1 << (c >> 4)
		}
	}
	return table
}()

// mayBeData is a quick look whether a text begins with more than maxLength bytes of base64.
func mayBeData(text []byte) bool {
	if len(text) <= maxLength {
		return false
	}
	for i := 0; i < maxLength; i += maxLength / 8 {
		if !isData(text[i]) {
			return false
		}
	}
	return true
}

// isData reports whether base64 has a byte.
func isData(c byte) bool { return dataAlphabet[0][c&15]&dataAlphabet[1][c>>4] != 0 }

// dataRunGo returns how many bytes of base64 a text begins with.
func dataRunGo(text []byte) int {
	for i, c := range text {
		if !isData(c) {
			return i
		}
	}
	return len(text)
}

// widen adds a gram of a bucket to the wide tables, which do not look at the highest bit of a byte. A gram of three
// bytes may have any byte after it.
func (s *sieve) widen(gram string, fold bool, bucket int) {
	for p := range s.wide {
		table := &s.wide[p]
		if p >= len(gram) {
			for c := range table {
				table[c] |= 1 << bucket
			}
			continue
		}
		table[gram[p]&127] |= 1 << bucket
		if fold && isLetter(gram[p]) {
			table[gram[p]^0x20] |= 1 << bucket
		}
	}
}

// A bucket knows the halves of the bytes of its grams, for every byte of a gram.
type bucket [gramSize][2]uint16

// The sieve looks at siftSize bytes of a text at once, in blocks, and lists what it finds. The list has room for more,
// because vector code writes before it counts.
const (
	blockSize  = 32
	wideBlock  = 64 // with wide tables
	siftSize   = 32 * blockSize
	siftPlaces = siftSize + 32
)

// add adds a gram of a keyword to a bucket: the gram that lets the fewest other places through. It returns where the
// gram begins.
func (s *sieve) add(keyword string, fold bool) (offset int) {
	best, least := math.MaxInt, math.Inf(1)
	for i := range max(1, min(len(keyword), farthestGram)-gramSize+1) {
		gram := keyword[i:min(len(keyword), i+gramSize)]
		b := bucketOf(gram)
		more := s.buckets[b].with(gram, fold).rate() - s.buckets[b].rate()
		if strings.Contains(everyday, strings.ToLower(gram)) {
			b += len(s.buckets)
		}
		if b < best || b == best && more < least {
			offset, best, least = i, b, more
		}
	}
	best %= len(s.buckets)
	gram := keyword[offset:min(len(keyword), offset+gramSize)]
	s.buckets[best] = s.buckets[best].with(gram, fold)
	s.widen(gram, fold, best)
	return offset
}

// everyday is in every line of a transcript. Its grams are taken for keywords that have no others.
const everyday = "parentid timestamp content"

// bucketOf returns the bucket for grams of a form. They let through the less, the lower their number is: the last byte
// alone makes those rare that end with an underscore, a dash or another sign.
func bucketOf(gram string) int {
	last := gram[len(gram)-1]
	switch {
	case len(gram) < gramSize && (last == '-' || last == '_'):
		return 0
	case len(gram) < gramSize:
		return 1
	case last == '_':
		return 2
	case last == '-' && gram[2] != '-':
		return 3
	case last == '.' || last == '=':
		return 4
	case gram[0] == '\\' || !isAlnum(gram[2]): // escapes and the like
		return 5
	case strings.ToLower(gram) != gram:
		return 6
	}
	return 7
}

// farthestGram is how much of a keyword is considered. More would cost time and gain nothing.
const farthestGram = 12

// fill makes the tables from the buckets.
func (s *sieve) fill() {
	for b := range s.buckets {
		for p := range gramSize {
			for half := range 2 {
				for value := range 16 {
					s.tables[p][half][value] |= byte(s.buckets[b][p][half]>>value&1) << b
				}
			}
		}
	}
}

// with returns the bucket with one more gram. A gram of three bytes may have any byte after it.
func (b bucket) with(gram string, fold bool) bucket {
	for p := range gramSize {
		if p >= len(gram) {
			b[p] = [2]uint16{0xffff, 0xffff}
			continue
		}
		b[p][0] |= 1 << (gram[p] & 15)
		b[p][1] |= 1 << (gram[p] >> 4)
		if fold && isLetter(gram[p]) {
			b[p][1] |= 1 << ((gram[p] ^ 0x20) >> 4)
		}
	}
	return b
}

// rate estimates at how many places of a text the bucket sees a gram.
func (b bucket) rate() float64 {
	product := 1.0
	for p := range b {
		sum := 0.0
		for highs := b[p][1] & 0xfc; highs != 0; highs &= highs - 1 { // only ASCII
			row := &shares[bits.TrailingZeros16(highs)]
			for lows := b[p][0]; lows != 0; lows &= lows - 1 {
				sum += row[bits.TrailingZeros16(lows)]
			}
		}
		product *= sum
	}
	return product
}

// frequent lists the characters of transcripts, the most frequent first.
const frequent = ` tenrosai\"lcd0m/pufgh:,21b4y6wA359.7v8xkTCESRIONPLFDM-BGUWZzqVHj+KYXQJ()={}_*'[];` +
	"`#&%|>!<$@?^~"

// shares estimates how many of the bytes of a transcript are each character, by its upper and lower half.
var shares = func() (list [8][16]float64) {
	share := 0.07
	for _, c := range []byte(frequent) {
		list[c>>4][c&15] = share
		share *= 0.94
	}
	return list
}()

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
	slots := slotsOf(gram)
	return (s.seen[0][slots[0]/32]>>(slots[0]%32)|s.seen[1][slots[1]/32]>>(slots[1]%32))&1 != 0
}
