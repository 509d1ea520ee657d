package stats

import (
	"strings"

	"clawctl/pkg/jsonl"
)

// A Price is the cost of the tokens of some models, in dollars per million.
type Price struct {
	Model                                string // a pattern: * matches any text, and case does not matter
	Input, Output, CacheRead, CacheWrite float64
}

// Of returns the cost of an answer in dollars.
func (p *Price) Of(u jsonl.Usage) float64 {
	return (float64(u.Input)*p.Input + float64(u.Output)*p.Output +
		float64(u.CacheRead)*p.CacheRead + float64(u.CacheWrite)*p.CacheWrite) / 1e6
}

// A PriceList is a list of prices. The first one that matches a model counts.
type PriceList struct{ prices []Price }

// Find returns the price of a model. A pattern must match all of "provider/model" or "model".
func (l *PriceList) Find(provider, model string) (*Price, bool) {
	model = strings.ToLower(model)
	full := strings.ToLower(provider) + "/" + model
	for i := range l.prices {
		pattern := strings.ToLower(l.prices[i].Model)
		if matchPattern(pattern, full) || matchPattern(pattern, model) {
			return &l.prices[i], true
		}
	}
	return nil, false
}

// matchPattern reports whether a pattern matches all of a text. Each * matches as little as possible first, and only
// the last one is ever tried again, so the time is at most the product of both lengths.
func matchPattern(pattern, text string) bool {
	p, t := 0, 0
	star, retry := -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, retry = p, t
			p++
		case p < len(pattern) && pattern[p] == text[t]:
			p++
			t++
		case star >= 0:
			retry++
			p, t = star+1, retry
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// A priceCache remembers the price of every model, because matching patterns is slow, and the models without a price.
type priceCache struct {
	list      *PriceList
	found     map[[2]string]*Price // by provider and model; nil if there is none
	unmatched map[string]bool
}

func newPriceCache(list *PriceList) *priceCache {
	return &priceCache{list, map[[2]string]*Price{}, map[string]bool{}}
}

func (c *priceCache) find(provider, model string) (*Price, bool) {
	key := [2]string{provider, model}
	price, known := c.found[key]
	if !known {
		price, _ = c.list.Find(provider, model)
		c.found[key] = price
	}
	if price == nil {
		c.unmatched[orUnknown(provider)+"/"+orUnknown(model)] = true
	}
	return price, price != nil
}
