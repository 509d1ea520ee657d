package rebuild

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"clawctl/pkg/jsonl"
)

// A block is what the index keeps of one part of a message's content.
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

// blockKindNamed returns the kind of block that a type names.
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
	blank        blockFlags = 1 << iota // no text but white space
	signed                              // a thinking block whose signature is one of Anthropic's, and whole
	redacted                            // a thinking block whose text only the provider can read
	pairs                               // a call that OpenClaw pairs with its result
	noInput                             // a call without arguments that are, or spell, an object
	unfinished                          // a call whose arguments were still arriving
	sendable                            // an image that the API takes, maybe after its type is set right
	mistyped                            // an image that says it is of another type than its bytes are
	openEnded                           // a text that ends with white space
	failedResult                        // a result inside a message that reports an error
	emptyResult                         // one without content
	oddResult                           // one with content that the API does not take
)

// message reads the message of a message record.
func (s *scanner) message(rec *jsonl.Record) {
	e := s.e
	m, ok := rec.Message()
	if !ok {
		e.flags |= contentMissing | unknownRole
		return
	}
	if v := m.Get("role"); v.IsString() {
		e.role = roleNamed(string(v[1 : len(v)-1]))
		if e.role == roleOther {
			e.role = roleNamed(v.String()) // spelled with escapes
		}
	}
	if e.role == roleOther {
		e.flags |= unknownRole
	}
	if exclude := m.Get("excludeFromContext"); truthy(exclude) {
		e.flags |= hidden
		if exclude.IsTrue() {
			e.flags |= excluded
		}
	}
	content := m.Content()
	if !content.Exists() || content.IsNull() {
		e.flags |= contentMissing
	}
	contentFits := s.content(content, m)
	s.text(content)
	fits := false
	switch e.role {
	case roleUser:
		fits = contentFits
	case roleAssistant:
		fits = contentFits
		s.assistant(m)
	case roleToolResult:
		s.toolResult(m)
		fits = m.Get("toolCallId").IsString() && m.Get("toolName").IsString() && isBool(m.Get("isError")) &&
			(content.IsArray() || content.IsString() || content.IsObject())
	case roleCustom:
		fits = contentFits && m.Get("customType").IsString()
		if contentFits && !m.Get("customType").Exists() {
			e.flags |= hookFits
		}
	case roleHook:
		if contentFits {
			e.flags |= hookFits
		}
	case roleBash:
		fits = m.Get("command").IsString() && m.Get("output").IsString()
		for _, v := range []jsonl.Value{m.Get("command"), m.Get("output")} {
			s.text(v)
		}
	}
	if fits {
		e.flags |= bodyFits
	}
}

func (s *scanner) assistant(m jsonl.Message) {
	e := s.e
	e.ref, e.ref2 = s.familiar(m.Get("provider"), &s.provider), s.familiar(m.Get("model"), &s.model)
	switch string(m.Get("stopReason")) {
	case `"error"`, `"aborted"`:
		e.flags |= failed
	}
	if m.IsMirror() {
		e.flags |= mirror
	}
	if string(m.Get("api")) == `"cli"` {
		e.flags |= harness
	}
	flags, total := usageFlags(m.Get("usage"), e.has(mirror))
	e.flags |= flags
	if total > 0 && !e.has(mirror) {
		s.lastTotal = total
	}
}

// usageFlags looks at what a provider counted, and returns how large the context was.
func usageFlags(v jsonl.Value, mirror bool) (flags flags, total int64) {
	var input, output, read, write int64
	counted, old, known := false, false, 0
	for key, v := range v.Fields() {
		known++
		switch string(key) {
		case "input":
			input, counted = v.Int(), true
		case "output":
			output = v.Int()
		case "cacheRead":
			read = v.Int()
		case "cacheWrite":
			write = v.Int()
		case "totalTokens", "total":
			total = v.Int()
		case "prompt_tokens", "completion_tokens", "total_tokens":
			old = true
		default:
			known--
		}
		if known == 5 && !old {
			break // all that is counted; the prices follow
		}
	}
	sum := input + output + read + write
	switch {
	case mirror && sum > 0:
		flags = mirrorUsage
	case mirror:
	case old:
		flags = oldUsage
	case !counted || sum == 0:
		flags = noUsage
	case total != 0 && total != sum:
		flags = wrongTotal
	}
	if total == 0 {
		total = sum
	}
	return flags, total
}

// missingResult is what OpenClaw writes where a tool never answered.
const missingResult = "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair."

// callNames are the names under which the id of the answered call has been written, the one of today first.
var callNames = []string{"toolCallId", "toolUseId", "tool_call_id", "tool_use_id", "callId", "call_id"}

