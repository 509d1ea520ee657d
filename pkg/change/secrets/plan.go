package secrets

import (
	_ "embed"
	"strings"
)

// A plan says in which bucket of the sieve a gram is. It was made with a text, because grams and buckets that are
// chosen by the frequency of single characters let twice as many places through, and to choose them takes longer than
// to read a short transcript. `make grams` makes it anew.
type plan map[string]int

// The file has a paragraph for every number of buckets, and a line for every bucket.
//
//go:embed grams.txt
var plannedGrams string

// planOf returns the plan for a number of buckets.
func planOf(buckets int) plan {
	p := plan{}
	for paragraph := range strings.SplitSeq(plannedGrams, "\n\n") {
		lines := strings.Split(strings.TrimSuffix(paragraph, "\n"), "\n")
		if len(lines) != max(buckets, fewestBuckets) {
			continue
		}
		for b, line := range lines {
			for gram := range strings.FieldsSeq(line) {
				p[strings.ReplaceAll(gram, plannedSpace, " ")] = b % buckets
			}
		}
	}
	return p
}

// plannedSpace stands for a space in a gram.
const plannedSpace = "␣"

// fewestBuckets is the smallest number of buckets with a plan.
const fewestBuckets = 8

// choose returns the gram of a keyword: a planned one, which everyday words do not have if there is a choice.
func (p plan) choose(keyword string, fold bool) (c choice, ok bool) {
	for i, gram := range gramsOf(keyword) {
		if b, planned := p[gram]; planned && (!ok || isEveryday(c.gram) && !isEveryday(gram)) {
			c, ok = choice{gram, fold, i, b}, true
		}
	}
	return c, ok
}

// gramsOf returns the grams of a keyword that are considered.
func gramsOf(keyword string) (grams []string) {
	for i := range max(1, min(len(keyword), farthestGram)-gramSize+1) {
		grams = append(grams, keyword[i:min(len(keyword), i+gramSize)])
	}
	return grams
}

// isEveryday reports whether everyday words have a gram.
func isEveryday(gram string) bool { return everydayGrams()[slotsOf(gramAt([]byte(gram), 0))[1]] }
