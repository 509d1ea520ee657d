package rebuild

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"strings"
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

var blockKinds = map[string]blockKind{
	"text": blockText, "thinking": blockThinking, "redacted_thinking": blockThinking, "image": blockImage,
	"toolCall": blockCall, "toolUse": blockCall, "functionCall": blockCall,
	"tool_call": blockCall, "tool_use": blockCall, "function_call": blockCall,
	"tool_result": blockResult,
}

type blockFlags uint16

const (
	blank      blockFlags = 1 << iota // no text but white space
	signed                            // a thinking block whose signature is one of Anthropic's, and whole
	redacted                          // a thinking block whose text only the provider can read
	pairs                             // a call that OpenClaw pairs with its result
	noInput                           // a call without arguments that are, or spell, an object
	unfinished                        // a call whose arguments were still arriving
	sendable                          // an image that the API takes, maybe after its type is set right
	mistyped                          // an image that says it is of another type than its bytes are
	openEnded                         // a text that ends with white space
)

// message reads the message of a message record.
func (s *scanner) message(rec *jsonl.Record) {
	e := s.e
	message := rec.Get("message")
	if !message.IsObject() {
		e.flags |= contentMissing
		return
	}
	var f messageFields
	s.keys.reset()
	for key, v := range message.Fields() {
		s.note(key)
		f.take(key, v)
	}
	if f.role.IsString() {
		e.role = roles[f.role.String()]
	}
	if e.role == roleOther {
		e.flags |= unknownRole
	}
	if f.exclude.IsTrue() {
		e.flags |= excluded
	}
	if truthy(f.exclude) {
		e.flags |= hidden
	}
	if !f.content.Exists() || f.content.IsNull() {
		e.flags |= contentMissing
	}
	contentFits := s.content(f.content)
	s.text(f.content)
	fits := false
	switch e.role {
	case roleUser:
		fits = contentFits
	case roleAssistant:
		fits = contentFits
		s.assistant(&f)
	case roleToolResult:
		s.toolResult(&f)
		fits = f.toolCallID.IsString() && f.toolName.IsString() && isBool(f.isError) &&
			(f.content.IsArray() || f.content.IsString() || f.content.IsObject())
	case roleCustom:
		fits = contentFits && f.customType.IsString()
		if contentFits && !f.customType.Exists() {
			e.flags |= hookFits
		}
	case roleHook:
		if contentFits {
			e.flags |= hookFits
		}
	case roleBash:
		fits = f.command.IsString() && f.output.IsString()
		s.text(f.command)
		s.text(f.output)
	}
	if fits {
		e.flags |= bodyFits
	}
}

// messageFields are the fields of a message that decide what becomes of it.
type messageFields struct {
	role, content, exclude, customType, command, output                 jsonl.Value
	provider, model, stopReason, toolCallID, toolName, isError, details jsonl.Value
	toolUseID, toolCallSnake, toolUseSnake, callID, callSnake           jsonl.Value
	usage, api                                                          jsonl.Value
}

func (f *messageFields) take(key []byte, v jsonl.Value) {
	switch string(key) {
	case "role":
		f.role = v
	case "content":
		f.content = v
	case "excludeFromContext":
		f.exclude = v
	case "customType":
		f.customType = v
	case "command":
		f.command = v
	case "output":
		f.output = v
	case "provider":
		f.provider = v
	case "model":
		f.model = v
	case "stopReason":
		f.stopReason = v
	case "toolCallId":
		f.toolCallID = v
	case "toolUseId":
		f.toolUseID = v
	case "tool_call_id":
		f.toolCallSnake = v
	case "tool_use_id":
		f.toolUseSnake = v
	case "callId":
		f.callID = v
	case "call_id":
		f.callSnake = v
	case "toolName":
		f.toolName = v
	case "isError":
		f.isError = v
	case "details":
		f.details = v
	case "usage":
		f.usage = v
	case "api":
		f.api = v
	}
}

func (s *scanner) assistant(f *messageFields) {
	e := s.e
	e.ref, e.ref2 = s.name(f.provider), s.name(f.model)
	switch f.stopReason.String() {
	case "error", "aborted":
		e.flags |= failed
	}
	if f.provider.String() == "openclaw" {
		switch f.model.String() {
		case "delivery-mirror", "gateway-injected", "acp-runtime":
			e.flags |= mirror
		}
	}
	if f.api.String() == "cli" {
		e.flags |= harness
	}
	flags, total := usageFlags(f.usage, e.has(mirror))
	e.flags |= flags
	if total > 0 && !e.has(mirror) {
		s.lastTotal = int64(total)
	}
}

