package stats

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/models"
)

// A Price is the cost of the tokens of some models, in dollars per million.
type Price struct {
	Model                                string // a pattern: * matches any text, and case does not matter
	Input, Output, CacheRead, CacheWrite float64
}

// of returns the cost of an answer in dollars.
func (p *Price) of(u jsonl.Usage) float64 {
	return (float64(u.Input)*p.Input + float64(u.Output)*p.Output +
		float64(u.CacheRead)*p.CacheRead + float64(u.CacheWrite)*p.CacheWrite) / 1e6
}

// A PriceList is a list of prices. The first one that matches a model counts.
type PriceList struct{ prices []Price }

// find returns the price of a model. A pattern must match all of "provider/model" or "model".
func (l *PriceList) find(provider, model string) (*Price, bool) {
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

// A priceCache remembers the price of every model, because matching patterns is slow.
type priceCache struct {
	list  *PriceList
	found map[modelName]*Price // nil if there is none
}

func (c *priceCache) find(model modelName) (*Price, bool) {
	price, known := c.found[model]
	if !known {
		price, _ = c.list.find(model.provider, model.model)
		c.found[model] = price
	}
	return price, price != nil
}

// unmatched lists what nameOf returns for the models without a price, sorted.
func (c *priceCache) unmatched(nameOf func(modelName) string) (names []string) {
	for model, price := range c.found {
		if price == nil {
			names = append(names, nameOf(model))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// A Misspelling is a model of a price list that no session and no catalogue has, with the name that was most likely
// meant.
type Misspelling struct {
	Pattern string `json:"pattern"`
	Nearest string `json:"nearest"`
}

// misspellings returns the names in the list that are likely typos. Patterns with * are left out, because they may be
// for models to come. So are names without a near one, which may be for a model of your own that was not used.
func (c *priceCache) misspellings(catalogue *models.Catalogue) (list []Misspelling) {
	if c.list == nil {
		return nil
	}
	used := map[string]bool{}
	for _, price := range c.found {
		if price != nil {
			used[price.Model] = true
		}
	}
	for i := range c.list.prices {
		pattern := c.list.prices[i].Model
		if used[pattern] || strings.Contains(pattern, "*") || catalogue != nil && catalogue.HasName(pattern) {
			continue
		}
		if nearest := c.nearest(strings.ToLower(pattern), catalogue); nearest != "" {
			list = append(list, Misspelling{pattern, nearest})
		}
	}
	return list
}

// nearest returns the model that a name most likely means and that has no price yet, or "": one of the sessions, or
// else one of the catalogue. It has a provider if the name has one.
func (c *priceCache) nearest(typed string, catalogue *models.Catalogue) string {
	provider, short, isFull := strings.Cut(typed, "/")
	if !isFull {
		provider, short = "", typed
	}
	nameOf := func(m modelName) string {
		if isFull {
			return m.provider + "/" + m.model
		}
		return m.model
	}
	if name := failure.Nearest(typed, c.unmatched(nameOf)); name != "" || catalogue == nil {
		return name
	}
	name := catalogue.Nearest(short)
	if _, isPriced := c.list.find(provider, name); name == "" || isPriced {
		return ""
	}
	return nameOf(modelName{provider, name})
}

// A priceError says what is wrong with a price list and where.
type priceError struct {
	Line   int // 1-based
	Column int // 1-based, in bytes
	Text   string
}

func (e *priceError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Text)
}

// FailureAt says where the format is explained.
func (e *priceError) FailureAt(path string) *failure.Error {
	f := failure.Usage("clawctl help stats", "column %d: %s", e.Column, e.Text).At(path)
	f.Line = int64(e.Line)
	return f
}

// priceKeys are the keys of a price, in order.
var priceKeys = []string{"model", "input", "output", "cache_read", "cache_write"}

// maxPrice is the highest price per million tokens that a list may contain, in dollars.
const maxPrice = 1e6

// ParsePrices reads a price list. It is either an array of objects with the keys priceKeys, or an object that maps each
// pattern to such an object without "model". Errors are of type *priceError.
func ParsePrices(text []byte) (*PriceList, error) {
	p := &priceParser{text: bytes.TrimPrefix(text, []byte("\ufeff"))}
	if err := jsontext.Check(p.text); err != nil {
		return nil, p.fail(err.Offset, "%s", err.Text)
	}
	if err := p.list(jsontext.SkipSpace(p.text, 0)); err != nil {
		return nil, err
	}
	if len(p.prices) == 0 {
		return nil, p.fail(0, "the list has no prices")
	}
	return &PriceList{p.prices}, nil
}

// A priceParser reads a text that is known to be JSON.
type priceParser struct {
	text   []byte
	prices []Price
}

// fail returns an error at a byte of the text.
func (p *priceParser) fail(offset int, format string, args ...any) error {
	line, column := jsontext.Position(p.text, offset)
	return &priceError{line, column, fmt.Sprintf(format, args...)}
}

func (p *priceParser) list(at int) error {
	switch p.text[at] {
	case '[':
		for start := range jsontext.Elements(p.text, at) {
			if err := p.price(start, Price{}, priceKeys, "the keys "+strings.Join(priceKeys, ", ")); err != nil {
				return err
			}
		}
		return nil
	case '{':
		for m := range jsontext.Members(p.text, at) {
			if strings.TrimSpace(m.Key) == "" {
				return p.fail(m.Start, "the model pattern must not be empty")
			}
			words := fmt.Sprintf("the prices of %q", m.Key)
			if err := p.price(m.Value, Price{Model: m.Key}, priceKeys[1:], words); err != nil {
				return err
			}
		}
		return nil
	}
	return p.fail(at, "expected an array or an object of prices, got %s", p.describe(at))
}

// price reads the object of a price. words describe it in an error.
func (p *priceParser) price(at int, price Price, allowed []string, words string) error {
	if p.text[at] != '{' {
		return p.fail(at, "expected an object with %s, got %s", words, p.describe(at))
	}
	seen := map[string]bool{}
	for m := range jsontext.Members(p.text, at) {
		switch {
		case seen[m.Key]:
			return p.fail(m.Start, "the key %q is repeated", m.Key)
		case !slices.Contains(allowed, m.Key):
			return p.fail(m.Start, "unknown key %q, expected one of %s", m.Key, strings.Join(allowed, ", "))
		}
		seen[m.Key] = true
		if err := p.field(&price, m); err != nil {
			return err
		}
	}
	if price.Model == "" {
		return p.fail(at, `the key "model" is missing`)
	}
	p.prices = append(p.prices, price)
	return nil
}

// field reads a member of a price.
func (p *priceParser) field(price *Price, m jsontext.Member) error {
	value := jsontext.Value(p.text[m.Value:m.End])
	if m.Key == "model" {
		price.Model = value.String()
		switch {
		case !value.IsString():
			return p.fail(m.Value, `"model" must be a string, got %s`, p.describe(m.Value))
		case strings.TrimSpace(price.Model) == "":
			return p.fail(m.Value, `"model" must not be empty`)
		}
		return nil
	}
	dollars, err := strconv.ParseFloat(string(value), 64)
	switch {
	case !value.IsNumber():
		return p.fail(m.Value, "%q must be a number, got %s", m.Key, p.describe(m.Value))
	case err != nil || dollars < 0 || dollars > maxPrice:
		return p.fail(m.Value, "%q must be from 0 to %d dollars, got %s", m.Key, int(maxPrice), string(value))
	}
	*map[string]*float64{
		"input": &price.Input, "output": &price.Output, "cache_read": &price.CacheRead, "cache_write": &price.CacheWrite,
	}[m.Key] = dollars
	return nil
}

// describe describes the value at a byte of the text in an error.
func (p *priceParser) describe(at int) string {
	switch value := jsontext.Value(p.text[at:jsontext.AfterValue(p.text, at)]); {
	case value.IsObject():
		return "an object"
	case value.IsArray():
		return "an array"
	case value.IsString():
		return strconv.Quote(value.String())
	default:
		return string(value)
	}
}
