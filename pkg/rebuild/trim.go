package rebuild

import (
	"cmp"
	"iter"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/tokens"
)

// A trimmer limits how much of a tool result is sent.
type trimmer struct {
	counter tokens.Counter
	limit   int
}

// cut shortens the texts of a result.
func (t *trimmer) cut(list []sentBlock) bool {
	var cut bool
	var texts []string
	for _, b := range list {
		if b.image == nil {
			texts = append(texts, b.String())
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

// LimitResults makes Fit assume that tool results are trimmed to limit tokens.
func (c *Context) LimitResults(limit int) { c.resultLimit = limit }

// trimmedCost returns the maximum cost of a trimmed tool result.
func trimmedCost(m jsonl.Message, counter tokens.Counter, limit int) int {
	text, rest := 0, tokens.MessageOverhead
	tokens.EachCost(m, counter, func(p tokens.BlockCost) {
		if p.Type == jsonl.BlockImage.String() {
			rest += p.Tokens
		} else {
			text += p.Tokens
		}
	})
	return rest + min(text, limit)
}

// Trim shortens the tool results that take more than limit tokens. Each is a fix. records must read the same transcript
// again.
func (p *Conversation) Trim(records iter.Seq2[*jsonl.Record, error], counter tokens.Counter, limit int) error {
	t := &trimmer{counter, limit}
	err := p.each(records, func(m message, c *contents) error {
		for i := range m.pieces {
			piece := &m.pieces[i]
			if piece.kind != pieceResult || piece.isOwn() || !t.cut(c.sentBlocks(*piece)) {
				continue
			}
			alter := alteration{trim: t}
			if piece.alter != nil {
				alter.id = piece.alter.id
			}
			piece.alter = &alter
			p.Fixes = append(p.Fixes, Fix{Code: TooLong, Place: p.ix.placeOf(piece.entry)})
		}
		return nil
	})
	slices.SortStableFunc(p.Fixes, func(a, b Fix) int { return cmp.Compare(a.Line, b.Line) })
	return err
}
