package jsonl

import (
	"iter"
	"strings"
	"sync"
)

// A BlockKind says what a block of a message's content is, whatever its program calls it.
type BlockKind uint8

// The kinds of blocks.
const (
	BlockOther BlockKind = iota
	BlockText
	BlockThinking
	BlockRedacted // thinking that only the provider can read
	BlockImage
	BlockToolCall
	BlockToolResult // inside a message, as in the Messages API
)

// blockNames are the types that the kinds of blocks state, the common name first.
var blockNames = [...]string{
	BlockText: "text", BlockThinking: "thinking", BlockRedacted: "redacted_thinking", BlockImage: "image",
	BlockToolCall:   "toolCall toolUse functionCall tool_call tool_use function_call",
	BlockToolResult: "toolResult tool_result",
}

// blockTypes are the kinds of blocks by the types that they state.
var blockTypes = sync.OnceValue(func() *keyTable {
	var names []keyName
	for kind := range blockNames {
		for name := range strings.FieldsSeq(blockNames[kind]) {
			names = append(names, keyName{name, field(kind)})
		}
	}
	return newKeyTableFrom(firstFactor, names)
})

// The fields of a block, and of the object under "source".
const (
	blockType field = iota + 1
	blockText
	blockThinking
	blockRedacted
	blockData
	blockMIMEType
	blockMediaType
	blockSource
	blockID
	blockUseID
	blockName
	blockArguments
	blockInput
	blockPartial
	blockContent
	blockIsError

	// What is signed or encrypted, which only its provider can read.
	blockThinkingSignature
	blockTextSignature
	blockThoughtSignature
	blockSignature
	blockEncrypted

	blockFieldCount
)

// blockFields are the fields of a block by their keys, which are in the order of the fields.
var blockFields = sync.OnceValue(func() *keyTable {
	return newKeyTable(blockType, "type text thinking redacted data mimeType media_type source id tool_use_id name "+
		"arguments input partialJson content is_error thinkingSignature textSignature thoughtSignature signature "+
		"encrypted_content")
})

// IsSealed reports whether a field of a block is signed or encrypted text, which only its provider can read.
func IsSealed(key string) bool { return blockFields().find([]byte(key)) >= blockThinkingSignature }

// A Block is a view of one part of a message's content: its kind, and its values, whatever their keys are called. Like
// the record, it is valid until the next one is read.
type Block struct {
	Value Value // as it is written
	Kind  BlockKind

	text     []byte // what the spans point into
	start    uint32 // of the block in it
	fields   [blockFieldCount]span
	unknown  int // members that are not in the table
	repeated bool
}

// ReadBlock returns the block that a value is. A string is a text block.
func ReadBlock(v Value) Block {
	b := Block{text: v}
	for key, value := range v.Spans() {
		b.set(span{key.Start, key.End}, span{value.Start, value.End})
	}
	b.end(span{0, uint32(len(v))})
	return b
}

// set notes a member of the block.
func (b *Block) set(key, value span) {
	f := blockFields().findIn(b.text, key)
	if f == noField {
		b.unknown++
		return
	}
	b.repeated = b.repeated || b.fields[f].end > 0
	b.fields[f] = value
	if f == blockType {
		b.Kind = b.kindAt(value)
	}
}

// kindAt returns the kind of the type that a block states.
func (b *Block) kindAt(stated span) BlockKind {
	if b.text[stated.start] != '"' {
		return BlockOther
	}
	return BlockKind(blockTypes().findIn(b.text, span{stated.start + 1, stated.end - 1}))
}

// end notes where the block is, after its members.
func (b *Block) end(whole span) {
	b.Value, b.start = b.at(whole), whole.start
	if b.Value.IsString() {
		b.Kind = BlockText
	}
}

// at returns the value at a place.
func (b *Block) at(s span) Value {
	if s.end == 0 {
		return nil
	}
	return Value(b.text[s.start:s.end:s.end])
}

