package jsontext

import (
	"bytes"
	"iter"
)

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
		for at = SkipSpace(text, at+1); text[at] != '}'; {
			keyEnd := StringEnd(text, at+1)
			m := Member{Start: at, Key: string(Decode(nil, text[at+1:keyEnd]))}
			m.Value = SkipSpace(text, SkipSpace(text, keyEnd+1)+1)
			m.End = ValueEnd(text, m.Value)
			if !yield(m) {
				return
			}
			at = afterComma(text, m.End)
		}
	}
}

// Elements returns where the elements of the array at an index begin and end.
func Elements(text []byte, at int) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for at = SkipSpace(text, at+1); text[at] != ']'; {
			end := ValueEnd(text, at)
			if !yield(at, end) {
				return
			}
			at = afterComma(text, end)
		}
	}
}

func afterComma(text []byte, at int) int {
	if at = SkipSpace(text, at); text[at] == ',' {
		at = SkipSpace(text, at+1)
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

// ValueEnd returns the index after the value that begins at an index.
func ValueEnd(text []byte, at int) int {
	for depth := 0; at < len(text); at++ {
		switch text[at] {
		case '"':
			at = StringEnd(text, at+1)
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth == 0 {
				return scalarEnd(text, at)
			}
			continue
		}
		if depth == 0 {
			return at + 1
		}
	}
	return len(text)
}

// scalarEnd returns the index after a number, true, false or null.
func scalarEnd(text []byte, at int) int {
	if end := bytes.IndexAny(text[at:], ",]} \t\r\n"); end >= 0 {
		return at + end
	}
	return len(text)
}
