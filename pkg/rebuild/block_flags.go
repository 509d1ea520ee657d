package rebuild

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/jsontext/javascript"
	"clawctl/pkg/read/media"
)

// resultFlags returns the flags of a result that is a block of a message.
func resultFlags(result *jsonl.Block) blockFlags {
	var flags blockFlags
	if javascript.IsTruthy(result.IsError()) {
		flags |= failedResult
	}
	filled := false
	for b := range jsonl.BlocksOf(result.Content()) {
		switch b.Kind {
		case jsonl.BlockText:
			filled = filled || !jsontext.IsBlank(b.Text().String())
		case jsonl.BlockImage:
			filled = true
			if imageFlags(imageIn(&b))&(sendable|mistyped) != sendable {
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

func callFlags(call *jsonl.Block) blockFlags {
	var flags blockFlags
	switch string(plainString(call.StatedType())) {
	case `"toolCall"`, `"toolUse"`, `"functionCall"`:
		if isFilled(call.CallID()) {
			flags |= pairs
		}
	}
	input := call.Arguments()
	if !input.IsObject() && !spellsObject(input) {
		flags |= noInput
	}
	switch {
	case !input.Exists():
		flags |= noArguments
	case input.IsNull():
		flags |= nullArguments
	}
	if partial := call.Partial(); partial.IsString() && !isClosed(partial) {
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
	if !v.IsString() || !mayBeginObject(v[1]) {
		return nil, false
	}
	text := strings.TrimSpace(v.String())
	if !strings.HasPrefix(text, "{") {
		return nil, false
	}
	return jsonl.Value(text), json.Valid([]byte(text))
}

// mayBeginObject reports whether a string of JSON may contain an object if it begins with a byte: a brace, white space,
// or the first byte of an escape or of a character outside of ASCII.
func mayBeginObject(c byte) bool { return c == '{' || c <= ' ' || c == '\\' || c >= utf8.RuneSelf }

// isMasked reports whether something was blanked out in a field that must be returned to the provider unchanged:
// signatures, ids and arguments. Only an inspection looks for REDACTED.
func isMasked(read *jsonl.Block, b block, inspects bool) bool {
	isBlanked := func(v jsonl.Value) bool { return inspects && bytes.Contains(v, []byte("REDACTED")) }
	if b.kind == jsonl.BlockThinking {
		signature := read.Signature()
		return b.flags&signed == 0 && (isBlanked(signature) || bytes.Contains(signature, []byte("***")))
	}
	id := read.CallID()
	return bytes.Contains(id, []byte("***")) || isBlanked(id) || isBlanked(read.Arguments())
}

// plainString returns a string without unnecessary escapes. Some programs escape slashes.
func plainString(v jsonl.Value) jsonl.Value {
	if !v.IsString() || bytes.IndexByte(v, '\\') < 0 {
		return v
	}
	return jsonl.Value(jsonl.Quote(v.String()))
}

func thinkingFlags(thought *jsonl.Block) blockFlags {
	var flags blockFlags
	if thought.Kind == jsonl.BlockRedacted || thought.Redacted().IsTrue() {
		flags |= redacted
	}
	switch signature := thought.Signature(); {
	case media.IsSignature(plainString(signature)):
		flags |= signed
	case isFilled(signature) && !spellsObject(signature):
		flags |= wronglySigned
	}
	if !isFilled(thought.Text()) {
		flags |= blank
	}
	return flags
}

// maxImage is the maximum size of an image in base64 that Anthropic's API accepts.
const maxImage = 5 << 20

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

// imageIn returns the type and the data of an image block.
func imageIn(b *jsonl.Block) (mime, data jsonl.Value) {
	mime, data = b.Image()
	return mime, plainString(data)
}

// textFlags marks a text that consists of white space, which the API refuses everywhere, and one that ends with white
// space, which the API refuses at the end of a request.
func textFlags(text jsonl.Value) blockFlags {
	var flags blockFlags
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
