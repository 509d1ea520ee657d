package secrets

import (
	"flag"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var gramsFrom = flag.String("grams", "", "make grams.txt with the text of a file")

// Every keyword has a planned gram, and every planned gram is needed.
func TestPlans(t *testing.T) {
	for _, buckets := range []int{8, 16, 32} {
		p, used := planOf(buckets), map[string]bool{}
		for _, k := range standard().index.keywords {
			c, ok := p.choose(k.text, k.fold)
			if !ok {
				t.Errorf("%q has no gram among %d buckets: run make grams", k.text, buckets)
			}
			used[c.gram] = true
		}
		for gram := range p {
			if !used[gram] {
				t.Errorf("no keyword uses %q of %d buckets: run make grams", gram, buckets)
			}
		}
	}
}

// The plans let fewer places of other texts through than what keywords choose without them.
func TestPlansLetLessThrough(t *testing.T) {
	var text []byte
	for _, pattern := range []string{"../../../docs/*.md", "*.go", "../../../testdata/*/*.jsonl"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, data[:min(len(data), 10_000)]...)
		}
	}
	keywords := standard().index.keywords
	for _, buckets := range []int{8, 16, 32} {
		var planned, chosen []choice
		var s sieve
		p := planOf(buckets)
		for _, k := range keywords {
			c, _ := p.choose(k.text, k.fold)
			planned = append(planned, c)
			c = s.choose(k.text, k.fold, buckets)
			s.buckets[c.bucket].count(c)
			chosen = append(chosen, c)
		}
		with, without := places(text, planned, buckets), places(text, chosen, buckets)
		t.Logf("%d buckets: %.2f of 64 places, %.2f without a plan", buckets, with, without)
		if with > 0.95*without {
			t.Errorf("%d buckets let %.2f of 64 places through, and %.2f without a plan", buckets, with, without)
		}
	}
}

// places returns how many of 64 places of a text pass the buckets.
func places(text []byte, choices []choice, buckets int) float64 {
	m := newPlanner(text, buckets)
	for _, c := range choices {
		m.put(c.bucket, c.gram, 1)
	}
	passing := make(bitSet, len(m.all))
	for b := range m.buckets {
		for i := range passing {
			passing[i] |= m.buckets[b].passing(i)
		}
	}
	return float64(passing.count()) / float64(len(passing))
}

// TestMakeGrams makes grams.txt. Every keyword tries all of its grams in all buckets, again and again.
func TestMakeGrams(t *testing.T) {
	if *gramsFrom == "" {
		t.Skip("no text: run make grams TEXT=FILE")
	}
	text, err := os.ReadFile(*gramsFrom)
	if err != nil {
		t.Fatal(err)
	}
	var paragraphs []string
	for _, buckets := range []int{8, 16, 32} {
		m := newPlanner(text, buckets)
		paragraphs = append(paragraphs, m.plan(standard().index.keywords))
	}
	if err := os.WriteFile("grams.txt", []byte(strings.Join(paragraphs, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A planner looks for the choices that let the fewest places of a text through.
type planner struct {
	at      [gramSize][classCount]bitSet // the places at which a class of bytes is, so many bytes after them
	all     bitSet
	buckets []plannedBucket
}

// A bitSet has places of a text.
type bitSet []uint64

func (s bitSet) count() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// A plannedBucket knows how many grams have a class, or end before it, and the places at which one of them is.
type plannedBucket struct {
	grams [gramSize][classCount]int
	short [gramSize]int
	may   [gramSize]bitSet
}

// passing returns 64 places that pass.
func (b *plannedBucket) passing(i int) uint64 {
	return b.may[0][i] & b.may[1][i] & b.may[2][i] & b.may[3][i]
}

func newPlanner(text []byte, buckets int) *planner {
	words := (len(text) - gramSize) / 64
	m := &planner{buckets: make([]plannedBucket, buckets), all: make(bitSet, words)}
	for i := range m.all {
		m.all[i] = ^uint64(0)
	}
	for p := range m.at {
		for c := range m.at[p] {
			m.at[p][c] = make(bitSet, words)
		}
		for i := range words * 64 {
			m.at[p][classOf(text[i+p])][i/64] |= 1 << (i % 64)
		}
	}
	for b := range m.buckets {
		for p := range gramSize {
			m.buckets[b].may[p] = make(bitSet, words)
		}
	}
	return m
}

// put adds a gram to a bucket, or takes it out.
func (m *planner) put(bucket int, gram string, n int) {
	b := &m.buckets[bucket]
	for p := range gramSize {
		if p < len(gram) {
			b.grams[p][classOf(gram[p])] += n
		} else {
			b.short[p] += n
		}
		clear(b.may[p])
		for c, count := range b.grams[p] {
			for i := 0; count > 0 && i < len(m.all); i++ {
				b.may[p][i] |= m.at[p][c][i]
			}
		}
		if b.short[p] > 0 {
			copy(b.may[p], m.all)
		}
	}
}

// more returns how many places more pass a bucket with another gram.
func (m *planner) more(bucket int, gram string) (n int) {
	b, with := &m.buckets[bucket], [gramSize]bitSet{}
	for p := range with {
		with[p] = m.all
		if p < len(gram) {
			with[p] = m.at[p][classOf(gram[p])]
		}
	}
	for i := range m.all {
		wide := uint64(1<<64 - 1)
		for p := range with {
			wide &= b.may[p][i] | with[p][i]
		}
		n += bits.OnesCount64(wide &^ b.passing(i))
	}
	return n
}

// frequency returns at how many places a gram is.
func (m *planner) frequency(gram string) (n int) {
	for i := range m.all {
		word := m.all[i]
		for p := range len(gram) {
			word &= m.at[p][classOf(gram[p])][i]
		}
		n += bits.OnesCount64(word)
	}
	return n
}

// A look at a keyword takes as long as visitPrice places that pass, and more rounds than planRounds gain nothing.
const visitPrice, planRounds = 10, 5

// plan returns the paragraph of a number of buckets.
func (m *planner) plan(keywords []keyword) string {
	dice := rand.New(rand.NewPCG(1, 1))
	choices, frequencies := make([]choice, len(keywords)), map[string]int{}
	for round := range planRounds {
		for _, k := range dice.Perm(len(keywords)) {
			if round > 0 {
				m.put(choices[k].bucket, choices[k].gram, -1)
			}
			least := 1 << 60
			for _, gram := range gramsOf(keywords[k].text) {
				if _, ok := frequencies[gram]; !ok {
					frequencies[gram] = m.frequency(gram)
				}
				for b := range m.buckets {
					if price := m.more(b, gram) + visitPrice*frequencies[gram]; price < least {
						least, choices[k] = price, choice{gram: gram, bucket: b}
					}
				}
			}
			m.put(choices[k].bucket, choices[k].gram, 1)
		}
	}
	found := plan{}
	for _, c := range choices {
		found[c.gram] = c.bucket
	}
	lines := make([][]string, len(m.buckets))
	for _, k := range keywords { // a keyword with several of the grams needs one of them
		if c, _ := found.choose(k.text, k.fold); !slices.Contains(lines[c.bucket], c.gram) {
			lines[c.bucket] = append(lines[c.bucket], c.gram)
		}
	}
	var out strings.Builder
	for _, grams := range lines {
		slices.Sort(grams)
		for i := range grams {
			grams[i] = strings.ReplaceAll(grams[i], " ", plannedSpace)
		}
		out.WriteString(strings.Join(grams, " ") + "\n")
	}
	return out.String()
}