// either returns the first of two fields that there is.
func (b *Block) either(first, second field) span {
	if s := b.fields[first]; s.end > 0 {
		return s
	}
	return b.fields[second]
}

// StatedType returns the type that the block states, as it is written.
func (b *Block) StatedType() Value { return b.at(b.fields[blockType]) }

// String returns the common name of a kind, or "".
func (k BlockKind) String() string {
	name, _, _ := strings.Cut(blockNames[k], " ")
	return name
}

// Type returns the block's type under its common name. An unknown type is returned unchanged.
func (b *Block) Type() string {
	if b.Kind == BlockOther {
		return b.StatedType().String()
	}
	return b.Kind.String()
}

// Text returns the text of a text or thinking block.
func (b *Block) Text() Value { return b.at(b.textSpan()) }

func (b *Block) textSpan() span {
	switch {
	case b.Value.IsString():
		return span{b.start, b.start + uint32(len(b.Value))}
	case b.Kind == BlockText:
		return b.fields[blockText]
	case b.Kind == BlockThinking:
		return b.either(blockThinking, blockText)
	}
	return b.either(blockText, blockThinking)
}

// Redacted returns the mark of thinking that only the provider can read.
func (b *Block) Redacted() Value { return b.at(b.fields[blockRedacted]) }

// Signature returns the provider's signature of the block. That of redacted thinking is the thinking itself.
func (b *Block) Signature() Value {
	if b.Kind == BlockRedacted {
		return b.at(b.fields[blockData])
	}
	for f := blockThinkingSignature; f <= blockSignature; f++ {
		if s := b.at(b.fields[f]); s.IsString() && len(s) > len(`""`) {
			return s
		}
	}
	return nil
}

// CallID returns the id of a tool call.
func (b *Block) CallID() Value { return b.at(b.either(blockID, blockUseID)) }

// ToolName returns the name of the tool that is called.
func (b *Block) ToolName() Value { return b.at(b.fields[blockName]) }

// Arguments returns the arguments of a tool call.
func (b *Block) Arguments() Value {
	arguments, input := b.fields[blockArguments], b.fields[blockInput]
	if input.start > arguments.start {
		return b.at(input)
	}
	return b.at(arguments)
}

// Partial returns what had arrived of the arguments of a tool call.
func (b *Block) Partial() Value { return b.at(b.fields[blockPartial]) }

// Answers returns the id of the call that a tool result answers.
func (b *Block) Answers() Value { return b.at(b.fields[blockUseID]) }

// Content returns the content of a tool result.
func (b *Block) Content() Value { return b.at(b.fields[blockContent]) }

// IsError returns the mark of a tool that failed.
func (b *Block) IsError() Value { return b.at(b.fields[blockIsError]) }

// Image returns the media type of an image and its data, in OpenClaw's form or that of the Messages API.
func (b *Block) Image() (mime, data Value) {
	mimeSpan, dataSpan := b.imageSpans()
	return b.at(mimeSpan), b.at(dataSpan)
}

func (b *Block) imageSpans() (mime, data span) {
	source := b.at(b.fields[blockSource])
	if !source.IsObject() {
		return b.fields[blockMIMEType], b.fields[blockData]
	}
	inner, from := ReadBlock(source), b.fields[blockSource].start
	return inner.fields[blockMediaType].plus(from), inner.fields[blockData].plus(from)
}

// plus returns a span that begins further right, unless it is that of a missing value.
func (s span) plus(distance uint32) span {
	if s.end == 0 {
		return s
	}
	return span{s.start + distance, s.end + distance}
}

// HoldsImage reports whether the value is an image, or an object that states the media type of one.
func (b *Block) HoldsImage() bool {
	isImage := func(f field) bool { return strings.HasPrefix(string(b.at(b.fields[f])), `"image/`) }
	return b.Kind == BlockImage || isImage(blockMIMEType) || isImage(blockMediaType)
}