func (s *scanner) toolResult(m jsonl.Message) {
	e := s.e
	e.ref, e.ref2 = missing, s.familiar(m.Get("toolName"), &s.tool)
	for _, name := range callNames {
		v := m.Get(name)
		if !isFilled(v) {
			continue
		}
		if text := v[1 : len(v)-1]; isPlain(text) && text[0] > ' ' && text[len(text)-1] > ' ' {
			e.ref = s.names.of(text)
			break
		}
		if id := trimmed(v.String()); id != "" {
			e.ref = s.names.of([]byte(id))
			break
		}
	}
	if !truthy(m.Get("isError")) {
		return
	}
	e.flags |= errorResult
	if m.Get("details").Get("openclawSyntheticMissingToolResult").IsTrue() {
		e.flags |= synthetic
	}
	for b := range jsonl.BlocksOf(m.Content()) {
		if b.Type() == jsonl.BlockText && len(b.Value) < 2*len(missingResult) && b.Text() == missingResult {
			e.flags |= synthetic
		}
	}
}

// claw0Message reads one of claw0's lines, which are messages themselves.
func (s *scanner) claw0Message(rec *jsonl.Record) {
	e := s.e
	e.flags |= bodyFits
	m, ok := rec.Message()
	if !ok {
		return
	}
	switch rec.Type() {
	case jsonl.TypeUser:
		e.role = roleUser
	case jsonl.TypeAssistant:
		e.role = roleAssistant
	case jsonl.TypeToolUse:
		e.role = roleAssistant
		e.flags |= claw0Call
		s.block(rec.Value())
		s.text(rec.Value())
		return
	case jsonl.TypeToolResult:
		e.role = roleToolResult
		e.ref = s.name(rec.Get("tool_use_id"))
		if truthy(rec.Get("is_error")) {
			e.flags |= errorResult
		}
	}
	s.content(m.Content(), m)
	s.text(m.Content())
}

// text notes what is wrong with a text that a model may see, or with a list of blocks.
func (s *scanner) text(v jsonl.Value) {
	if looksSecret(v) {
		s.e.flags |= secret
	}
	if s.surrogates && hasLoneSurrogate(v) {
		s.e.flags |= loneSurrogate
	}
	if s.damaged && !utf8.Valid(v) {
		s.e.flags |= badText
	}
}

// A walker gives the members of a list of objects.
type walker interface {
	Parts(field func(key []byte, value jsonl.Value), end func(element jsonl.Value))
}

// content notes the blocks of a message and reports whether OpenClaw can read them: a string, or a list of objects that
// each have a type.
func (s *scanner) content(content jsonl.Value, parts walker) bool {
	switch {
	case !content.Exists() || content.IsNull():
		return false
	case content.IsString():
		s.blocks = append(s.blocks, block{kind: blockText, flags: textFlags(content), id: missing, name: missing})
		return true
	case content.IsObject(): // a tool result's only block
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

// block notes one block.
func (s *scanner) block(v jsonl.Value) {
	s.resetBlock()
	for key, v := range v.Fields() {
		s.blockField(key, v)
	}
	s.blockEnd(v)
}

func (s *scanner) resetBlock() {
	s.f = blockFields{}
	s.keys.n = 0
}

func (s *scanner) blockField(key []byte, v jsonl.Value) {
	if s.keys.repeats(key) {
		s.e.flags |= repeatedKey
	}
	s.f.take(key, v)
}

// blockEnd notes the block whose fields have been read.
func (s *scanner) blockEnd(jsonl.Value) {
	f := &s.f
	b := block{kind: blockKindOf(f.typ), id: missing, name: missing}
	switch b.kind {
	case blockText:
		b.flags = textFlags(f.text)
	case blockThinking:
		b.flags = f.thinkingFlags()
	case blockImage:
		b.flags = f.imageFlags()
		_, data := f.image()
		s.imageBytes += int64(len(data))
	case blockCall:
		b.id, b.name, b.flags = s.name(f.id), s.name(f.name), f.callFlags()
	case blockResult:
		b.id, b.flags = s.name(f.toolUseID), f.resultFlags()
	}
	if (b.kind == blockThinking || b.kind == blockCall) && f.isMasked(b) {
		s.e.flags |= masked
	}
	s.blocks = append(s.blocks, b)
	s.fits = s.fits && f.typ.IsString()
	s.resetBlock()
}

// blockKindOf reads a type; only one that is spelled with escapes is decoded.
func blockKindOf(v jsonl.Value) blockKind {
	if !isFilled(v) {
		return blockOther
	}
	if kind := blockKindNamed(string(v[1 : len(v)-1])); kind != blockOther {
		return kind
	}
	return blockKindNamed(v.String())
}

// blockFields are the fields of a block that decide what becomes of it.
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

// signed returns what a provider signed a thinking block with.
func (f *blockFields) signed() jsonl.Value {
	if string(f.typ) == `"redacted_thinking"` {
		return plainString(f.data)
	}
	return plainString(f.signature)
}

// plainString is a string without the escapes that it need not have: some programs write a slash with one.
func plainString(v jsonl.Value) jsonl.Value {
	if !v.IsString() || bytes.IndexByte(v, '\\') < 0 {
		return v
	}
	return jsonl.Value(quote(v.String()))
}

// resultFlags looks at a result that is a block of a message.
func (f *blockFields) resultFlags() (flags blockFlags) {
	if truthy(f.isError) {
		flags |= failedResult
	}
	filled := false
	for b := range jsonl.BlocksOf(f.content) {
		switch kind := blockKindOf(b.Get("type")); {
		case b.IsString(), kind == blockText:
			filled = filled || !isEmpty(b.Text())
		case kind == blockImage:
			filled = true
			if fieldsOf(b.Value).imageFlags()&(sendable|mistyped) != sendable {
				flags |= oddResult
			}
		default:
			flags |= oddResult
		}
	}
	if !filled {
		flags |= emptyResult
	}
	return flags
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
			f.id = v // claw0's name of a call's id
		}
	case "name":
		f.name = v
	case "arguments", "input":
		f.input = v
	case "partialJson":
		f.partial = v
	}
}

