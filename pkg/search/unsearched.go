package search

import (
	"bytes"

	"clawctl/pkg/jsonl"
)

// What nobody looks for is not searched: the data of images, signatures, and encrypted text.

// isUnsearched reports whether a member of an object is not searched. hasData is holdsData of the object.
func isUnsearched(name string, hasData bool) bool {
	return jsonl.IsSealed(name) || hasData && name == "data"
}

// holdsData reports whether the member data of an object is the data of an image, or an encrypted thought.
func holdsData(object jsonl.Value) bool {
	for name, v := range object.Fields() {
		switch string(name) {
		case "type":
			if kind := v.String(); kind == jsonl.BlockImage || kind == "redacted_thinking" {
				return true
			}
		case "mimeType", "media_type":
			if bytes.HasPrefix(v, []byte(`"image/`)) {
				return true
			}
		}
	}
	return false
}

// isImageURL reports whether a value is an image in the form of an address.
func isImageURL(v jsonl.Value) bool { return bytes.HasPrefix(v, []byte(`"data:image/`)) }

// matchesUnsearched reports whether something in a value matches that is not searched.
func (w *worker) matchesUnsearched(v jsonl.Value, depth int) bool {
	switch {
	case depth > maxNesting || !w.sieve.mayMatch(v):
	case v.IsObject():
		hasData := holdsData(v)
		for name, member := range v.Fields() {
			if isUnsearched(string(name), hasData) && w.matches(member) || w.matchesUnsearched(member, depth+1) {
				return true
			}
		}
	case v.IsArray():
		for element := range v.Elements() {
			if w.matchesUnsearched(element, depth+1) {
				return true
			}
		}
	case isImageURL(v):
		return w.matches(v)
	}
	return false
}

// matches reports whether the text of a value matches.
func (w *worker) matches(v jsonl.Value) bool {
	_, ok := w.Query.Match(v.String(), 1)
	return ok
}
