package rebuild

import (
	"iter"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/read/media"
)

// Anthropic writes the messages for the Messages API, calling emit with one JSON object each. records must read the
// same transcript again.
func (p *Conversation) Anthropic(records iter.Seq2[*jsonl.Record, error], emit func(message []byte) error) error {
	return p.each(records, func(m message, c *contents) error {
		blocks := make([]string, len(m.pieces))
		for i, piece := range m.pieces {
			blocks[i] = c.anthropicBlock(piece)
		}
		role := "user"
		if m.assistant {
			role = "assistant"
		}
		return emit([]byte(`{"role":"` + role + `","content":` + list(blocks) + `}`))
	})
}

// each reads the records and calls its argument with every message and its contents.
func (p *Conversation) each(records iter.Seq2[*jsonl.Record, error], render func(message, *contents) error) error {
	needs := func(m int) []int32 { return p.ix.needs(p.messages[m].pieces) }
	return p.ix.assemble(records, len(p.messages), needs, func(m int, body func(int32) *jsonl.Record) error {
		return render(p.messages[m], &contents{ix: p.ix, body: body, values: map[int32][]jsonl.Value{}})
	})
}

// needs lists the entries of pieces, without adjacent repeats.
func (ix *Index) needs(pieces []piece) []int32 {
	var entries []int32
	for _, p := range pieces {
		source := ix.contentEntry(p.entry)
		if p.isOwn() || len(entries) > 0 && entries[len(entries)-1] == source {
			continue
		}
		entries = append(entries, source)
	}
	return entries
}

// isOwn reports whether a piece needs nothing from its record.
func (p *piece) isOwn() bool {
	return p.kind == pieceLine || p.kind == pieceResult && p.alter != nil && p.alter.text != ""
}

// contents returns the values of blocks of the entries that were loaded.
type contents struct {
	ix     *Index
	body   func(int32) *jsonl.Record
	values map[int32][]jsonl.Value
}

// block returns a block of an entry as it is in the record.
func (c *contents) block(entry, at int32) jsonl.Value {
	if values := c.blocks(entry); int(at) < len(values) {
		return values[at]
	}
	return nil
}

func (c *contents) blocks(entry int32) []jsonl.Value {
	values, ok := c.values[entry]
	if !ok {
		source := c.ix.contentEntry(entry)
		values = blockValues(c.ix.at(source), c.body(source))
		c.values[entry] = values
	}
	return values
}

// blockValues lists the blocks of an entry's content in the order of the index.
func blockValues(e *entry, rec *jsonl.Record) []jsonl.Value {
	return valuesIn(contentOf(e, rec))
}

// valuesIn lists the blocks of a content. What is no list counts as one block.
func valuesIn(content jsonl.Value) []jsonl.Value {
	if !content.IsArray() {
		return []jsonl.Value{content}
	}
	return slices.Collect(content.Elements())
}

// contentOf returns the content of an entry, as it is sent.
func contentOf(e *entry, rec *jsonl.Record) jsonl.Value {
	switch {
	case e.kind == kindCustomMessage:
		return rec.Get("content")
	case e.kind == kindContextEdit:
		return rec.Get("replacement").Get("content")
	}
	m, ok := rec.Message()
	switch {
	case !ok:
		return nil
	case e.has(projected):
		return m.SentContent()
	}
	return m.Content()
}

func (c *contents) anthropicBlock(p piece) string {
	switch p.kind {
	case pieceThinking:
		return c.thinking(p)
	case pieceImage:
		return c.image(c.block(p.entry, p.block))
	case pieceCall:
		id, name, input := c.call(p)
		return `{"type":"tool_use","id":` + jsonl.Quote(id) + `,"name":` + jsonl.Quote(name) + `,"input":` + input + `}`
	case pieceResult:
		return c.result(p)
	case pieceCheckpoint:
		return c.checkpoint(p)
	}
	return textBlock(c.text(p))
}

// checkpoint returns the checkpoint of a provider as a block of the Messages API.
func (c *contents) checkpoint(p piece) string {
	m, _ := c.body(p.entry).Message()
	r := m.Replay()
	return r.Block()
}

// text returns the text of a piece, as the inside of a JSON string.
func (c *contents) text(p piece) string {
	switch p.kind {
	case pieceLine:
		return quoteInner(p.alter.text)
	case pieceNarration:
		e := c.ix.at(p.entry)
		rec := c.body(p.entry)
		if e.role == roleBash {
			return jsontext.ReplaceLoneSurrogates(bashText(rec.Get("message")))
		}
		return jsontext.ReplaceLoneSurrogates(summaryText(e, rec))
	}
	b := jsonl.ReadBlock(c.block(p.entry, p.block))
	v := b.Text()
	if p.alter != nil && p.alter.trimmed {
		return quoteInner(jsontext.TrimEnd(v.String()))
	}
	return jsontext.ReplaceLoneSurrogates(inner(v))
}