// textFlags tells a text that is nothing but white space, and one that ends with some: the API refuses the one
// everywhere, the other at the end of a request.
func textFlags(text jsonl.Value) (flags blockFlags) {
	if !text.IsString() || len(text) < 3 {
		return blank
	}
	if isWhiteText(text[1 : len(text)-1]) {
		return blank
	}
	if endsWhite(text[1 : len(text)-1]) {
		flags |= openEnded
	}
	return flags
}

// isWhiteText reports whether the inside of a JSON string is nothing but white space. The first character that is none
// decides, so that hardly anything is looked at.
func isWhiteText(text []byte) bool {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == '\\' {
			if r, size = '\n', 2; strings.IndexByte("ntrf", text[1]) < 0 {
				unit, ok := escapedUnit(text, 0)
				if !ok {
					return false
				}
				r, size = unit, 6
			}
		}
		if !isWhite(r) {
			return false
		}
		text = text[size:]
	}
	return true
}

// endsWhite reports whether the inside of a JSON string ends with white space, plain or as an escape.
func endsWhite(text []byte) bool {
	last, size := utf8.DecodeLastRune(text)
	if at := bytes.LastIndexByte(text[max(0, len(text)-6):], '\\'); at >= 0 {
		at += max(0, len(text)-6)
		switch {
		case isEscaped(text, at):
		case len(text)-at == 2:
			return strings.IndexByte("ntrf", text[at+1]) >= 0
		case len(text)-at == 6:
			unit, ok := escapedUnit(text, at)
			return ok && isWhite(unit)
		}
	}
	return size > 0 && isWhite(last)
}

// trimEnd cuts off the white space at the end of a text, in the widest sense.
func trimEnd(text string) string { return strings.TrimRightFunc(text, isWhite) }

// isEmpty reports whether a text is nothing but white space, in the widest sense.
func isEmpty(text string) bool { return strings.TrimLeftFunc(text, isWhite) == "" }

