package secrets

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
)

// A manner is the way in which a name and its value are written.
type manner uint8

const (
	assigning manner = iota // name = value, "name": "value", and the like
	element                 // <name>value</name>
	listed                  // "name", "value"
	flagged                 // --name value
	spoken                  // the name is value
)

// assignedAt returns the range of the value that is given to the name around a keyword, and how. The end is 0 if there
// is none.
func assignedAt(text []byte, keyword int) (start, end int, how manner) {
	from := nameStart(text, keyword)
	start, how = valueAfter(text, from, nameEnd(text, keyword))
	if start < 0 {
		return 0, 0, how
	}
	if how == element {
		return start, elementEnd(text, start), how
	}
	if start < len(text) && strings.IndexByte("\"'`", text[start]) >= 0 {
		quote := text[start]
		start = schemeEnd(text, start+1)
		return start, quotedEnd(text, start, quote), how
	}
	if how == listed {
		return 0, 0, how
	}
	start = schemeEnd(text, start)
	end = unquotedEnd(text, start)
	if from > 0 && (text[from-1] == '?' || text[from-1] == '&') {
		end = parameterEnd(text, start, end)
	}
	return start, end, how
}

// parameterEnd returns where a parameter of a URL ends: before the fragment, or at the end of what was found.
func parameterEnd(text []byte, start, end int) int {
	if end > start {
		if at := bytes.IndexByte(text[start:end], '#'); at >= 0 {
			return start + at
		}
	}
	return end
}

// schemes are the words in the value of a header that say what the secret after them is.
var schemes = []string{"bearer", "basic", "token", "apikey", "api-key", "key"}

// schemeEnd returns where the secret of a header begins, after its scheme.
func schemeEnd(text []byte, i int) int {
	for _, scheme := range schemes {
		if end := i + len(scheme); end < len(text) && text[end] == ' ' && bytes.EqualFold(text[i:end], []byte(scheme)) {
			return skip(text, end, " ", maxSign)
		}
	}
	return i
}

func isNamePart(c byte) bool { return isKeyCharacter(c) || c == '.' }

func nameStart(text []byte, at int) int {
	for least := max(0, at-maxName); at > least && isNamePart(text[at-1]); {
		at--
	}
	return at
}

func nameEnd(text []byte, at int) int {
	for most := min(len(text), at+maxName); at < most && isNamePart(text[at]); {
		at++
	}
	return at
}

// valueAfter returns where the value of a name begins, or -1.
func valueAfter(text []byte, from, i int) (start int, how manner) {
	if i < len(text) && text[i] == '>' && i > 0 && text[i-1] != '-' && from > 0 && text[from-1] == '<' {
		return i + 1, element
	}
	if start = declaredValue(text, from, i); start > 0 {
		return start, assigning
	}
	after := skip(text, i, "\"'`", 1)
	isClosed := after > i
	if isClosed {
		after = skip(text, after, "]", 1)
	}
	sign := skip(text, after, " \t", 3)
	switch next := signEnd(text, sign); {
	case next > 0:
		return skip(text, next, " \t", maxBlank), assigning
	case sign == len(text):
	case isClosed && text[sign] == ',':
		return skip(text, sign+1, " \t\n\r", maxSign), listed
	case sign > after && !isClosed && isFlagName(text, from):
		return sign, flagged
	case sign > after && !isClosed:
		if n := verbAt(text[sign:]); n > 0 {
			return sign + n, spoken
		}
	}
	return pairedValue(text, i), assigning
}

// declaredValue returns where the text between quotes begins that is given to a variable after its type, as in Go,
// Rust, TypeScript and C, or that a macro stands for, or 0 if there is none. The name of the variable ends at an index.
func declaredValue(text []byte, from, i int) int {
	start := typeEnd(text, i)
	if start == 0 && bytes.HasSuffix(text[:from], []byte("#define ")) {
		start = i
	}
	if start > 0 {
		start = skip(text, start, " \t", 3)
	}
	if start == len(text) || strings.IndexByte("\"'`", text[start]) < 0 {
		return 0
	}
	return start
}

// typeEnd returns where the type of a text ends with the sign after it, such as ": &str =", " string =" and "[20] =",
// or 0 if there is none at an index.
func typeEnd(text []byte, i int) int {
	if i == len(text) || strings.IndexByte(" :\t[", text[i]) < 0 {
		return 0
	}
	end := typeNameEnd(text, i)
	sign := skip(text, end, " \t", 3)
	if end == 0 || sign+1 >= len(text) || text[sign] != '=' || text[sign+1] == '=' || text[sign+1] == '>' ||
		text[i] != '[' && !containsFold(text[i:end], "str") {
		return 0
	}
	return sign + 1
}

// typeNameEnd returns where the name of the type of a text ends, or the brackets of an array, or 0.
func typeNameEnd(text []byte, i int) int {
	if text[i] == '[' {
		end := skip(text, i+1, "0123456789", maxType)
		if end == len(text) || text[end] != ']' {
			return 0
		}
		return end + 1
	}
	from := skip(text, i, ": \t", 3)
	if bytes.HasPrefix(text[from:], []byte("&'static ")) {
		from += len("&'static ")
	}
	end := from
	for end < min(len(text), from+maxType) && isType[text[end]] {
		end++
	}
	return end
}

