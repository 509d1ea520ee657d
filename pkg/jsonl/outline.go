package jsonl

import "clawctl/pkg/jsontext"

// An outliner notes the members of a record, and those of its message or of the payload that some programs have
// instead. Translations use them.
type outliner struct {
	members []jsontext.Pair // of the record
	inner   []jsontext.Pair // of the message or payload
	innerAt jsontext.Span
}

// begin forgets the record before.
func (o *outliner) begin() {
	o.members, o.inner, o.innerAt = o.members[:0], o.inner[:0], jsontext.Span{}
}

// enter begins the members of an object inside the record. The last one counts.
func (o *outliner) enter(start uint32) {
	o.inner, o.innerAt = o.inner[:0], jsontext.Span{Start: start, End: start + 1}
}

// note notes a member. As with the members of blocks, more than any program writes are not noted.
func (o *outliner) note(at level, key, value span) {
	list := &o.members
	if at != recordLevel {
		list = &o.inner
	}
	if len(*list) < mostParts {
		*list = append(*list, jsontext.Pair{Key: exported(key), Value: exported(value)})
	}
}

// exported returns a span for users of other packages.
func exported(s span) jsontext.Span { return jsontext.Span{Start: s.start, End: s.end} }

// outline returns a record with what the scan of its line noted.
func (c *cutter) outline() *jsontext.Outline {
	rec, o := c.record, &c.scanner.outliner
	line := &c.translator.line
	*line = jsontext.Outline{
		Text: rec.Value(), Only: jsontext.Part{Members: line.Only.Members[:0]}, Copies: line.Copies[:0],
	}
	if rec.view[0] != '{' || len(o.members) == mostParts {
		return line // the places are counted from another byte, or not all there
	}
	line.Members = o.members
	if len(o.members) > 0 && len(o.inner) < mostParts {
		line.Inner = jsontext.Part{At: o.innerAt, Members: o.inner}
		line.List = exported(rec.fields[FieldContent])
		noteOnlyBlock(line, rec.parts)
	}
	return line
}

// noteOnlyBlock notes the block of a content that has one.
func noteOnlyBlock(line *jsontext.Outline, parts []blockMember) {
	for i, p := range parts {
		if p.key.end > 0 {
			line.Only.Members = append(line.Only.Members, jsontext.Pair{Key: exported(p.key), Value: exported(p.value)})
			continue
		}
		if i == len(parts)-1 {
			line.Only.At = exported(p.value)
		}
		return
	}
}
