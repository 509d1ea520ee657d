package jsontext

import "bytes"

// NestsDeeper reports whether a JSON text has more than a number of levels.
func NestsDeeper(text []byte, levels int) bool {
	if bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")) <= levels {
		return false
	}
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = StringEnd(text, i+1)
		case '{', '[':
			if depth++; depth > levels {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}