// isType says which bytes the name of a type consists of. Digits and quotes are in values.
var isType = setOf("&<>[]?|_.:*ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

// maxType is how long the type of a text may be.
const maxType = 24

// verbAt returns the length of what a text begins with if it is between a name and its value in a sentence, or 0.
func verbAt(text []byte) int {
	for _, verb := range [...]string{"is", "was", "=>", "->"} {
		n := len(verb)
		switch {
		case len(text) <= n || string(text[:n]) != verb:
		case text[n] == ' ':
			return n + 1
		case text[n] == ':':
			return skip(text, n+1, " ", 1)
		}
	}
	return 0
}

// skip returns the index after at most so many of some characters.
func skip(text []byte, i int, characters string, most int) int {
	for most = min(len(text), i+most); i < most && strings.IndexByte(characters, text[i]) >= 0; {
		i++
	}
	return i
}

// signEnd returns where a sign of assignment ends, or 0 if there is none.
func signEnd(text []byte, i int) int {
	if i >= len(text) || text[i] != ':' && text[i] != '=' {
		return 0
	}
	if i+1 < len(text) && (text[i+1] == '=' || text[i] == '=' && text[i+1] == '>') {
		return i + 2
	}
	return i + 1
}

// isFlagName reports whether a name is the flag of a command, or what a command or a Dockerfile sets.
func isFlagName(text []byte, from int) bool {
	if from < len(text) && text[from] == '-' {
		return from == 0 || strings.IndexByte(" \t\n\"'`([|;", text[from-1]) >= 0
	}
	return slices.ContainsFunc(setters, func(word string) bool {
		before, isSet := bytes.CutSuffix(text[:from], []byte(word))
		return isSet && (len(before) == 0 || strings.IndexByte(" \t\n\f\r\"'`=", before[len(before)-1]) >= 0)
	})
}

// setters are before a name that a command sets to the word after it.
var setters = []string{"ENV ", "ARG ", "set ", "setx ", "setenv "}

// pairedValue returns where the value begins if a name and its value are two members: name: X, value: Y. It returns -1
// if they are not.
func pairedValue(text []byte, i int) int {
	if i < len(text) && strings.IndexByte(" \t;/", text[i]) >= 0 { // words of a sentence
		return -1
	}
	i = skip(text, i, "\"'` \t\r\n,;/<>", 24)
	if len(text) < i+6 || !bytes.EqualFold(text[i:i+5], []byte("value")) {
		return -1
	}
	i = skip(text, i+5, "\"'` \t", 3)
	if i < len(text) && text[i] == '>' { // an element
		return i + 1
	}
	next := signEnd(text, i)
	if next == 0 {
		return -1
	}
	return skip(text, next, " \t", 3)
}

func elementEnd(text []byte, i int) int {
	for at, c := range text[i:min(len(text), i+maxAssigned)] {
		switch {
		case c == '<':
			return i + at
		case c <= ' ':
			return 0
		}
	}
	return 0
}

// quotedEnd returns where the text between quotes ends, or 0 if it has an end elsewhere or white space.
func quotedEnd(text []byte, i int, quote byte) int {
	for at, c := range text[i:min(len(text), i+1+maxAssigned)] {
		switch {
		case c == quote:
			return i + at
		case c <= ' ' || c == '\x1b':
			return 0
		}
	}
	return 0
}

// unquotedEnd returns where a value without quotes ends, or 0 if what follows it shows that it is none.
func unquotedEnd(text []byte, i int) int {
	for at, c := range text[i:min(len(text), i+maxAssigned+1)] {
		switch {
		case isUnquoted[c]:
		case c <= ' ' || strings.IndexByte(",;&|\"'`)]}<>\\", c) >= 0:
			return i + at
		default:
			return 0
		}
	}
	return min(len(text), i+maxAssigned+1)
}

// findAssigned returns the value that is given to the name around a keyword.
func findAssigned(text []byte, at int) []span {
	start, end, how := assignedAt(text, at)
	if end-start < 4 {
		return nil
	}
	if how == spoken && (text[end-1] == '.' || text[end-1] == '!') { // the end of a sentence
		end--
	}
	c := candidate{text, at, start, end}
	if !mayBeValue(c.value()) || string(c.name()) == verdict || how == spoken && !isSpoken(c) ||
		how == flagged && (!isTyped(c) || end-start < 6) {
		return nil
	}
	return []span{{start, end}}
}

// isSpoken judges the word after "the password is".
func isSpoken(c candidate) bool {
	value := c.value()
	return len(value) >= 6 && hasLetter(value) && (hasDigit(value) || hasSign(value)) && !isCode(value) &&
		(!isWords(value) || hasDigit(value) && bytes.ContainsFunc(value[1:], unicode.IsUpper))
}

// endsWord says which bytes end the words of a value.
var endsWord = setOf("\\\"'`>,<]")

// mayBeValue is a quick look whether the first word of a value is not all letters or has capitals inside.
func mayBeValue(value []byte) bool {
	for len(value) > 0 && (endsWord[value[0]] || value[0] == '=' || value[0] == ':') {
		value = value[1:]
	}
	n, hasDigit, hasLetter, hasSign, humps := 0, false, false, false, 0
	for ; n < len(value) && !endsWord[value[n]]; n++ {
		c := value[n]
		hasDigit = hasDigit || isDigit(c)
		hasLetter = hasLetter || isLetter(c)
		hasSign = hasSign || isSign[c]
		if n > 0 && isUpper(c) && !isUpper(value[n-1]) {
			humps++
		}
	}
	return n >= 4 && (hasSign || hasDigit && hasLetter || humps >= 3)
}

// verdict is what a test says.
const verdict = "PASS"

// maxBlank is how many bytes of spaces and tabs may be around a sign.
const maxBlank = 8