// usageFlags looks at what a provider counted, and returns how large the context was.
func usageFlags(v jsonl.Value, mirror bool) (flags flags, total float64) {
	var input, output, read, write float64
	counted, old := false, false
	for key, v := range v.Fields() {
		switch string(key) {
		case "input":
			input, counted = v.Float(), true
		case "output":
			output = v.Float()
		case "cacheRead":
			read = v.Float()
		case "cacheWrite":
			write = v.Float()
		case "totalTokens", "total":
			total = v.Float()
		case "prompt_tokens", "completion_tokens", "total_tokens":
			old = true
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

func (s *scanner) toolResult(f *messageFields) {
	e := s.e
	e.ref, e.ref2 = missing, s.name(f.toolName)
	for _, v := range []jsonl.Value{f.toolCallID, f.toolUseID, f.toolCallSnake, f.toolUseSnake, f.callID, f.callSnake} {
		if id := strings.TrimFunc(v.String(), isSpace); id != "" {
			e.ref = s.names.of([]byte(id))
			break
		}
	}
	if !truthy(f.isError) {
		return
	}
	e.flags |= errorResult
	if f.details.Get("openclawSyntheticMissingToolResult").IsTrue() {
		e.flags |= synthetic
	}
	for b := range jsonl.BlocksOf(f.content) {
		if b.Type() == jsonl.BlockText && b.Text() == missingResult {
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
	s.content(m.Content())
	s.text(m.Content())
}

// text notes what is wrong with the characters of a text that a model may see.
func (s *scanner) text(v jsonl.Value) {
	if hasLoneSurrogate(v) {
		s.e.flags |= loneSurrogate
	}
	if s.damaged && !utf8.Valid(v) {
		s.e.flags |= badText
	}
}

// content notes the blocks of a message and reports whether OpenClaw can read them: a string, or a list of objects that
// each have a type.
func (s *scanner) content(content jsonl.Value) bool {
	if content.IsString() {
		s.blocks = append(s.blocks, block{kind: blockText, flags: textFlags(content), id: missing, name: missing})
		return true
	}
	if content.IsObject() { // a tool result's only block
		s.block(content)
		return false
	}
	if content.Exists() && !content.IsNull() && !content.IsArray() {
		s.blocks = append(s.blocks, block{id: missing, name: missing})
		return false
	}
	fits := content.IsArray()
	for v := range content.Elements() {
		if !s.block(v) {
			fits = false
		}
	}
	return fits
}

// block notes one block and reports whether it has a type.
func (s *scanner) block(v jsonl.Value) bool {
	var f blockFields
	s.keys.reset()
	for key, v := range v.Fields() {
		s.note(key)
		f.take(key, v)
	}
	if f.isMasked() {
		s.e.flags |= masked
	}
	b := block{kind: blockKinds[f.typ.String()], id: missing, name: missing}
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
		b.id = s.name(f.toolUseID)
	}
	s.blocks = append(s.blocks, b)
	return f.typ.IsString()
}

// blockFields are the fields of a block that decide what becomes of it.
type blockFields struct {
	typ, text, thinking, signature, redacted, data, mime, source jsonl.Value
	id, name, input, partial, toolUseID                          jsonl.Value
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
		f.signature = v
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
	if text[1] <= ' ' || text[1] >= 0x80 || text[1] == '\\' { // the first character shows it, nearly always
		if isEmpty(text.String()) {
			return blank
		}
	}
	// The last byte shows the other, unless it may be the end of an escape or of a longer character.
	last, escape := text[len(text)-2], bytes.IndexByte(text[max(1, len(text)-7):], '\\') >= 0
	if last == ' ' || (last >= 0x80 || escape) && endsBlank(text.String()) {
		flags |= openEnded
	}
	return flags
}

func endsBlank(text string) bool { return trimEnd(text) != text }

// trimEnd cuts off the white space at the end of a text, in the widest sense.
func trimEnd(text string) string { return strings.TrimRightFunc(text, isWhite) }

// isEmpty reports whether a text is nothing but white space, in the widest sense.
func isEmpty(text string) bool { return strings.TrimLeftFunc(text, isWhite) == "" }

// isWhite knows the white space of Go, JavaScript and Python.
func isWhite(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' || r >= 0x1c && r <= 0x1f }

func (f *blockFields) thinkingFlags() (flags blockFlags) {
	signature := f.signature.String()
	if f.typ.String() == "redacted_thinking" {
		signature, flags = f.data.String(), redacted
	}
	if f.redacted.IsTrue() {
		flags |= redacted
	}
	if isSignature(signature) {
		flags |= signed
	}
	if f.thinking.String() == "" {
		flags |= blank
	}
	return flags
}

// isSignature reports whether a text can be a signature of Anthropic's that is whole: base64 of a protocol buffer, whose
// fields end exactly where the bytes do. One that was cut off, and those of other providers, are not.
func isSignature(text string) bool {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(data) < 16 {
		return false
	}
	for len(data) > 0 {
		tag, n := varint(data)
		if n == 0 || tag>>3 == 0 {
			return false
		}
		data = data[n:]
		size := uint64(0)
		switch tag & 7 {
		case 0:
			_, n = varint(data)
			if n == 0 {
				return false
			}
			size = uint64(n)
		case 1:
			size = 8
		case 2:
			length, n := varint(data)
			if n == 0 {
				return false
			}
			size = uint64(n) + length
		case 5:
			size = 4
		default:
			return false
		}
		if size > uint64(len(data)) {
			return false
		}
		data = data[size:]
	}
	return true
}

// varint reads a number in the way of protocol buffers; n is 0 where there is none.
func varint(data []byte) (value uint64, n int) {
	for i, c := range data {
		if i == 10 {
			break
		}
		value |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return value, i + 1
		}
	}
	return 0, 0
}

// maxImage is how much base64 of an image the API takes.
const maxImage = 5 << 20

// imageFlags checks what the API checks of an image: that it has data in base64, of one of four types.
func (f *blockFields) imageFlags() blockFlags {
	mime, data := f.image()
	if len(data) < 2 || len(data)-2 > maxImage || !isBase64(data[1:len(data)-1]) {
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
		return f.source.Get("media_type"), f.source.Get("data")
	}
	return f.mime, f.data
}

var imageTypes = map[string]bool{"image/jpeg": true, "image/png": true, "image/gif": true, "image/webp": true}

// isBase64 reports whether a text is base64 with its padding.
func isBase64(text []byte) bool {
	if len(text) == 0 || len(text)%4 != 0 {
		return false
	}
	body := bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("=")), []byte("="))
	for _, c := range body {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/') {
			return false
		}
	}
	return true
}

// imageType tells the type of an image by its first bytes, "" where they do not tell.
func imageType(data jsonl.Value) string {
	head := make([]byte, 12)
	if len(data) < 18 {
		return ""
	}
	if _, err := base64.StdEncoding.Decode(head, data[1:17]); err != nil {
		return ""
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return "image/gif"
	case bytes.HasPrefix(head, []byte("RIFF")) && string(head[8:12]) == "WEBP":
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
	if f.partial.IsString() && !spellsObject(f.partial) {
		flags |= unfinished
	}
	return flags
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
func (f *blockFields) isMasked() bool {
	for _, v := range []jsonl.Value{f.signature, f.id, f.name} {
		if bytes.Contains(v, []byte("***")) {
			return true
		}
	}
	for _, v := range []jsonl.Value{f.signature, f.id, f.name, f.input} {
		if bytes.Contains(v, []byte("REDACTED")) || bytes.Contains(v, []byte("[redacted")) {
			return true
		}
	}
	return false
}

// secretMarks begin what nobody wants to find in a transcript, and how many characters of a key follow at least.
var secretMarks = []struct {
	mark string
	more int
}{
	{"sk-", 20}, {"ghp_", 30}, {"github_pat_", 30}, {"xoxb-", 20}, {"AKIA", 16}, {"PRIVATE KEY-----", 0},
}

// looksSecret reports whether a text holds what looks like a key.
func looksSecret(text []byte) bool {
	for _, s := range secretMarks {
		for rest := text; ; {
			at := bytes.Index(rest, []byte(s.mark))
			if at < 0 {
				break
			}
			before := at > 0 && isKeyCharacter(rest[at-1])
			rest = rest[at+len(s.mark):]
			n := 0
			for n < len(rest) && isKeyCharacter(rest[n]) {
				n++
			}
			if n >= s.more && !before {
				return true
			}
		}
	}
	return false
}

func isKeyCharacter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}
