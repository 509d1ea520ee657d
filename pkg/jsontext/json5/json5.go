// Package json5 reads JSON5, the form of OpenClaw's configuration: JSON with comments, trailing commas, single quotes,
// keys without quotes, hexadecimal numbers, and the like.
//
// It is a small reader of its own because the libraries for Go are unmaintained or read only a part of JSON5. It
// accepts what https://spec.json5.org accepts, with a limit for the depth.
package json5

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// maxDepth is how deeply values may be nested.
const maxDepth = 200

// An Error says what is wrong with a text and on which line.
type Error struct {
	Line int
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

// Parse returns the value of a text: a map[string]any, a []any, a string, a float64, a bool or nil. If a key is
// repeated, the last value counts. Every error is an *Error.
func Parse(text []byte) (any, error) {
	p := &parser{text: bytes.TrimPrefix(text, []byte("\ufeff"))}
	value, err := p.document()
	if err != nil {
		return nil, &Error{Line: 1 + bytes.Count(p.text[:min(p.at, len(p.text))], []byte("\n")), Text: err.Error()}
	}
	return value, nil
}

// A parser reads a text from left to right. After an error, at is where it was found.
type parser struct {
	text  []byte
	at    int
	depth int
}

var errEnd = errors.New("the text ends too early")

func (p *parser) document() (any, error) {
	value, err := p.value()
	if err != nil {
		return nil, err
	}
	if err := p.skipSpace(); err != nil {
		return nil, err
	}
	if p.at < len(p.text) {
		return nil, p.unexpected()
	}
	return value, nil
}

// unexpected is the error for the next character.
func (p *parser) unexpected() error {
	if p.at >= len(p.text) {
		return errEnd
	}
	r, _ := p.peek()
	return fmt.Errorf("unexpected %q", r)
}

// peek returns the next character and its length, or 0 and 0 at the end.
func (p *parser) peek() (rune, int) {
	if p.at >= len(p.text) {
		return 0, 0
	}
	return utf8.DecodeRune(p.text[p.at:])
}

// take skips the next byte if it is c.
func (p *parser) take(c byte) bool {
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) value() (any, error) {
	if err := p.skipSpace(); err != nil {
		return nil, err
	}
	r, _ := p.peek()
	switch {
	case p.take('{'):
		return p.object()
	case p.take('['):
		return p.array()
	case r == '"' || r == '\'':
		return p.quoted()
	case p.word("null"):
		return nil, nil
	case p.word("true"):
		return true, nil
	case p.word("false"):
		return false, nil
	}
	return p.number()
}

// word skips a word if it is next.
func (p *parser) word(word string) bool {
	if !bytes.HasPrefix(p.text[p.at:], []byte(word)) {
		return false
	}
	p.at += len(word)
	return true
}

// enter counts the depth of an object or an array.
func (p *parser) enter() error {
	if p.depth++; p.depth > maxDepth {
		return fmt.Errorf("nested more than %d deep", maxDepth)
	}
	return nil
}

// object reads an object after its opening brace.
func (p *parser) object() (any, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	object := map[string]any{}
	err := p.list('}', func() error {
		key, err := p.key()
		if err != nil {
			return err
		}
		if err := p.skipSpace(); err != nil {
			return err
		}
		if !p.take(':') {
			return p.unexpected()
		}
		object[key], err = p.value()
		return err
	})
	return object, err
}

// array reads an array after its opening bracket.
func (p *parser) array() (any, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	array := []any{}
	err := p.list(']', func() error {
		value, err := p.value()
		array = append(array, value)
		return err
	})
	return array, err
}

// list calls item for each item before the closing bracket. A comma may follow the last one.
func (p *parser) list(closing byte, item func() error) error {
	for {
		if err := p.skipSpace(); err != nil {
			return err
		}
		if p.take(closing) {
			break
		}
		if err := item(); err != nil {
			return err
		}
		if err := p.skipSpace(); err != nil {
			return err
		}
		if p.take(closing) {
			break
		}
		if !p.take(',') {
			return p.unexpected()
		}
	}
	p.depth--
	return nil
}

// number reads a number, which may be signed, hexadecimal, Infinity or NaN.
func (p *parser) number() (any, error) {
	sign := 1.0
	if p.take('-') {
		sign = -1
	} else {
		p.take('+')
	}
	switch {
	case p.word("Infinity"):
		return sign * math.Inf(1), nil
	case p.word("NaN"):
		return math.NaN(), nil
	case p.word("0x"), p.word("0X"):
		return p.hexadecimal(sign)
	}
	start := p.at
	whole := p.digits()
	if whole > 1 && p.text[start] == '0' {
		p.at = start + 1
		return nil, p.unexpected()
	}
	fraction := 0
	if p.take('.') {
		fraction = p.digits()
	}
	if whole+fraction == 0 {
		p.at = min(max(p.at, start), len(p.text))
		return nil, p.unexpected()
	}
	if p.take('e') || p.take('E') {
		if !p.take('+') {
			p.take('-')
		}
		if p.digits() == 0 {
			return nil, p.unexpected()
		}
	}
	f, _ := strconv.ParseFloat(string(p.text[start:p.at]), 64) // out of range means an infinity, as in JavaScript
	return sign * f, nil
}

// digits skips decimal digits and returns how many there are.
func (p *parser) digits() (n int) {
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
		n++
	}
	return n
}

// hexadecimal reads the digits after 0x.
func (p *parser) hexadecimal(sign float64) (any, error) {
	sum, start := 0.0, p.at
	for p.at < len(p.text) {
		digit, ok := hexDigit(p.text[p.at])
		if !ok {
			break
		}
		sum = sum*16 + float64(digit)
		p.at++
	}
	if p.at == start {
		return nil, p.unexpected()
	}
	return sign * sum, nil
}

func hexDigit(c byte) (rune, bool) {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0'), true
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10, true
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}
