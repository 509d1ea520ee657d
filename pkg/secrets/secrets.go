// Package secrets finds texts that look like keys or passwords.
package secrets

import (
	"bytes"
	"encoding/binary"
)

// A mark is the beginning of a key, and the minimum number of characters that follow it.
type mark struct {
	text string
	more int
}

// The marks by their last character, which is searched first together with the two letters before it.
var (
	dashedMarks = []mark{{"sk-", 20}, {"xoxb-", 20}, {"xoxp-", 20}, {"PRIVATE KEY-", 0}}
	linedMarks  = []mark{{"ghp_", 30}, {"gho_", 30}, {"github_pat_", 30}}
)

// blanked is what OpenClaw and other programs write in place of a secret.
const blanked = "REDACTED"

// Search reports whether a text contains something that looks like a key, and whether REDACTED may stand in place of
// one. It stops at the first key.
func Search(text []byte) (key, mayBeBlanked bool) {
	for at := nextEnd(text, 2); at >= 0; at = nextEnd(text, at+1) {
		switch text[at] {
		case '-':
			key = isMarked(text, at, dashedMarks)
		case '_':
			key = isMarked(text, at, linedMarks)
		default:
			mayBeBlanked = mayBeBlanked || bytes.HasSuffix(text[:at+1], []byte(blanked))
		}
		if key {
			return true, true
		}
	}
	return false, mayBeBlanked
}

const (
	ones   = 0x0101010101010101
	highs  = 0x80 * ones
	dashes = '-' * ones
	lines  = '_' * ones
	ends   = 'D' * ones
)

// nextEndGo is nextEnd without vector instructions. It finds every dash, line and D. Of eight bytes at a time, it looks
// at each only if subtracting one from their differences borrows, which a difference of 0 always does.
func nextEndGo(text []byte, from int) int {
	for i := from; i < len(text); i++ {
		for ; i+8 <= len(text); i += 8 {
			word := binary.LittleEndian.Uint64(text[i:])
			dash, line, end := word^dashes, word^lines, word^ends
			if ((dash-ones)&^dash|(line-ones)&^line|(end-ones)&^end)&highs != 0 {
				break
			}
		}
		for end := min(i+8, len(text)); i < end; i++ {
			if text[i] == '-' || text[i] == '_' || text[i] == 'D' {
				return i
			}
		}
		i--
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