// isWhite knows the white space of Go, JavaScript and Python.
func isWhite(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' || r >= 0x1c && r <= 0x1f }

func (f *blockFields) thinkingFlags() (flags blockFlags) {
	if string(f.typ) == `"redacted_thinking"` || f.redacted.IsTrue() {
		flags |= redacted
	}
	if isSignature(f.signed()) {
		flags |= signed
	}
	if !isFilled(f.thinking) {
		flags |= blank
	}
	return flags
}

// isSignature reports whether a text can be a signature of Anthropic's that is whole: base64 of a protocol buffer, whose
// fields end exactly where the bytes do. One that was cut off, and those of other providers, are not.
func isSignature(text jsonl.Value) bool {
	if !text.IsString() || len(text) < 2+24 || !isBase64(text[1:len(text)-1]) {
		return false
	}
	return isProtobuf(encoded(text[1 : len(text)-1]))
}

// encoded is bytes in base64, of which only those are decoded that are asked for.
type encoded []byte

func (e encoded) len() int { return len(e)/4*3 - bytes.Count(e[len(e)-2:], []byte("=")) }

func (e encoded) at(i int) byte {
	group := e[i/3*4:]
	bits := sextets[group[0]]<<18 | sextets[group[1]]<<12 | sextets[group[2]]<<6 | sextets[group[3]]
	return byte(bits >> (16 - 8*(i%3)))
}

// varint reads a number in the way of protocol buffers at an index; n is 0 where there is none.
func (e encoded) varint(i int) (value uint64, n int) {
	for ; n < 10 && i+n < e.len(); n++ {
		c := e.at(i + n)
		value |= uint64(c&0x7f) << (7 * n)
		if c < 0x80 {
			return value, n + 1
		}
	}
	return 0, 0
}

// isProtobuf reports whether bytes are the fields of a protocol buffer, and nothing else.
func isProtobuf(e encoded) bool {
	for i := 0; i < e.len(); {
		tag, n := e.varint(i)
		if n == 0 || tag>>3 == 0 {
			return false
		}
		i += n
		size := uint64(0)
		switch tag & 7 {
		case 0:
			if _, n = e.varint(i); n == 0 {
				return false
			}
			size = uint64(n)
		case 1:
			size = 8
		case 2:
			length, n := e.varint(i)
			if n == 0 {
				return false
			}
			size = uint64(n) + length
		case 5:
			size = 4
		default:
			return false
		}
		if size > uint64(e.len()-i) {
			return false
		}
		i += int(size)
	}
	return true
}

// maxImage is how much base64 of an image the API takes.
const maxImage = 5 << 20

// imageFlags checks what the API checks of an image: that it has data in base64, of one of four types.
func (f *blockFields) imageFlags() blockFlags {
	mime, data := f.image()
	if !data.IsString() || len(data)-2 > maxImage || !isBase64(data[1:len(data)-1]) {
		return 0
	}
	actual := imageType(data)
	switch {
	case actual == "" && !imageTypes[mime.String()]:
		return 0
	case actual != "" && actual != mime.String():
		return sendable | mistyped
	}
	return sendable
}

// image returns the type and data of an image, in OpenClaw's form or the API's.
func (f *blockFields) image() (mime, data jsonl.Value) {
	if f.source.IsObject() {
		return f.source.Get("media_type"), plainString(f.source.Get("data"))
	}
	return f.mime, plainString(f.data)
}

var imageTypes = map[string]bool{"image/jpeg": true, "image/png": true, "image/gif": true, "image/webp": true}

// isBase64 reports whether a text is base64 with its padding.
func isBase64(text []byte) bool {
	if len(text) == 0 || len(text)%4 != 0 {
		return false
	}
	body := bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("=")), []byte("="))
	wrong := byte(0)
	pairs := notPairs()
	for ; len(body) >= 8; body = body[8:] {
		word := binary.LittleEndian.Uint64(body)
		wrong |= pairs[uint16(word)] | pairs[uint16(word>>16)] | pairs[uint16(word>>32)] | pairs[uint16(word>>48)]
	}
	for _, c := range body {
		wrong |= notBase64[c]
	}
	return wrong == 0
}

// notPairs is notBase64 for two bytes at a time: images are most of the bytes of many transcripts.
var notPairs = sync.OnceValue(func() *[1 << 16]byte {
	table := new([1 << 16]byte)
	for pair := range table {
		table[pair] = notBase64[byte(pair)] | notBase64[pair>>8]
	}
	return table
})

// base64Alphabet are the characters of base64, by what they stand for.
const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// notBase64 is 1 for every byte outside the alphabet, sextets what those inside stand for.
var notBase64, sextets = func() (outside [256]byte, values [256]uint32) {
	for c := range outside {
		if value := strings.IndexByte(base64Alphabet, byte(c)); value < 0 {
			outside[c] = 1
		} else {
			values[c] = uint32(value)
		}
	}
	return outside, values
}()

