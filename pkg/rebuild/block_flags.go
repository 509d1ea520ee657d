package rebuild

import (
	"bytes"
	"encoding/json"
	"strings"

	"clawctl/pkg/javascript"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/media"
)

// resultFlags returns the flags of a result that is a block of a message.
func (f *blockFields) resultFlags() (flags blockFlags) {
	if javascript.IsTruthy(f.isError) {
		flags |= failedResult
	}
	filled := false
	for b := range jsonl.BlocksOf(f.content) {
		switch kind := blockKindOf(b.Get("type")); {
		case b.IsString(), kind == blockText:
			filled = filled || !jsontext.IsBlank(b.Text())
		case kind == blockImage:
			filled = true
			if fieldsOf(b.Value).imageFlags()&(sendable|mistyped) != sendable {
				flags |= badImageIn
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

func (f *blockFields) callFlags() (flags blockFlags) {
	switch string(plainString(f.typ)) {
	case `"toolCall"`, `"toolUse"`, `"functionCall"`:
		if isFilled(f.id) {
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

// isClosed reports whether a string contains an object up to its last brace, as arguments that arrived completely do.
func isClosed(v jsonl.Value) bool {
	depth, quoted, began := 0, false, false
	text := v[1 : len(v)-1] // quotes are escaped, and escapes inside strings are escaped twice
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
			switch {
			case text[i] == '"':
				quoted = !quoted
			case text[i] == '\\' && quoted:
				i++ // the escaped character, which may itself be an escape
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

// spellsObject reports whether a string is the JSON text of an object. Some providers write arguments that way.
func spellsObject(v jsonl.Value) bool {
	_, ok := parseObject(v)
	return ok
}

func parseObject(v jsonl.Value) (object jsonl.Value, ok bool) {
	if !v.IsString() {
		return nil, false
	}
	text := strings.TrimSpace(v.String())
	if !strings.HasPrefix(text, "{") {
		return nil, false
	}
	return jsonl.Value(text), json.Valid([]byte(text))
}

// isMasked reports whether something was blanked out in a field that must be returned to the provider unchanged:
// signatures, ids and arguments. blanked is false if the content is known to be without REDACTED.
func (f *blockFields) isMasked(b block, blanked bool) bool {
	isBlanked := func(v jsonl.Value) bool { return blanked && bytes.Contains(v, []byte("REDACTED")) }
	if b.kind == blockThinking {
		return b.flags&signed == 0 && (isBlanked(f.signature) || bytes.Contains(f.signature, []byte("***")))
	}
	return bytes.Contains(f.id, []byte("***")) || isBlanked(f.id) || isBlanked(f.input)
}

// signedText returns the provider's signature of a thinking block.
func (f *blockFields) signedText() jsonl.Value {
	if string(f.typ) == `"redacted_thinking"` {
		return plainString(f.data)
	}
	return plainString(f.signature)
}

// plainString returns a string without unnecessary escapes. Some programs escape slashes.
func plainString(v jsonl.Value) jsonl.Value {
	if !v.IsString() || bytes.IndexByte(v, '\\') < 0 {
		return v
	}
	return jsonl.Value(jsonl.Quote(v.String()))
}

func (f *blockFields) thinkingFlags() (flags blockFlags) {
	if string(f.typ) == `"redacted_thinking"` || f.redacted.IsTrue() {
		flags |= redacted
	}
	if media.IsSignature(f.signedText()) {
		flags |= signed
	}
	if !isFilled(f.thinking) {
		flags |= blank
	}
	return flags
}

// maxImage is the maximum size of an image in base64 that Anthropic's API accepts.
const maxImage = 5 << 20

// imageFlags checks what the API checks in an image.
func (f *blockFields) imageFlags() blockFlags { return imageFlags(f.image()) }

// imageFlags checks the type and the data of an image: base64 that is an image, of the type that it states.
func imageFlags(mime, data jsonl.Value) blockFlags {
	if !data.IsString() || !media.IsBase64(data[1:len(data)-1]) {
		return 0
	}
	fits := sendable
	if len(data)-2 > maxImage {
		fits = oversized
	}
	switch media.ImageType(data) {
	case "":
		return 0
	case mime.String():
		return fits
	}
	return fits | mistyped
}

// image returns the type and data of an image, in OpenClaw's form or the API's.
func (f *blockFields) image() (mime, data jsonl.Value) {
	if f.source.IsObject() {
		return f.source.Get("media_type"), plainString(f.source.Get("data"))
	}
	return f.mime, plainString(f.data)
}

// textFlags marks a text that consists of white space, which the API refuses everywhere, and one that ends with white
// space, which the API refuses at the end of a request.
func textFlags(text jsonl.Value) (flags blockFlags) {
	if !text.IsString() || len(text) < 3 {
		return blank
	}
	if jsontext.IsWhite(text[1 : len(text)-1]) {
		return blank
	}
	if jsontext.EndsWithSpace(text[1 : len(text)-1]) {
		flags |= openEnded
	}
	return flags
}
