package rebuild

import "clawctl/pkg/jsonl"

// A block describes one block of a message's content in the index.
type block struct {
	kind  blockKind
	flags blockFlags
	id    sym // of a call, or of the call that a result answers
	name  sym // of the tool
}

type blockKind uint8

const (
	blockOther blockKind = iota
	blockText
	blockThinking
	blockImage
	blockCall
	blockResult // claw0's form of a tool result inside a message
)

// blockKindNamed returns the kind of block for a type name.
func blockKindNamed(name string) blockKind {
	switch name {
	case "text":
		return blockText
	case "thinking", "redacted_thinking":
		return blockThinking
	case "image":
		return blockImage
	case "toolCall", "toolUse", "functionCall", "tool_call", "tool_use", "function_call":
		return blockCall
	case "tool_result":
		return blockResult
	}
	return blockOther
}

type blockFlags uint16

const (
	blank        blockFlags = 1 << iota // no text other than white space
	signed                              // a thinking block with a complete signature from Anthropic
	redacted                            // a thinking block whose text only the provider can read
	pairs                               // a call that OpenClaw pairs with its result
	noInput                             // a call whose arguments are neither an object nor the text of one
	unfinished                          // a call whose arguments had not arrived completely
	sendable                            // an image that the API accepts, possibly after its type is corrected
	mistyped                            // an image whose stated type does not match its bytes
	openEnded                           // a text that ends with white space
	failedResult                        // a result inside a message that reports an error
	emptyResult                         // a result without content
	oddResult                           // a result with content that the API does not accept
	badImageIn                          // a result with an image that the API does not accept as it is
	oversized                           // an image that is larger than Anthropic's API accepts
)

// A walker calls a function with each member of a list of objects.
type walker interface {
	Parts(field func(key []byte, value jsonl.Value), end func(element jsonl.Value))
}

// content indexes the blocks of a message and reports whether OpenClaw can read them: a string, or a list of objects
// that each have a type.
func (s *sketcher) content(content jsonl.Value, parts walker) bool {
	switch {
	case !content.Exists() || content.IsNull():
		return false
	case content.IsString():
		s.blocks = append(s.blocks, block{kind: blockText, flags: textFlags(content), id: missing, name: missing})
		return true
	case content.IsObject(): // the only block of a tool result
		s.block(content)
		return false
	case !content.IsArray():
		s.blocks = append(s.blocks, block{id: missing, name: missing})
		return false
	}
	s.fits = true
	s.resetBlock()
	parts.Parts(s.onField, s.onEnd)
	return s.fits
}

// block indexes one block.
func (s *sketcher) block(v jsonl.Value) {
	s.resetBlock()
	for key, v := range v.Fields() {
		s.blockField(key, v)
	}
	s.blockEnd(v)
}

func (s *sketcher) resetBlock() {
	s.f = blockFields{}
	s.keys.reset()
}

func (s *sketcher) blockField(key []byte, v jsonl.Value) {
	if s.keys.repeats(key) {
		s.faults |= repeatedKey
	}
	s.f.take(key, v)
}

// blockEnd indexes the block whose fields have been read.
func (s *sketcher) blockEnd(jsonl.Value) {
	f := &s.f
	b := block{kind: blockKindOf(f.typ), id: missing, name: missing}
	switch b.kind {
	case blockText:
		b.flags = textFlags(f.text)
	case blockThinking:
		b.flags = f.thinkingFlags()
	case blockImage:
		mime, data := f.image()
		b.flags = imageFlags(mime, data)
		s.imageBytes += int64(len(data))
	case blockCall:
		b.id, b.name, b.flags = s.blockName(f.id), s.blockName(f.name), f.callFlags()
	case blockResult:
		b.id, b.flags = s.blockName(f.toolUseID), f.resultFlags()
	}
	if (b.kind == blockThinking || b.kind == blockCall) && f.isMasked(b, s.blanked) {
		s.faults |= masked
	}
	s.blocks = append(s.blocks, b)
	s.fits = s.fits && f.typ.IsString()
	s.resetBlock()
}

// typeField and typeEnd only check that every block has a type.
func (s *sketcher) typeField(key []byte, v jsonl.Value) {
	if string(key) == "type" {
		s.f.typ = v
	}
}

func (s *sketcher) typeEnd(jsonl.Value) {
	s.fits = s.fits && s.f.typ.IsString()
	s.f.typ = nil
}

// blockName returns the symbol of a value that is not a name, or notes the name.
func (s *sketcher) blockName(v jsonl.Value) sym {
	n := s.name(v)
	if len(n.text) == 0 {
		return n.sym
	}
	s.names = append(s.names, n)
	return nameFollows
}

// blockKindOf returns the kind of a type value. It only decodes a type that is written with escapes.
func blockKindOf(v jsonl.Value) blockKind {
	if !isFilled(v) {
		return blockOther
	}
	if kind := blockKindNamed(string(v[1 : len(v)-1])); kind != blockOther {
		return kind
	}
	return blockKindNamed(v.String())
}

// blockFields are the fields of a block that decide how it is sent.
type blockFields struct {
	typ, text, thinking, signature, redacted, data, mime, source jsonl.Value
	id, name, input, partial, toolUseID, content, isError        jsonl.Value
}

// fieldsOf reads the fields of a block.
func fieldsOf(v jsonl.Value) *blockFields {
	f := &blockFields{}
	for key, v := range v.Fields() {
		f.take(key, v)
	}
	return f
}

func (f *blockFields) take(key []byte, v jsonl.Value) {
	switch string(key) {
	case "type":
		f.typ = v
	case "text":
		f.text = v
	case "thinking":
		f.thinking = v
	case "thinkingSignature", "signature":
		if !isFilled(f.signature) {
			f.signature = v
		}
	case "content":
		f.content = v
	case "is_error":
		f.isError = v
	case "redacted":
		f.redacted = v
	case "data":
		f.data = v
	case "mimeType":
		f.mime = v
	case "source":
		f.source = v
	case "id":
		f.id = v
	case "tool_use_id":
		f.toolUseID = v
		if !f.id.Exists() {
			f.id = v // claw0's name for the id of a call
		}
	case "name":
		f.name = v
	case "arguments", "input":
		f.input = v
	case "partialJson":
		f.partial = v
	}
}

// A keySet holds the keys of an object, up to a number that real objects do not exceed.
type keySet struct {
	keys [32][]byte
	n    int
}

// reset lets go of the keys.
func (k *keySet) reset() {
	clear(k.keys[:k.n])
	k.n = 0
}

// repeats adds a key and reports whether it was already there.
func (k *keySet) repeats(key []byte) bool {
	for _, other := range k.keys[:k.n] {
		if string(other) == string(key) {
			return true
		}
	}
	if k.n < len(k.keys) {
		k.keys[k.n] = key
		k.n++
	}
	return false
}
