package stats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/jsontext"
)

// A PriceProblem is a kind of error in a price list.
type PriceProblem int

// The problems that a price list can have.
const (
	PriceSyntax  PriceProblem = iota // not JSON
	PriceShape                       // JSON with the wrong structure
	PriceKey                         // an unknown or repeated key
	PricePattern                     // no pattern, or an empty one
	PriceNumber                      // a price that is not a number from 0 to MaxPrice
)

// A PriceError says what is wrong with a price list and where.
type PriceError struct {
	Problem PriceProblem
	Line    int    // 1-based
	Column  int    // 1-based, in bytes
	Key     string // the key that is wrong, if any
	Text    string // what is wrong
}

func (e *PriceError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Text)
}

// FailureAt says where the format is explained.
func (e *PriceError) FailureAt(path string) *failure.Error {
	f := failure.Usage("clawctl help stats", "column %d: %s", e.Column, e.Text).At(path)
	f.Line = int64(e.Line)
	return f
}

// PriceKeys are the keys of a price, in order.
var PriceKeys = []string{"model", "input", "output", "cache_read", "cache_write"}

// MaxPrice is the highest price per million tokens that a list may contain, in dollars.
const MaxPrice = 1e6

// ParsePrices reads a price list. It is either an array of objects with the keys PriceKeys, or an object that maps each
// pattern to such an object without "model". Errors are of type *PriceError.
func ParsePrices(text []byte) (*PriceList, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if err := jsontext.Check(text); err != nil {
		e := priceErrorAt(text, err.Offset, err.Text)
		e.Problem = PriceSyntax
		return nil, e
	}
	p := &priceParser{text: text, dec: json.NewDecoder(bytes.NewReader(text))}
	p.dec.UseNumber()
	if err := p.list(); err != nil {
		return nil, err
	}
	if len(p.prices) == 0 {
		return nil, priceErrorAt(text, 0, "the list has no prices")
	}
	return &PriceList{p.prices}, nil
}

func priceErrorAt(text []byte, offset int, words string) *PriceError {
	line, column := jsontext.Position(text, offset)
	return &PriceError{Line: line, Column: column, Text: words}
}

// A priceParser reads the tokens of a text that is known to be JSON.
type priceParser struct {
	text   []byte
	dec    *json.Decoder
	start  int // of the last token
	prices []Price
}

func (p *priceParser) next() json.Token {
	p.start = int(p.dec.InputOffset())
	for p.start < len(p.text) && strings.IndexByte(" \t\r\n,:", p.text[p.start]) >= 0 {
		p.start++
	}
	token, _ := p.dec.Token() // cannot fail: the text is valid JSON
	return token
}

// fail returns an error at the last token.
func (p *priceParser) fail(problem PriceProblem, key, format string, args ...any) error {
	e := priceErrorAt(p.text, p.start, fmt.Sprintf(format, args...))
	e.Problem, e.Key = problem, key
	return e
}

// list reads the complete text.
func (p *priceParser) list() error {
	switch token := p.next(); token {
	case json.Delim('['):
		for p.dec.More() {
			if err := p.element(); err != nil {
				return err
			}
		}
		return nil
	case json.Delim('{'):
		for p.dec.More() {
			if err := p.member(); err != nil {
				return err
			}
		}
		return nil
	default:
		return p.fail(PriceShape, "", "expected an array or an object of prices, got %s", describe(token))
	}
}

// element reads a price that includes its pattern.
func (p *priceParser) element() error {
	if token := p.next(); token != json.Delim('{') {
		return p.fail(PriceShape, "", "expected an object with the keys %s, got %s", keyNames(PriceKeys), describe(token))
	}
	start := p.start
	var price Price
	seen, err := p.fields(&price, PriceKeys)
	if err != nil {
		return err
	}
	if !seen["model"] {
		p.start = start
		return p.fail(PricePattern, "model", `the key "model" is missing`)
	}
	p.prices = append(p.prices, price)
	return nil
}

// member reads a price whose pattern is the key of an object.
func (p *priceParser) member() error {
	pattern, _ := p.next().(string) // keys are strings
	if strings.TrimSpace(pattern) == "" {
		return p.fail(PricePattern, "", "the model pattern must not be empty")
	}
	if token := p.next(); token != json.Delim('{') {
		return p.fail(PriceShape, pattern, "expected an object with the prices of %q, got %s", pattern, describe(token))
	}
	price := Price{Model: pattern}
	if _, err := p.fields(&price, PriceKeys[1:]); err != nil {
		return err
	}
	p.prices = append(p.prices, price)
	return nil
}

// fields reads the members of an object up to its end, and returns their keys.
func (p *priceParser) fields(price *Price, allowed []string) (map[string]bool, error) {
	seen := map[string]bool{}
	numbers := map[string]*float64{
		"input": &price.Input, "output": &price.Output, "cache_read": &price.CacheRead, "cache_write": &price.CacheWrite,
	}
	for p.dec.More() {
		key, _ := p.next().(string) // keys are strings
		err := p.checkKey(key, allowed, seen)
		if err == nil && key == "model" {
			err = p.pattern(&price.Model)
		} else if err == nil {
			err = p.number(key, numbers[key])
		}
		if err != nil {
			return nil, err
		}
		seen[key] = true
	}
	p.next() // the closing brace
	return seen, nil
}

func (p *priceParser) checkKey(key string, allowed []string, seen map[string]bool) error {
	if seen[key] {
		return p.fail(PriceKey, key, "the key %q is repeated", key)
	}
	if slices.Contains(allowed, key) {
		return nil
	}
	return p.fail(PriceKey, key, "unknown key %q, expected one of %s", key, keyNames(allowed))
}

func (p *priceParser) pattern(model *string) error {
	token := p.next()
	text, ok := token.(string)
	switch {
	case !ok:
		return p.fail(PricePattern, "model", `"model" must be a string, got %s`, describe(token))
	case strings.TrimSpace(text) == "":
		return p.fail(PricePattern, "model", `"model" must not be empty`)
	}
	*model = text
	return nil
}

func (p *priceParser) number(key string, price *float64) error {
	token := p.next()
	number, ok := token.(json.Number)
	if !ok {
		return p.fail(PriceNumber, key, "%q must be a number, got %s", key, describe(token))
	}
	value, err := number.Float64()
	if err != nil || value < 0 || value > MaxPrice {
		return p.fail(PriceNumber, key, "%q must be from 0 to %d dollars, got %s", key, int(MaxPrice), number)
	}
	*price = value
	return nil
}

func keyNames(keys []string) string { return strings.Join(keys, ", ") }

// describe describes a JSON value in an error.
func describe(token json.Token) string {
	switch v := token.(type) {
	case json.Delim:
		if v == '{' {
			return "an object"
		}
		return "an array"
	case string:
		return strconv.Quote(v)
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return "null"
}
