package jsontext

import "iter"

// A Member is where a member of an object is in a JSON text.
type Member struct {
	Start int // of the key, with its quote
	Key   string
	Value int // where the value begins
	End   int // after the value
}

// Members returns the members of the object at an index of a well-formed JSON text.
func Members(text []byte, at int) iter.Seq[Member] {
	return func(yield func(Member) bool) {
		for key, value := range Value(text[at:]).Spans() {
			name := string(Decode(nil, text[at+int(key.Start):at+int(key.End)]))
			if !yield(Member{at + int(key.Start) - 1, name, at + int(value.Start), at + int(value.End)}) {
				return
			}
		}
	}
}

// Elements returns where the elements of the array at an index begin and end.
func Elements(text []byte, at int) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for at = next(text, at+1); text[at] != ']'; {
			end := AfterValue(text, at)
			if !yield(at, end) {
				return
			}
			at = afterComma(text, end)
		}
	}
}

// afterComma returns the index of what comes after a member or an element: the next one, or the bracket.
func afterComma(text []byte, at int) int {
	if at = next(text, at); text[at] == ',' {
		at = next(text, at+1)
	}
	return at
}

// SkipSpace returns the index of the first character at or after an index that is no white space.
func SkipSpace(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n') {
		at++
	}
	return at
}
