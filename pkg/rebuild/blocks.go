package rebuild

import (
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
)

// A block describes one block of a message's content in the index.
type block struct {
	kind  jsonl.BlockKind
	flags blockFlags
	id    sym // of a call, or of the call that a result answers
	name  sym // of the tool
}

// A blockList has the blocks of all entries in order. Those of one entry are in one chunk, and chunks need no spare
// room to grow. A place in the list is the number of a chunk, and that of a block in it.
type blockList struct{ chunks [][]block }

// blockBits is the size of a chunk of blocks as a power of two. Blocks of one entry that are more have a larger one.
const blockBits = 10

// end returns the place after the last block.
func (l *blockList) end() uint32 {
	last := len(l.chunks) - 1
	if last < 0 {
		return 0
	}
	return uint32(last<<blockBits + min(len(l.chunks[last]), 1<<blockBits))
}

// add adds the blocks of an entry and returns the place of the first one.
func (l *blockList) add(blocks []block) uint32 {
	last := len(l.chunks) - 1
	switch {
	case len(blocks) == 0:
		return l.end()
	case last < 0:
		l.chunks = append(l.chunks, nil)
		last = 0
	case len(l.chunks[last])+len(blocks) > 1<<blockBits:
		l.chunks = append(l.chunks, make([]block, 0, max(len(blocks), 1<<blockBits)))
		last++
	}
	first := last<<blockBits + len(l.chunks[last])
	l.chunks[last] = append(l.chunks[last], blocks...)
	return uint32(first)
}

// join adds another list, and returns what its places begin with.
func (l *blockList) join(other blockList) uint32 {
	base := len(l.chunks) << blockBits
	l.chunks = append(l.chunks, other.chunks...)
	return uint32(base)
}

// between returns the blocks from one place to another, which is behind the last of them or where the next entry's are.
func (l *blockList) between(start, end uint32) []block {
	if start == end {
		return nil
	}
	chunk, from := l.chunks[start>>blockBits], start&(1<<blockBits-1)
	if end>>blockBits == start>>blockBits {
		return chunk[from : end&(1<<blockBits-1)]
	}
	return chunk[from:]
}

type blockFlags uint16

const (
	blank         blockFlags = 1 << iota // no text other than white space
	signed                               // a thinking block with a complete signature from Anthropic
	redacted                             // a thinking block whose text only the provider can read
	pairs                                // a call that OpenClaw pairs with its result
	noInput                              // a call whose arguments are neither an object nor the text of one
	unfinished                           // a call whose arguments had not arrived completely
	sendable                             // an image that the API accepts, possibly after its type is corrected
	mistyped                             // an image whose stated type does not match its bytes
	openEnded                            // a text that ends with white space
	failedResult                         // a result inside a message that reports an error
	emptyResult                          // a result without content
	oddResult                            // a result with content that the API does not accept
	badImageIn                           // a result with an image that the API does not accept as it is
	oversized                            // an image that is larger than Anthropic's API accepts
	halfInput                            // a call whose arguments have half of a character
	wronglySigned                        // a thinking block with a signature that is neither Anthropic's nor OpenAI's
)

// These flags of calls are bits that only texts have otherwise.
const (
	noArguments   = blank     // a call whose arguments are missing
	nullArguments = openEnded // a call whose arguments are null
)

// A walker reads a content block by block.
type walker interface {
	EachBlock(b *jsonl.Block, each func())
}

// A plainContent is a content that the reader has not noted.
type plainContent jsonl.Value

func (c plainContent) EachBlock(b *jsonl.Block, each func()) {
	jsonl.EachBlockOf(jsonl.Value(c), b, each)
}

// content indexes the blocks of a message and reports whether OpenClaw can read them: a string, or a list of objects
// that each have a type.
func (s *sketcher) content(content jsonl.Value, blocks walker) bool {
	switch {
	case !content.Exists() || content.IsNull():
		return false
	case content.IsString():
		s.sketch.blocks = append(s.sketch.blocks,
			block{kind: jsonl.BlockText, flags: textFlags(content), id: missing, name: missing})
		return true
	case content.IsObject(): // the only block of a tool result
		s.block(content)
		return false
	case !content.IsArray():
		s.sketch.blocks = append(s.sketch.blocks, block{id: missing, name: missing})
		return false
	}
	s.fits = true
	blocks.EachBlock(&s.b, s.onBlock)
	return s.fits
}

// block indexes one block.
func (s *sketcher) block(v jsonl.Value) {
	s.b = jsonl.ReadBlock(v)
	s.addBlock()
}

// addBlock indexes the block that was read.
func (s *sketcher) addBlock() {
	read := &s.b
	b := block{kind: kindOfBlock(read), id: missing, name: missing}
	switch b.kind {
	case jsonl.BlockText:
		b.flags = textFlags(read.Text())
	case jsonl.BlockThinking:
		b.flags = thinkingFlags(read)
	case jsonl.BlockImage:
		mime, data := imageIn(read)
		b.flags = imageFlags(mime, data)
		s.sketch.imageBytes += int64(len(data))
	case jsonl.BlockToolCall:
		b.id, b.name, b.flags = s.blockName(read.CallID()), s.blockName(read.ToolName()), callFlags(read)
		if s.surrogates && jsontext.HasLoneSurrogate(read.Arguments()) {
			b.flags |= halfInput
		}
	case jsonl.BlockToolResult:
		b.id, b.flags = s.blockName(read.Answers()), resultFlags(read)
	}
	if (b.kind == jsonl.BlockThinking || b.kind == jsonl.BlockToolCall) && isMasked(read, b, s.inspects) {
		s.sketch.fault(Masked)
	}
	if read.RepeatsKey() {
		s.sketch.fault(RepeatedKey)
	}
	s.sketch.blocks = append(s.sketch.blocks, b)
	s.checkType()
}

// checkType only checks that every block has a type.
func (s *sketcher) checkType() { s.fits = s.fits && s.b.StatedType().IsString() }

// kindOfBlock returns the kind of a block in the index. Redacted thinking is thinking with a flag, and a bare string in
// a list is nothing that OpenClaw reads.
func kindOfBlock(b *jsonl.Block) jsonl.BlockKind {
	switch {
	case b.Value.IsString():
		return jsonl.BlockOther
	case b.Kind == jsonl.BlockRedacted:
		return jsonl.BlockThinking
	}
	return b.Kind
}

// blockName returns the symbol of a value that is not a name, or notes the name.
func (s *sketcher) blockName(v jsonl.Value) sym {
	n := s.name(v)
	if len(n.text) == 0 {
		return n.sym
	}
	s.sketch.names = append(s.sketch.names, n)
	return nameFollows
}
