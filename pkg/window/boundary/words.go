package boundary

import (
	"slices"
	"strings"
	"unicode"

	"clawctl/internal/textid"
	"clawctl/pkg/jsonl"
)

// firstNames sorts names and returns the first of them. The list is never nil, and becomes a list in JSON.
func firstNames(names []string) []string {
	slices.Sort(names)
	names = slices.Compact(names)
	return append([]string{}, names[:min(len(names), mostNames)]...)
}

// isNotInWord reports whether a character is not part of a path or a name.
func isNotInWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-./\\~@+", r)
}

// lastWord returns the last word of a name, without the punctuation of a sentence: a summary that names "my notes.md"
// has the word "notes.md".
func lastWord(name string) string {
	name = strings.TrimRight(name, ".-/\\")
	if at := strings.LastIndexFunc(name, isNotInWord); at >= 0 {
		name = name[at+1:]
	}
	return strings.ToLower(name)
}

// wordKey identifies a word.
func wordKey(word string) textid.ID {
	if word == "" {
		return textid.ID{}
	}
	return textid.Of([]byte(word))
}

// keyOf identifies the text of a message.
func keyOf(rec *jsonl.Record) textKey {
	if m, ok := rec.Message(); ok && m.Role() == jsonl.RoleUser {
		return contentKey(m.Content())
	}
	return textKey{}
}

// contentKey identifies the texts of a content.
func contentKey(content jsonl.Value) textKey {
	var text []byte
	for b := range jsonl.BlocksOf(content) {
		text = textid.AppendPart(text, b.Text().String())
	}
	return textid.Of(text)
}
