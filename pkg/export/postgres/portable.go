package postgres

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
)

// maxDepth is the deepest nesting of a line in the column data. PostgreSQL parses JSON recursively, on a small stack.
const maxDepth = 500

// columnsOf returns a line as the columns data and raw. raw is nil if data and a newline are exactly the line. data is
// nil if the line is not JSON that PostgreSQL can read.
func columnsOf(rec *jsonl.Record) (data, raw []byte) {
	if !rec.Legible() || rec.Continued {
		return nil, rec.Raw
	}
	data = expressible(rec.Text())
	if data != nil && len(rec.Raw) == len(data)+1 && rec.LineEnd() == "\n" && bytes.HasPrefix(rec.Raw, data) {
		return data, nil
	}
	return data, rec.Raw
}

// expressible returns JSON that PostgreSQL can hold: characters that it has no way to express become U+FFFD. It returns
// nil if the text is nested too deeply.
func expressible(text []byte) []byte {
	if jsontext.NestsDeeper(text, maxDepth) {
		return nil
	}
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\ufffd"))
	}
	if !bytes.Contains(text, []byte(`\u`)) {
		return text
	}
	if jsontext.HasLoneSurrogate(text) {
		text = []byte(jsontext.ReplaceLoneSurrogates(string(text)))
	}
	return jsontext.ReplaceNULs(text)
}

// maxName is the longest name, in bytes. An index takes names of up to 2,700 bytes, and two of them are in one.
const maxName = 512

// clean returns a name that PostgreSQL can hold. Names that were cut stay different.
func clean(name string) string {
	name = strings.ReplaceAll(strings.ToValidUTF8(name, "\ufffd"), "\x00", "\ufffd")
	if len(name) <= maxName {
		return name
	}
	return strings.ToValidUTF8(name[:maxName-len("…")-digestLength], "") + "…" + digest(name)
}

// digestLength is the length of a digest in a name.
const digestLength = 12

// digest returns the beginning of a text's SHA-256.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:digestLength]
}
