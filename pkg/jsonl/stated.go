package jsonl

import (
	"iter"

	"clawctl/pkg/jsontext"
)

// A lineContent is what the scan of a line noted of its message. It is valid until the next line is scanned.
type lineContent struct {
	content span
	parts   []blockMember
}

// A Member is a key of an object, without escapes, and its value.
type Member struct {
	Key   []byte
	Value Value
}

// StatedContent returns the content of the message that the line states, which a translation may divide.
func (r *Record) StatedContent() Value {
	if s := r.line.content; s.end > 0 {
		return Value(r.Text()[s.start:s.end:s.end])
	}
	return r.Stated().Get("message").Get("content")
}

// StatedBlocks returns the members of each block of that content: none for what is not an object, or is empty. They are
// in space, which grows if needed, until the next ones are returned. While Options.Prepare runs, they are not searched
// for.
func (r *Record) StatedBlocks(space *[]Member) iter.Seq[[]Member] {
	content := r.StatedContent()
	if len(r.line.parts) > 0 && content.IsArray() {
		return func(yield func([]Member) bool) { r.notedBlocks(space, yield) }
	}
	return func(yield func([]Member) bool) { searchBlocks(content, space, yield) }
}

// notedBlocks is StatedBlocks for blocks that are noted.
func (r *Record) notedBlocks(space *[]Member, yield func([]Member) bool) {
	members, text := (*space)[:0], r.Text()
	for _, p := range r.line.parts {
		if p.key.end > 0 {
			key, value := text[p.key.start:p.key.end], text[p.value.start:p.value.end:p.value.end]
			members = append(members, Member{jsontext.PlainKey(key), value})
			continue
		}
		if *space = members; !yield(members) {
			return
		}
		members = members[:0]
	}
}

// searchBlocks is StatedBlocks for blocks that are not noted.
func searchBlocks(content Value, space *[]Member, yield func([]Member) bool) {
	for block := range content.Elements() {
		members := (*space)[:0]
		for key, value := range block.Fields() {
			members = append(members, Member{key, value})
		}
		if *space = members; !yield(members) {
			return
		}
	}
}
