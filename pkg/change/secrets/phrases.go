package secrets

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// seedWord matches a word of a seed phrase, perhaps with its number, and what is before it.
var seedWord = lazy(`^[\s,"'\x60:|-]{0,8}(?:[0-9]{1,2}[.):]?\s{0,3})?([a-z]{3,8})`)

// proseWords are in sentences, and no words of seed phrases.
var proseWords = []string{
	"the", "and", "for", "are", "was", "not", "but", "his", "her", "our", "has", "had", "from", "into", "its", "were",
	"been", "your", "their", "would", "could", "should", "which", "phrase", "mnemonic",
}

// findSeed returns the words of a seed phrase after the keyword at an index.
func findSeed(text []byte, at int) []span {
	i := phraseStart(text, at)
	if i < 0 {
		return nil
	}
	var ends []int
	first := 0
	for end := i; len(ends) < 24; {
		m := seedWord().FindSubmatchIndex(text[end:min(len(text), end+40)])
		if m == nil || slices.Contains(proseWords, string(text[end+m[2]:end+m[3]])) {
			break
		}
		if len(ends) == 0 {
			first = end + m[2]
		}
		end += m[3]
		if next, _ := utf8.DecodeRune(text[end:]); unicode.IsLetter(next) || unicode.IsDigit(next) || next == '_' {
			break
		}
		ends = append(ends, end)
	}
	if len(ends) < 12 {
		return nil
	}
	return []span{{first, ends[len(ends)/3*3-1]}} // a word of the sentence may follow
}

// phraseStart returns where what the keyword at an index announces begins: after a colon, or in the next line.
func phraseStart(text []byte, at int) int {
	line := text[at:min(len(text), at+longestClause)]
	end := bytes.IndexByte(line, '\n')
	if colon := bytes.IndexAny(line, ":="); colon >= 0 && (end < 0 || colon < end) {
		return at + colon + 1
	}
	if n := bytes.Index(line, []byte(" is ")); n >= 0 && (end < 0 || n < end) {
		return at + n + len(" is ")
	}
	if end >= 0 {
		return at + end + 1
	}
	return -1
}

// recoveryCode matches a code, perhaps with its number, and what is before it.
var recoveryCode = lazy(`^[\s,"'\x60|*\[-]{0,8}(?:[0-9]{1,2}[.)]\s{1,3})?([0-9]{4} [0-9]{4}|` +
	`[A-Za-z0-9]{4,10}(?:-[A-Za-z0-9]{4,10}){0,4})(?:[^A-Za-z0-9_-]|\z)`)

// mostCodes is how many codes are given at once.
const mostCodes = 24

// findCodes returns the codes after the keyword at an index.
func findCodes(text []byte, at int) (list []span) {
	i := phraseStart(text, at)
	for i >= 0 && i < len(text) && len(list) < mostCodes {
		m := recoveryCode().FindSubmatchIndex(text[i:min(len(text), i+80)])
		if m == nil {
			break
		}
		code := span{i + m[2], i + m[3]}
		value := text[code.start:code.end]
		if len(value) < 6 || !hasDigit(value) && (len(list) == 0 || bytes.IndexByte(value, '-') < 0) {
			break
		}
		list = append(list, code)
		i = code.end
	}
	if len(list) < 2 {
		return nil
	}
	return list
}
