package models

import (
	"math"
	"slices"
	"strings"

	"clawctl/pkg/jsontext"
)

// parsePi reads the JSON of pi-ai: objects that have an id and a provider, inside of others, at any depth. What is not
// a model for conversations is left out.
func parsePi(text []byte) (*Catalogue, error) {
	if err := jsontext.Check(text); err != nil {
		return nil, errorAt(text, err.Offset, "%s", err.Text)
	}
	if jsontext.NestsDeeper(text, maxDepth) {
		return nil, errorAt(text, 0, "the values are nested too deeply")
	}
	p := &piParser{text: text}
	if err := p.value(jsontext.SkipSpace(text, 0)); err != nil {
		return nil, err
	}
	return New(p.entries), nil
}

// maxDepth is how deeply the values of a catalogue may be nested. pi-ai's are nested less than ten levels.
const maxDepth = 64

// A piParser looks for models in a text that is known to be JSON.
type piParser struct {
	text    []byte
	entries []Entry
}

// value looks for models in the value at an index.
func (p *piParser) value(at int) error {
	switch p.text[at] {
	case '[':
		for start := range jsontext.Elements(p.text, at) {
			if err := p.value(start); err != nil {
				return err
			}
		}
	case '{':
		members := p.members(at)
		_, hasID := members["id"]
		if _, hasProvider := members["provider"]; hasID && hasProvider {
			return p.model(members)
		}
		for m := range jsontext.Members(p.text, at) {
			if err := p.value(m.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

// members returns where the values of an object begin. The last of a repeated key counts, as in JavaScript.
func (p *piParser) members(at int) map[string]int {
	members := map[string]int{}
	for m := range jsontext.Members(p.text, at) {
		members[m.Key] = m.Value
	}
	return members
}

// at returns the value that begins at an index.
func (p *piParser) at(start int) jsontext.Value {
	return jsontext.Value(p.text[start:jsontext.AfterValue(p.text, start)])
}

func (p *piParser) model(members map[string]int) error {
	if kind, ok := members["type"]; ok && !p.at(kind).Is("chat") {
		return nil
	}
	var e Entry
	for key, name := range map[string]*string{"id": &e.Model, "provider": &e.Provider} {
		if *name = p.at(members[key]).String(); !isName(*name) {
			return errorAt(p.text, members[key], "expected %q to be a name in one line", key)
		}
	}
	for _, count := range []struct {
		key string
		at  *int64
	}{{"contextWindow", &e.Window}, {"maxTokens", &e.Answer}} {
		if err := p.tokens(members, count.key, count.at); err != nil {
			return err
		}
	}
	if err := p.cost(members, &e.Facts); err != nil {
		return err
	}
	p.entries = append(p.entries, e)
	return nil
}

// tokens reads a number of tokens, which may be missing.
func (p *piParser) tokens(members map[string]int, key string, at *int64) error {
	start, ok := members[key]
	if !ok || p.at(start).IsNull() {
		return nil
	}
	n := p.at(start).Float()
	if !p.at(start).IsNumber() || n < 0 || n > MaxTokens || n != math.Trunc(n) {
		return errorAt(p.text, start, "expected %q to be a number of tokens", key)
	}
	*at = int64(n)
	return nil
}

// cost reads the prices, which may be missing.
func (p *piParser) cost(members map[string]int, f *Facts) error {
	start, ok := members["cost"]
	if !ok || p.at(start).IsNull() {
		return nil
	}
	cost, err := p.prices(start, &f.Prices)
	if err != nil {
		return err
	}
	if f.Prices.isVariable() {
		f.Prices = Prices{}
		return nil
	}
	f.Priced = true
	tiers, ok := cost["tiers"]
	if !ok || !p.at(tiers).IsArray() {
		return nil
	}
	for start := range jsontext.Elements(p.text, tiers) {
		var tier Tier
		limits, err := p.prices(start, &tier.Prices)
		if err != nil {
			return err
		}
		if err := p.tokens(limits, "inputTokensAbove", &tier.Above); err != nil {
			return err
		}
		if !tier.isVariable() {
			f.Tiers = append(f.Tiers, tier)
		}
	}
	slices.SortStableFunc(f.Tiers, func(a, b Tier) int { return int(a.Above - b.Above) })
	return nil
}

// isVariable reports whether a price depends on the request: pi-ai writes -1000000 for a router that chooses a model.
func (p *Prices) isVariable() bool {
	return min(p.Input, p.Output, p.CacheRead, p.CacheWrite) < 0
}

// priceKeys are the keys of the prices, in the order of the columns.
var priceKeys = []string{"input", "output", "cacheRead", "cacheWrite"}

// prices reads the prices of an object, and returns where all of its values begin.
func (p *piParser) prices(start int, prices *Prices) (map[string]int, error) {
	if !p.at(start).IsObject() {
		return nil, errorAt(p.text, start, "expected an object with prices")
	}
	members := p.members(start)
	for i, at := range prices.columns() {
		value, ok := members[priceKeys[i]]
		if !ok {
			continue
		}
		if *at = p.at(value).Float(); !p.at(value).IsNumber() || !isPrice(math.Abs(*at)) {
			return nil, errorAt(p.text, value, "expected %q to be dollars per million tokens from 0 to %d", priceKeys[i],
				int(MaxPrice))
		}
	}
	return members, nil
}

// isName reports whether a text can be a name in a line of a catalogue.
func isName(text string) bool {
	return strings.TrimSpace(text) == text && text != "" && text[0] != '#' &&
		!strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r == '[' || r == ']' })
}