// TextPlace returns where the text is, counted from the first byte of the block. end is 0 if there is none.
func (b *Block) TextPlace() (start, end int) { return b.placeOf(b.textSpan()) }

// DataPlace returns where the data of an image is, counted from the first byte of the block. end is 0 if there is none.
func (b *Block) DataPlace() (start, end int) {
	_, data := b.imageSpans()
	return b.placeOf(data)
}

func (b *Block) placeOf(s span) (start, end int) {
	if s.end == 0 {
		return 0, 0
	}
	return int(s.start - b.start), int(s.end - b.start)
}

// isOpenClaws reports whether a call, a thought or an image is in OpenClaw's form, and not in that of the Messages API.
func (b *Block) isOpenClaws() bool {
	switch b.Kind {
	case BlockToolCall:
		return b.StatedType().Is("toolCall")
	case BlockThinking:
		return b.fields[blockThinkingSignature].end > 0
	case BlockImage:
		return b.fields[blockData].end > 0
	}
	return false
}

// mostKeys is the number of keys that RepeatsKey compares. Real blocks have fewer.
const mostKeys = 32

// RepeatsKey reports whether a key occurs twice.
func (b *Block) RepeatsKey() bool {
	if b.repeated || b.unknown < 2 {
		return b.repeated
	}
	var keys [][]byte
	for key := range b.Value.Fields() {
		for _, other := range keys {
			if string(other) == string(key) {
				return true
			}
		}
		if len(keys) < mostKeys {
			keys = append(keys, key)
		}
	}
	return false
}

// A ToolCall is the name of a tool, its arguments as JSON text, and the id that its result refers to.
type ToolCall struct{ ID, Name, Arguments string }

// ToolCall returns the call of a tool-call block.
func (b *Block) ToolCall() (call ToolCall, ok bool) {
	if b.Kind != BlockToolCall {
		return call, false
	}
	return ToolCall{b.CallID().String(), b.ToolName().String(), string(b.Arguments())}, true
}

// EachBlock reads the content of a message block by block. It calls each after every one, which b then is. A string
// counts as one text block.
func (m Message) EachBlock(b *Block, each func()) {
	content := m.Content()
	if !content.IsArray() || len(m.rec.parts) == 0 { // a list without notes is empty or has too many blocks for them
		EachBlockOf(content, b, each)
		return
	}
	*b = Block{text: m.rec.view}
	for _, p := range m.rec.parts {
		if p.key.end > 0 {
			b.set(p.key, p.value)
			continue
		}
		b.end(p.value)
		each()
		*b = Block{text: b.text}
	}
	*b = Block{} // lets go of the text
}

// EachBlockOf is Message.EachBlock for any content.
func EachBlockOf(content Value, b *Block, each func()) {
	for *b = range BlocksOf(content) {
		each()
	}
	*b = Block{}
}

// Blocks returns the content block by block. A string counts as one text block.
func (m Message) Blocks() iter.Seq[Block] { return BlocksOf(m.Content()) }

// BlocksOf returns the blocks of any content value.
func BlocksOf(content Value) iter.Seq[Block] {
	return func(yield func(Block) bool) {
		if content.IsString() {
			yield(ReadBlock(content))
			return
		}
		for v := range content.Elements() {
			if !yield(ReadBlock(v)) {
				return
			}
		}
	}
}

// PlainText joins the text blocks of a content value with newlines.
func PlainText(content Value) string { return joinText(content, false) }

// SaidText is PlainText without the blocks that a program added to what was said. Only translations mark those.
func SaidText(content Value) string { return joinText(content, true) }

func joinText(content Value, onlySaid bool) string {
	var parts []string
	for b := range BlocksOf(content) {
		if b.Kind == BlockText && !(onlySaid && b.Value.Get("added").IsTrue()) {
			parts = append(parts, b.Text().String())
		}
	}
	return strings.Join(parts, "\n")
}
