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
// valid until the next ones are returned. While Options.Prepare runs, they are not searched for.
func (r *Record) StatedBlocks() iter.Seq[[]Member] {
	if len(r.line.parts) == 0 || !r.StatedContent().IsArray() {
		return r.searchBlocks
	}
	return r.notedBlocks
}

// notedBlocks is StatedBlocks for blocks that are noted.
func (r *Record) notedBlocks(yield func([]Member) bool) {
	var space [16]Member
	members, text := space[:0], r.Text()
	for _, p := range r.line.parts {
		if p.key.end > 0 {
			key, value := text[p.key.start:p.key.end], text[p.value.start:p.value.end:p.value.end]
			members = append(members, Member{jsontext.PlainKey(key), value})
			continue
		}
		if !yield(members) {
			return
		}
		members = members[:0]
	}
}

// searchBlocks is StatedBlocks for blocks that are not noted.
func (r *Record) searchBlocks(yield func([]Member) bool) {
	for block := range r.StatedContent().Elements() {
		var members []Member
		for key, value := range block.Fields() {
			members = append(members, Member{key, value})
		}
		if !yield(members) {
			return
		}
	}
}
