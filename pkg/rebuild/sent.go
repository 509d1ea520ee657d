package rebuild

import "clawctl/pkg/jsonl"

// projection reads what is recorded about the text that a prompt became. If that can be used, the blocks of the index
// are those that were sent.
func (s *sketcher) projection(m jsonl.Message) {
	switch m.Projection().State {
	case jsonl.Projected:
		s.e.flags |= projected
		s.sketch.evidence |= byOpenClaw
		if s.onlyPath {
			return
		}
		s.sketch.blocks, s.sketch.names, s.sketch.imageBytes = s.sketch.blocks[:0], s.sketch.names[:0], 0
		sent := m.SentContent()
		s.text(sent)
		s.content(sent, plainContent(sent))
	case jsonl.UnknownProjection:
		s.sketch.fault(NewProjection)
	case jsonl.OddProjection:
		s.sketch.fault(OddProjection)
	}
}

// projected returns the record of an entry with the content that the model sees: what a context edit gives to it, or
// what was sent instead of what was written.
func (c *Context) projected(i int32, body func(int32) *jsonl.Record) *jsonl.Record {
	rec := c.edited(i, body)
	if source := c.ix.contentEntry(i); source != i || !c.ix.at(i).has(projected) {
		return rec
	}
	m, _ := rec.Message()
	return withContent(rec, string(m.SentContent().UTF8()))
}
