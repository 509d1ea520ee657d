// Package secrets finds texts that look like keys or passwords.
package secrets

import "bytes"

// A mark is the beginning of a key, and the minimum number of characters that follow it.
type mark struct {
	text string
	more int
}

// The marks by their last character, which is searched first.
var (
	dashedMarks = []mark{{"sk-", 20}, {"xoxb-", 20}, {"xoxp-", 20}, {"PRIVATE KEY-", 0}}
	linedMarks  = []mark{{"ghp_", 30}, {"gho_", 30}, {"github_pat_", 30}}
)

// Contains reports whether a text contains something that looks like a key.
func Contains(text []byte) bool {
	for at := bytes.IndexByte(text, '-'); at >= 0; at = nextByte(text, at+1, '-') {
		if at > 0 && (text[at-1] == 'k' || text[at-1] == 'b' || text[at-1] == 'p' || text[at-1] == 'Y') &&
			isMarked(text, at, dashedMarks) {
			return true
		}
	}
	for at := bytes.IndexByte(text, '_'); at >= 0; at = nextByte(text, at+1, '_') {
		if at > 0 && (text[at-1] == 'p' || text[at-1] == 'o' || text[at-1] == 't') && isMarked(text, at, linedMarks) {
			return true
		}
	}
	return false
}

func nextByte(text []byte, from int, c byte) int {
	if at := bytes.IndexByte(text[from:], c); at >= 0 {
		return from + at
	}
	return -1
}

// isMarked reports whether a mark ends at an index and a key follows it.
func isMarked(text []byte, at int, marks []mark) bool {
	for _, m := range marks {
		before := at + 1 - len(m.text)
		if before < 0 || string(text[before:at+1]) != m.text ||
			before > 0 && isKeyCharacter(text[before-1]) && !(before > 1 && text[before-2] == '\\') {
			continue
		}
		n := 0
		for at+1+n < len(text) && n < m.more && isKeyCharacter(text[at+1+n]) {
			n++
		}
		if n >= m.more {
			return true
		}
	}
	return false
}

func isKeyCharacter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}
