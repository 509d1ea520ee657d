package search

import (
	"bytes"
	"strings"

	"clawctl/internal/pairs"
	"clawctl/pkg/jsonl"
)

// What nobody looks for is not searched: the data of images, signatures, and encrypted text.

// isUnsearched reports whether a member of an object is not searched. hasData is holdsData of the object.
func isUnsearched(name string, hasData bool) bool {
	return jsonl.IsSealed(name) || hasData && name == "data"
}

// holdsData reports whether the member data of an object is the data of an image, or an encrypted thought.
func holdsData(object jsonl.Value) bool {
	b := jsonl.ReadBlock(object)
	return b.HoldsImage() || b.Kind == jsonl.BlockRedacted
}

// imageURL begins the address of an image that has the image in itself, and imageData the image.
var imageURL, imageData = []byte("data:image/"), []byte(";base64,")

// imageWord finds imageURL by its rare letters.
var imageWord = pairs.NewWord(string(imageURL), false)

// withoutImages returns a text with the data of images, if it has any, blanked.
func withoutImages(text []byte) []byte {
	at := imageWord.Next(text, 0)
	if at < 0 {
		return text
	}
	blanked := bytes.Clone(text)
	for at >= 0 {
		rest := blanked[at+len(imageURL):]
		kind := bytes.Index(rest[:min(len(rest), maxImageKind)], imageData)
		if kind >= 0 {
			data := rest[kind+len(imageData):]
			clear(data[:lengthOfBase64(data)])
		}
		if at = bytes.Index(rest, imageURL); at >= 0 {
			at += len(blanked) - len(rest)
		}
	}
	return blanked
}

// maxImageKind is how far from the start of an address its data may begin.
const maxImageKind = 100

// lengthOfBase64 returns how many bytes at the start of a text may be base64.
func lengthOfBase64(text []byte) int {
	isOther := func(r rune) bool {
		isLetter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return !isLetter && !(r >= '0' && r <= '9') && !strings.ContainsRune("+/=-_", r)
	}
	if i := bytes.IndexFunc(text, isOther); i >= 0 {
		return i
	}
	return len(text)
}

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
	case v.IsString() && bytes.Contains(v, imageURL):
		return w.matches(v)
	}
	return false
}

func (w *worker) matches(v jsonl.Value) bool {
	_, ok := w.scan.Query.match(v.String(), 1)
	return ok
}
