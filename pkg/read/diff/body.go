package diff

import (
	"bytes"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsonl/content"
)

// linkKeys are the keys that hold the id of another record. Programs that number records anew rewrite them.
var linkKeys = [...]string{"parentId", "firstKeptEntryId", "targetId", "fromId", "appendParentId"}

// links are the ids that a record refers to, in the order of linkKeys. An id that is missing is zero.
type links [len(linkKeys)]digest

// isNumbering reports whether a key of a record says which record it is or which it refers to, not what it says. A
// header has no such key, because its id is that of the session, but the version of the format comes with the ids.
func isNumbering(key string, isHeader bool) bool {
	if isHeader {
		return key == "version"
	}
	return key == "id" || key == "firstKeptEntryIndex" || slices.Contains(linkKeys[:], key)
}

// bodyOf returns the content of a record without ids and links, and the links, which are nil if there are none.
func (s *side) bodyOf(rec *jsonl.Record) (body digest, to *links) {
	isHeader := rec.Type() == jsonl.TypeSession
	var members []digest
	var text []byte
	for key, value := range rec.Stated().Fields() {
		if i := slices.Index(linkKeys[:], string(key)); i >= 0 {
			if to == nil {
				to = &links{}
			}
			to[i] = s.reference(value)
		}
		if !isNumbering(string(key), isHeader) {
			sum := content.OfValue(value, &s.buf)
			text = append(append(text[:0], sum[:]...), key...)
			members = append(members, digestOf(text))
		}
	}
	slices.SortFunc(members, func(a, b digest) int { return bytes.Compare(a[:], b[:]) })
	text = text[:0]
	for _, m := range members {
		text = append(text, m[:]...)
	}
	return digestOf(text), to
}