// imageType tells the type of an image by its first bytes, "" where they do not tell.
func imageType(data jsonl.Value) string {
	if len(data) < 18 || !isBase64(data[1:17]) {
		return ""
	}
	var head [12]byte
	for i := range head {
		head[i] = encoded(data[1:17]).at(i)
	}
	switch {
	case bytes.HasPrefix(head[:], []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(head[:], []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(head[:], []byte("GIF87a")), bytes.HasPrefix(head[:], []byte("GIF89a")):
		return "image/gif"
	case bytes.HasPrefix(head[:], []byte("RIFF")) && string(head[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

func (f *blockFields) callFlags() (flags blockFlags) {
	switch f.typ.String() {
	case "toolCall", "toolUse", "functionCall":
		if f.id.IsString() && len(f.id) > 2 {
			flags |= pairs
		}
	}
	if !f.input.IsObject() && !spellsObject(f.input) {
		flags |= noInput
	}
	if f.partial.IsString() && !isClosed(f.partial) {
		flags |= unfinished
	}
	return flags
}

// isClosed reports whether a string spells an object to its last brace, as arguments do that arrived whole.
func isClosed(v jsonl.Value) bool {
	depth, quoted, began := 0, false, false
	text := v[1 : len(v)-1] // its quotes are escaped, and the escapes inside its strings twice
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
			switch {
			case text[i] == '"':
				quoted = !quoted
			case text[i] == '\\' && quoted:
				i++ // the escaped character; one that has an escape of its own takes another
				if i < len(text) && text[i] == '\\' {
					i++
				}
			}
		case quoted:
		case c == '{' || c == '[':
			depth++
			began = true
		case c == '}' || c == ']':
			depth--
		}
	}
	return began && depth == 0 && !quoted
}

// spellsObject reports whether a string is the JSON text of an object, as some providers write arguments.
func spellsObject(v jsonl.Value) bool {
	_, ok := spelledObject(v)
	return ok
}

func spelledObject(v jsonl.Value) (object jsonl.Value, ok bool) {
	if !v.IsString() {
		return nil, false
	}
	text := strings.TrimSpace(v.String())
	if !strings.HasPrefix(text, "{") {
		return nil, false
	}
	return jsonl.Value(text), json.Valid([]byte(text))
}

// truthy reports whether JavaScript takes a value for true.
func truthy(v jsonl.Value) bool {
	switch {
	case !v.Exists(), v.IsNull(), string(v) == "false", string(v) == `""`:
		return false
	case v.IsNumber():
		return v.Float() != 0
	}
	return true
}

func isBool(v jsonl.Value) bool { return v.IsTrue() || string(v) == "false" }

// number is what JavaScript makes of a string where it needs a number.
func number(text string) float64 {
	text = strings.TrimFunc(text, isSpace)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// isMasked reports whether something was blanked out in what a provider gets back as it stands: signatures, ids and
// arguments.
func (f *blockFields) isMasked(b block) bool {
	if b.kind == blockThinking {
		return b.flags&signed == 0 && (bytes.Contains(f.signature, []byte("REDACTED")) || bytes.Contains(f.signature, []byte("***")))
	}
	return bytes.Contains(f.id, []byte("***")) || bytes.Contains(f.id, []byte("REDACTED")) || bytes.Contains(f.input, []byte("REDACTED"))
}

// A secretMark begins a key; so many characters of it follow at least.
type secretMark struct {
	mark string
	more int
}

// The marks by the character that ends them, by which they are found.
var (
	dashedMarks = []secretMark{{"sk-", 20}, {"xoxb-", 20}, {"xoxp-", 20}, {"PRIVATE KEY-", 0}}
	linedMarks  = []secretMark{{"ghp_", 30}, {"gho_", 30}, {"github_pat_", 30}}
)

// looksSecret reports whether a text holds what looks like a key.
func looksSecret(text []byte) bool {
	for at := bytes.IndexByte(text, '-'); at >= 0; at = nextByte(text, at+1, '-') {
		if at > 0 && (text[at-1] == 'k' || text[at-1] == 'b' || text[at-1] == 'p' || text[at-1] == 'Y') && isMarked(text, at, dashedMarks) {
			return true
		}
	}
	for at := bytes.IndexByte(text, '_'); at >= 0; at = nextByte(text, at+1, '_') {
		if at > 0 && (text[at-1] == 'p' || text[at-1] == 'o' || text[at-1] == 't') && isMarked(text, at, linedMarks) {
			return true
		}
	}
	return false
}

func nextByte(text []byte, from int, c byte) int {
	if at := bytes.IndexByte(text[from:], c); at >= 0 {
		return from + at
	}
	return -1
}

// isMarked reports whether a mark that a key follows ends at an index.
func isMarked(text []byte, at int, marks []secretMark) bool {
	for _, m := range marks {
		before := at + 1 - len(m.mark)
		if before < 0 || string(text[before:at+1]) != m.mark || before > 0 && isKeyCharacter(text[before-1]) && !(before > 1 && text[before-2] == '\\') {
			continue
		}
		n := 0
		for at+1+n < len(text) && n < m.more && isKeyCharacter(text[at+1+n]) {
			n++
		}
		if n >= m.more {
			return true
		}
	}
	return false
}

func isKeyCharacter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}
