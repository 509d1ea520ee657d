package rebuild

import (
	"cmp"
	"iter"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/tokens"
)

// A trim is how much is sent of a tool result.
type trim struct {
	counter tokens.Counter
	limit   int
}

// cut cuts the texts of a result.
func (t *trim) cut(list []told) (cut bool) {
	var texts []string
	for _, told := range list {
		if told.image == nil {
			texts = append(texts, told.String())
		}
	}
	texts, cut = tokens.Truncate(texts, t.counter, t.limit)
	for i := range list {
		if list[i].image == nil {
			if cut {
				list[i].text = quoteInner(texts[0])
			}
			texts = texts[1:]
		}
	}
	return cut
}

// LimitResults has Fit count on a plan whose tool results are trimmed to so many tokens.
func (c *Context) LimitResults(limit int) { c.resultLimit = limit }

// trimmedCost is what a tool result costs at most when it is trimmed.
func trimmedCost(m jsonl.Message, counter tokens.Counter, limit int) int {
	text, rest := 0, tokens.MessageOverhead
	tokens.EachPart(m, counter, func(p tokens.Part) {
		if p.Type == jsonl.BlockImage {
			rest += p.Tokens
		} else {
			text += p.Tokens
		}
	})
	return rest + min(text, limit)
}

// Trim cuts the tool results that take more than limit tokens, each of them a fix. records must read the same transcript
// again.
func (p *Plan) Trim(records iter.Seq2[*jsonl.Record, error], counter tokens.Counter, limit int) error {
	t := &trim{counter, limit}
	err := p.each(records, func(m message, c *contents) error {
		for i := range m.parts {
			part := &m.parts[i]
			if part.what != partResult || part.isOwn() || !t.cut(c.told(*part)) {
				continue
			}
			alter := alteration{trim: t}
			if part.alter != nil {
				alter.id = part.alter.id
			}
			part.alter = &alter
			p.Fixes = append(p.Fixes, Fix{TooLong, p.ix.placeOf(part.entry)})
		}
		return nil
	})
	slices.SortStableFunc(p.Fixes, func(a, b Fix) int { return cmp.Compare(a.Line, b.Line) })
	return err
}
