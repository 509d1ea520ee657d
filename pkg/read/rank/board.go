package rank

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"

	"clawctl/internal/textid"
)

// k1 and b are the constants of BM25: how much length counts, and how fast. whole is how much the whole text counts
// beside its best sentence.
const (
	k1    = 1.2
	b     = 0.75
	whole = 0.35
)

// A Text is a text with words of the query.
type Text struct {
	ID     int       // whatever the caller knows it by
	Time   time.Time // newer ones come first if scores are equal
	Digest textid.ID // equal texts count once
	Weight Weight
	Score  float64
	Start  int // of the best sentence
	End    int
}

// A Board collects texts, and tells which are the best.
type Board struct {
	Query *Query
	Texts int // how many texts there are, also without words of the query
	list  []Text
	seen  map[textid.ID]int
}

// Add adds a text. One that was there already counts once, with its newest time.
func (c *Board) Add(t Text) {
	if c.seen == nil {
		c.seen = map[textid.ID]int{}
	}
	if i, ok := c.seen[t.Digest]; ok {
		if t.Time.After(c.list[i].Time) {
			c.list[i] = t
		}
		return
	}
	c.seen[t.Digest] = len(c.list)
	c.list = append(c.list, t)
}

// Len returns the number of different texts.
func (c *Board) Len() int { return len(c.list) }

// Best returns the best texts, the best one first.
func (c *Board) Best(limit int) []Text {
	scale := c.scale()
	for i := range c.list {
		scale.score(&c.list[i])
	}
	slices.SortFunc(c.list, func(a, b Text) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Time.Compare(a.Time), cmp.Compare(a.ID, b.ID))
	})
	c.seen = nil
	return c.list[:min(limit, len(c.list))]
}

// A scale turns weights into scores.
type scale struct {
	rarity           [maxTerms]float64
	length, sentence float64 // on average
}

// scale counts the words in all texts.
func (c *Board) scale() scale {
	var s scale
	var found [maxTerms]int
	lengths, sentenceLengths, sentences := 0, 0, 0
	for _, t := range c.list {
		for mask := t.Weight.Mask; mask != 0; mask &= mask - 1 {
			found[bits.TrailingZeros32(mask)]++
		}
		lengths += t.Weight.Length
		for _, s := range t.Weight.sentences {
			sentenceLengths, sentences = sentenceLengths+s.length, sentences+1
		}
	}
	texts := float64(max(c.Texts, len(c.list)))
	for i, n := range found {
		s.rarity[i] = math.Log(1 + (texts-float64(n)+0.5)/(float64(n)+0.5))
	}
	s.length = max(1, float64(lengths)/float64(max(1, len(c.list))))
	s.sentence = max(1, float64(sentenceLengths)/float64(max(1, sentences)))
	return s
}

// score gives a text its score and its best sentence.
func (s *scale) score(t *Text) {
	best := 0.0
	for _, sentence := range t.Weight.sentences {
		if score := s.of(sentence.mask, float64(sentence.length)/s.sentence); score > best {
			best, t.Start, t.End = score, sentence.start, sentence.end
		}
	}
	t.Score = best + whole*s.of(t.Weight.Mask, float64(t.Weight.Length)/s.length)
}

// of returns the score of BM25 for words that occur once each, in a text of a length compared with the average.
func (s *scale) of(mask uint32, length float64) (score float64) {
	for ; mask != 0; mask &= mask - 1 {
		score += s.rarity[bits.TrailingZeros32(mask)]
	}
	return score * (k1 + 1) / (1 + k1*(1-b+b*length))
}
