// Package models knows the context windows, the largest answers and the prices of models.
//
// Its facts are a table that `make catalogue` makes from the npm package pi-ai (catalogue.tsv, gen). A [Catalogue]
// holds such a table (catalogue.go, text.go, pi.go) and finds a model by the name that a session has for it (find.go,
// names.go). A user's file and settings win over the table (load.go, override.go).
package models

import "cmp"

// Prices are dollars per million tokens.
type Prices struct{ Input, Output, CacheRead, CacheWrite float64 }

// A Tier has the prices of a request whose input, cached tokens included, has more tokens than Above.
type Tier struct {
	Above int64
	Prices
}

// Facts are what a catalogue knows about a model.
type Facts struct {
	Window int64 // tokens, 0 if unknown
	Answer int64 // tokens of the largest answer, 0 if unknown
	Priced bool  // Prices are known. A price of 0 is that of a free model, or of one that a subscription pays for
	Prices
	Tiers []Tier // in the order of their limits
}

// pricesOf returns the prices of a request with so many tokens of input, cached ones included.
func (f *Facts) pricesOf(input int64) Prices {
	prices := f.Prices
	for _, tier := range f.Tiers {
		if input > tier.Above {
			prices = tier.Prices
		}
	}
	return prices
}

// Tokens are those of one request and its answer. LongCacheWrite is the part of CacheWrite that is kept for an hour.
type Tokens struct{ Input, Output, CacheRead, CacheWrite, LongCacheWrite int64 }

// longCacheWrite is what it costs to keep tokens in a cache for an hour, as a multiple of the price of input. No
// catalogue has a price for that. OpenClaw and pi calculate with the same factor.
const longCacheWrite = 2

// Cost returns the price of a request and its answer in dollars, with the tier that the length of its input is in.
func (f *Facts) Cost(t Tokens) float64 {
	p := f.pricesOf(t.Input + t.CacheRead + t.CacheWrite)
	long := min(t.LongCacheWrite, t.CacheWrite)
	return (float64(t.Input)*p.Input + float64(t.Output)*p.Output + float64(t.CacheRead)*p.CacheRead +
		float64(t.CacheWrite-long)*p.CacheWrite + float64(long)*p.Input*longCacheWrite) / 1e6
}

// An Entry is a model as one provider offers it.
type Entry struct {
	Provider string // "" if the entry holds for every provider
	Model    string
	Facts
}

// Name returns the entry's name, such as anthropic/claude-opus-4-6.
func (e *Entry) Name() string {
	if e.Provider == "" {
		return e.Model
	}
	return e.Provider + "/" + e.Model
}

// compareEntries orders entries by provider and model.
func compareEntries(a, b *Entry) int {
	return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Model, b.Model))
}
