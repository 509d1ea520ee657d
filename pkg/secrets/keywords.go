package secrets

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// An index finds keywords in a text. Every keyword is known by one gram, which is four bytes in a row: the one that is
// probably the rarest in transcripts. A sieve finds the places where a gram may be, many at a time, and a table says
// which keywords have the gram. Case does not count for grams.
type index struct {
	sieve    sieve
	first    [gramSlots]uint16 // for every slot, 1 + the first place, or 0
	places   []gramPlace
	keywords []keyword
}

// A keyword is a text that leads to rules.
type keyword struct {
	text  string // in lower case if case does not count
	fold  bool
	rules []*Rule
	kind  keywordKind
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
	keyword uint16
	offset  uint8
	next    uint16 // 1 + the next place of the same slot, or 0
}

const (
	gramSize  = 4
	gramBits  = 12
	gramSlots = 1 << gramBits
	foldCase  = 0x202020
)

// slotOf returns the slot of the first three bytes of a gram.
func slotOf(gram uint32) uint32 { return (gram | foldCase) & 0xffffff * 0x9e3779b1 >> (32 - gramBits) }

// newIndex returns an index of keywords of at least three bytes. Those with the fewest grams choose first.
func newIndex(keywords []keyword) *index {
	x := &index{keywords: keywords}
	slices.SortStableFunc(x.keywords, func(a, b keyword) int {
		return cmp.Compare(min(len(a.text), gramSize+1), min(len(b.text), gramSize+1))
	})
	for i, k := range x.keywords {
		offset := x.sieve.add(k.text, k.fold)
		slot := slotOf(uint32(k.text[offset]) | uint32(k.text[offset+1])<<8 | uint32(k.text[offset+2])<<16)
		x.places = append(x.places, gramPlace{uint16(i), uint8(offset), x.first[slot]})
		x.first[slot] = uint16(len(x.places))
	}
	x.sieve.fill()
	return x
}

// each calls yield with every keyword in a text and where it begins, until yield returns false. Keywords come in the
// order of their grams.
func (x *index) each(text []byte, yield func(k *keyword, at int) bool) {
	i := 0
	for i < len(text) {
		block, mask := x.sieve.next(text, i)
		for ; mask != 0; mask &= mask - 1 {
			if at := block + bits.TrailingZeros32(mask); x.mayBe(text, at) && !x.visit(text, at, yield) {
				return
			}
		}
		i = block + blockSize
	}
}

// mayBe reports whether a keyword may have the gram at an index.
func (x *index) mayBe(text []byte, i int) bool {
	return i+4 > len(text) || x.first[slotOf(binary.LittleEndian.Uint32(text[i:]))] != 0
}

// visit calls yield with the keywords that have the gram at an index.
func (x *index) visit(text []byte, i int, yield func(k *keyword, at int) bool) bool {
	if i+3 > len(text) {
		return true
	}
	gram := uint32(text[i]) | uint32(text[i+1])<<8 | uint32(text[i+2])<<16
	for at := x.first[slotOf(gram)]; at > 0; at = x.places[at-1].next {
		p := x.places[at-1]
		k := &x.keywords[p.keyword]
		if start := i - int(p.offset); start >= 0 && k.isAt(text[start:]) && !yield(k, start) {
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

// A sieve finds the places of a text where one of its grams may begin. Every gram is in one of eight buckets. For each
// of the four bytes, two tables say by the halves of a byte which buckets have it there, as a bit for each bucket. A
// gram of a bucket may begin where its bit is set for all halves. Hyperscan calls this algorithm Teddy.
type sieve struct {
	tables  [gramSize][2][16]byte
	buckets [8]bucket
}

// A bucket knows the halves of the bytes of its grams, for every byte of a gram.
type bucket [gramSize][2]uint16

// blockSize is how many places the sieve looks at at once.
const blockSize = 32

// add adds a gram of a keyword to a bucket: the gram that lets the fewest other places through. It returns where the
// gram begins.
func (s *sieve) add(keyword string, fold bool) (offset int) {
	best, least := 8, math.Inf(1)
	for i := range max(1, min(len(keyword), farthestGram)-gramSize+1) {
		gram := keyword[i:min(len(keyword), i+gramSize)]
		b := bucketOf(gram)
		more := s.buckets[b].with(gram, fold).rate() - s.buckets[b].rate()
		if b < best || b == best && more < least {
			offset, best, least = i, b, more
		}
	}
	s.buckets[best] = s.buckets[best].with(keyword[offset:min(len(keyword), offset+gramSize)], fold)
	return offset
}

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
	case last == '-':
		return 3
	case !isAlnum(last) && last != ' ':
		return 4
	case gram[1] == 'k': // token, apikey
		return 5
	case strings.ToLower(gram) != gram || last == '0': // and \u00
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

// nextGo is next without vector instructions.
func (s *sieve) nextGo(text []byte, from int) (block int, mask uint32) {
	for block = from; block < len(text); block += blockSize {
		for i := block; i < min(block+blockSize, len(text)-gramSize+2); i++ {
			var gram [gramSize]byte
			if i+gramSize <= len(text) {
				binary.LittleEndian.PutUint32(gram[:], binary.LittleEndian.Uint32(text[i:]))
			} else {
				copy(gram[:], text[i:])
			}
			found := byte(0xff)
			for p, c := range gram {
				found &= s.tables[p][0][c&15] & s.tables[p][1][c>>4]
			}
			if found != 0 {
				mask |= 1 << (i - block)
			}
		}
		if mask != 0 {
			return block, mask
		}
	}
	return block, 0
}
