package secrets

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Masked is what a masked text shows instead of a key.
const Masked = "[masked]"

// A place is where a key is in a text, without its mark.
type place struct{ start, end int }

// Mask replaces what looks like a key or a password, and returns the number of places. The mark that a key begins with
// stays, so that readers see what was there. Every output that is made to be passed on uses this function.
func Mask(text string) (masked string, n int) {
	places := Find(text)
	if len(places) == 0 {
		return text, 0
	}
	var b strings.Builder
	from := 0
	for _, p := range places {
		b.WriteString(text[from:p.Start] + Masked)
		from = p.End
	}
	b.WriteString(text[from:])
	return b.String(), len(places)
}

func nextByte(text []byte, from int, c byte) int {
	if at := bytes.IndexByte(text[from:], c); at >= 0 {
		return from + at
	}
	return -1
}

// placesOf finds all keys, in order.
func placesOf(text []byte) (places []place) {
	for _, kind := range []struct {
		last  byte
		marks []mark
	}{{'-', dashedMarks}, {'_', linedMarks}} {
		for at := nextByte(text, 0, kind.last); at >= 0; at = nextByte(text, at+1, kind.last) {
			if !isMarked(text, at, kind.marks) {
				continue
			}
			if p := placeOf(text, at); p.end > p.start {
				places = append(places, p)
				at = p.end - 1
			}
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.start, b.start) })
	return places
}

// placeOf returns the place of the key whose mark ends at an index: the characters of the key, or everything up to the
// end of a private key's block. The line that ends such a block is no place.
func placeOf(text []byte, at int) place {
	if !bytes.HasSuffix(text[:at], []byte("PRIVATE KEY")) {
		end := at + 1
		for end < len(text) && isKeyCharacter(text[end]) {
			end++
		}
		return place{at + 1, end}
	}
	if bytes.Contains(text[max(0, at-longestTitle):at], []byte("-----END ")) {
		return place{}
	}
	if end := bytes.Index(text[at:], []byte("-----END ")); end >= 0 {
		return place{at, at + end}
	}
	return place{at, len(text)}
}

// longestTitle is the length of the longest line that ends a private key.
const longestTitle = len("-----END ENCRYPTED PRIVATE KEY")
