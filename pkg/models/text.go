package models

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/jsontext"
)

// The text form of a catalogue has a line for each model: its name, window, largest answer, and the prices of input,
// output, reading and writing the cache, with tabs between them and a hyphen for what is unknown. Further columns are
// tiers: a limit and four prices with spaces between them. A line such as [anthropic] names the provider of the lines
// after it. Lines that begin with # say where the facts come from, or are remarks. The first one names the form.
const (
	formLine   = "#clawctl-models 1"
	sourceMark = "#source "
	dateMark   = "#date "
)

// MaxPrice and MaxTokens are the largest values that a catalogue may have.
const (
	MaxPrice  = 1e6 // dollars per million tokens
	MaxTokens = 1e12
)

// parse reads a catalogue: its text form, or the JSON of pi-ai. Errors are of type *Error.
func parse(text []byte) (*Catalogue, error) {
	c, err := ParseFile(text)
	if err != nil {
		return c, err
	}
	if len(c.entries) == 0 {
		return nil, errorAt(text, 0, "the file has no models with an id and a provider")
	}
	return c, nil
}

// ParseFile is like Parse, but the text may have no models, as some of pi-ai's files have other things only.
func ParseFile(text []byte) (*Catalogue, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !bytes.HasPrefix(text, []byte("#")) {
		return parsePi(text)
	}
	p := &textParser{text: text, entries: make([]Entry, 0, bytes.Count(text, []byte("\n")))}
	for line := range strings.Lines(string(text)) {
		if err := p.line(strings.TrimRight(line, "\r\n")); err != nil {
			return nil, err
		}
		p.start += len(line)
	}
	c := New(p.entries)
	c.Source, c.Date = p.source, p.date
	return c, nil
}

// A textParser reads the lines of a catalogue.
type textParser struct {
	text         []byte
	start        int // of the line
	provider     string
	source, date string
	entries      []Entry
}

func (p *textParser) fail(column int, format string, args ...any) error {
	return errorAt(p.text, p.start+column, format, args...)
}

func (p *textParser) line(line string) error {
	switch {
	case strings.TrimSpace(line) == "":
		return nil
	case line[0] == '#':
		return p.remark(line)
	case line[0] == '[':
		name, ok := strings.CutSuffix(line[1:], "]")
		if p.provider = name; !ok || name == "" || strings.ContainsAny(name, "\t[]") {
			return p.fail(0, "expected a provider in brackets, such as [anthropic]")
		}
		return nil
	}
	return p.entry(line)
}

// remark reads a line that says something about the catalogue.
func (p *textParser) remark(line string) error {
	switch {
	case p.start == 0 && line != formLine:
		return p.fail(0, "expected %q in the first line", formLine)
	case strings.HasPrefix(line, sourceMark):
		p.source = line[len(sourceMark):]
	case strings.HasPrefix(line, dateMark):
		p.date = line[len(dateMark):]
	}
	return nil
}

// The columns of a model.
const (
	nameColumn = iota
	windowColumn
	answerColumn
	priceColumn
	tierColumn = priceColumn + 4
)

func (p *textParser) entry(line string) error {
	columns := strings.Split(line, "\t")
	e := Entry{Provider: p.provider, Model: columns[0]}
	switch {
	case strings.TrimSpace(e.Model) == "":
		return p.fail(0, "the name of the model is missing")
	case len(columns) < tierColumn:
		return p.fail(len(line), "expected %d columns with tabs between them, got %d", tierColumn, len(columns))
	}
	column := 0
	for i, field := range columns {
		if err := p.field(&e, i, field, column); err != nil {
			return err
		}
		column += len(field) + 1
	}
	slices.SortStableFunc(e.Tiers, func(a, b Tier) int { return int(a.Above - b.Above) })
	p.entries = append(p.entries, e)
	return nil
}

// field reads a column that begins at a byte of the line.
func (p *textParser) field(e *Entry, i int, field string, column int) error {
	switch {
	case i == nameColumn:
		return nil
	case i >= tierColumn:
		return p.tier(e, field, column)
	case field == "-":
		return nil
	case i == windowColumn:
		return p.tokens(&e.Window, 1, field, column)
	case i == answerColumn:
		return p.tokens(&e.Answer, 1, field, column)
	}
	e.Priced = true
	return p.price(e.columns()[i-priceColumn], field, column)
}