func (c *contents) thinking(p piece) string {
	b := jsonl.ReadBlock(c.block(p.entry, p.block))
	signature := plainString(b.Signature())
	if c.ix.blocksOf(p.entry)[p.block].flags&redacted != 0 {
		return `{"type":"redacted_thinking","data":"` + inner(signature) + `"}`
	}
	return `{"type":"thinking","thinking":"` + jsontext.ReplaceLoneSurrogates(inner(b.Text())) +
		`","signature":"` + inner(signature) + `"}`
}

// image writes an image that can be sent.
func (c *contents) image(v jsonl.Value) string {
	mime, data := imageOf(v)
	return `{"type":"image","source":{"type":"base64","media_type":` + jsonl.Quote(mime) + `,"data":` + string(data) + `}}`
}

// imageOf returns the actual type of an image that can be sent, regardless of the stated one, and its data.
func imageOf(v jsonl.Value) (mime string, data jsonl.Value) {
	b := jsonl.ReadBlock(v)
	_, data = imageIn(&b)
	return media.ImageType(data), data
}

// call returns the parts of a call that are sent.
func (c *contents) call(p piece) (id, name, input string) {
	b := c.ix.blocksOf(p.entry)[p.block]
	id, name = c.answeredID(p), c.ix.names.text(b.name)
	if p.alter != nil && p.alter.name != "" {
		name = p.alter.name
	}
	call := jsonl.ReadBlock(c.block(p.entry, p.block))
	object := call.Arguments()
	if spelled, ok := parseObject(object); ok {
		object = spelled
	}
	return id, name, jsontext.ReplaceLoneSurrogates(string(object.UTF8()))
}

// answeredID returns the id of the call that a result answers, as the conversation has it.
func (c *contents) answeredID(p piece) string {
	if p.alter != nil && p.alter.id != "" {
		return p.alter.id
	}
	return c.ix.names.text(p.id)
}

func (c *contents) result(p piece) string {
	head := `{"type":"tool_result","tool_use_id":` + jsonl.Quote(c.answeredID(p))
	if p.isOwn() {
		return head + `,"content":` + textList(quoteInner(p.alter.text)) + `,"is_error":true}`
	}
	blocks := c.resultBlocks(p)
	if len(blocks) > 0 {
		head += `,"content":` + list(blocks)
	}
	failed := c.ix.at(p.entry).has(errorResult)
	if p.block >= 0 {
		failed = c.ix.blocksOf(p.entry)[p.block].flags&failedResult != 0
	}
	if failed {
		head += `,"is_error":true`
	}
	return head + `}`
}

func (c *contents) resultBlocks(p piece) []string {
	var blocks []string
	for _, t := range c.sentBlocks(p) {
		switch {
		case t.image != nil:
			blocks = append(blocks, c.image(t.image))
		case !t.isEmpty():
			blocks = append(blocks, textBlock(t.text))
		}
	}
	return blocks
}

// A sentBlock is one block of a result as it is sent: a text, as the inside of a JSON string, or an image.
type sentBlock struct {
	text  string
	image jsonl.Value
}

func (t sentBlock) String() string { return jsonl.Value(`"` + t.text + `"`).String() }
func (t sentBlock) isEmpty() bool  { return jsontext.IsBlank(t.String()) }

// sentBlocks returns the blocks of a result that are sent.
func (c *contents) sentBlocks(p piece) []sentBlock {
	var list []sentBlock
	for _, v := range c.resultValues(p) {
		switch b := jsonl.ReadBlock(v); {
		case b.Kind == jsonl.BlockText:
			list = append(list, sentBlock{text: jsontext.ReplaceLoneSurrogates(inner(b.Text()))})
		case b.Kind == jsonl.BlockImage && imageFlags(imageIn(&b))&sendable != 0:
			list = append(list, sentBlock{image: v})
		case b.Kind == jsonl.BlockImage:
			list = append(list, sentBlock{text: quoteInner(badImageLine)})
		case c.isValue(v):
			list = append(list, sentBlock{text: jsontext.ReplaceLoneSurrogates(quoteInner(string(v.UTF8())))})
		}
	}
	if p.alter != nil && p.alter.trim != nil {
		p.alter.trim.cut(list)
	}
	return list
}

// isValue reports whether a result is a JSON value that is sent as its text.
func (c *contents) isValue(v jsonl.Value) bool {
	return c.ix.rules.sendsValues && v.Exists() && !v.IsNull()
}

// resultValues lists the blocks of a result.
func (c *contents) resultValues(p piece) []jsonl.Value {
	if p.block < 0 {
		return c.blocks(p.entry)
	}
	result := jsonl.ReadBlock(c.block(p.entry, p.block))
	return valuesIn(result.Content())
}