// columns returns the prices in the order of their columns.
func (p *Prices) columns() [4]*float64 {
	return [...]*float64{&p.Input, &p.Output, &p.CacheRead, &p.CacheWrite}
}

func (p *textParser) tokens(at *int64, least int64, field string, column int) error {
	n, err := strconv.ParseInt(field, 10, 64)
	if err != nil || n < least || n > MaxTokens {
		return p.fail(column, "expected a number of tokens, got %q", field)
	}
	*at = n
	return nil
}

func (p *textParser) price(at *float64, field string, column int) error {
	price, err := strconv.ParseFloat(field, 64)
	if err != nil || !isPrice(price) {
		return p.fail(column, "expected dollars per million tokens from 0 to %d, got %q", int(MaxPrice), field)
	}
	*at = price
	return nil
}

// isPrice reports whether a number can be a price.
func isPrice(price float64) bool { return !math.IsNaN(price) && price >= 0 && price <= MaxPrice }

func (p *textParser) tier(e *Entry, field string, column int) error {
	parts := strings.Split(field, " ")
	if len(parts) != 5 {
		return p.fail(column, "expected a tier: a number of tokens and four prices with spaces between them")
	}
	var tier Tier
	if err := p.tokens(&tier.Above, 0, parts[0], column); err != nil {
		return err
	}
	for i, at := range tier.columns() {
		column += len(parts[i]) + 1
		if err := p.price(at, parts[i+1], column); err != nil {
			return err
		}
	}
	e.Tiers = append(e.Tiers, tier)
	return nil
}

// Text returns the text form of the catalogue, with remarks after its source.
func (c *Catalogue) Text(remarks ...string) []byte {
	var b bytes.Buffer
	b.WriteString(formLine + "\n")
	if c.Source != "" {
		b.WriteString(sourceMark + c.Source + "\n")
	}
	if c.Date != "" {
		b.WriteString(dateMark + c.Date + "\n")
	}
	for _, remark := range remarks {
		b.WriteString("# " + remark + "\n")
	}
	provider := ""
	for i := range c.entries {
		if e := &c.entries[i]; e.Provider != provider {
			provider = e.Provider
			fmt.Fprintf(&b, "[%s]\n", provider)
		}
		c.entries[i].write(&b)
	}
	return b.Bytes()
}

// write writes the line of an entry.
func (e *Entry) write(b *bytes.Buffer) {
	b.WriteString(e.Model)
	for _, n := range []int64{e.Window, e.Answer} {
		b.WriteByte('\t')
		if n == 0 {
			b.WriteByte('-')
			continue
		}
		b.WriteString(strconv.FormatInt(n, 10))
	}
	for _, price := range e.columns() {
		b.WriteByte('\t')
		if !e.Priced {
			b.WriteByte('-')
			continue
		}
		b.WriteString(formatPrice(*price))
	}
	for _, tier := range e.Tiers {
		fmt.Fprintf(b, "\t%d", tier.Above)
		for _, price := range tier.columns() {
			b.WriteString(" " + formatPrice(*price))
		}
	}
	b.WriteByte('\n')
}

func formatPrice(price float64) string { return strconv.FormatFloat(price, 'f', -1, 64) }

// An Error says what is wrong with a catalogue and where.
type Error struct {
	Path   string // "" if the text has no file
	Line   int    // 1-based
	Column int    // 1-based, in bytes
	Text   string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Text)
}

// FailureAt is the failure of a command that needs the catalogue.
func (e *Error) FailureAt(path string) *failure.Error {
	if e.Path != "" {
		path = e.Path
	}
	f := failure.New(failure.BadCatalogue, "column %d: %s", e.Column, e.Text).At(path).WithHint("clawctl help models")
	f.Line = int64(e.Line)
	return f
}

func errorAt(text []byte, offset int, format string, args ...any) *Error {
	line, column := jsontext.Position(text, offset)
	return &Error{Line: line, Column: column, Text: fmt.Sprintf(format, args...)}
}
