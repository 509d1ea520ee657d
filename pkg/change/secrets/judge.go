package secrets

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// isKeyCharacter reports whether keys consist of such characters.
func isKeyCharacter(c byte) bool { return isAlnum(c) || c == '-' || c == '_' }

func isAlnum(c byte) bool { return isLetter(c) || isDigit(c) }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isBoundary reports whether a key may begin at an index. A letter before it may be the end of an escape (\n), of
// percent encoding (%3D) or of a terminal's color (ESC[31m).
func isBoundary(text []byte, at int) bool {
	if at == 0 || !isKeyCharacter(text[at-1]) {
		return true
	}
	before := text[max(0, at-8):at]
	last := len(before) - 1
	switch {
	case last >= 1 && before[last-1] == '\\' && bytes.IndexByte([]byte("nrtfb"), before[last]) >= 0:
		return true
	case last >= 2 && before[last-2] == '%' && isHex(before[last-1]) && isHex(before[last]):
		return true
	case before[last] == 'm':
		i := last - 1
		for i >= 0 && (isDigit(before[i]) || before[i] == ';') {
			i--
		}
		return i >= 0 && before[i] == '['
	case last >= 5 && before[last-5] == '\\' && before[last-4] == 'u': // \u003d
		return true
	}
	return false
}

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// entropy returns how many bits a character of the text carries, from how often each occurs.
func entropy(text []byte) float64 {
	var counts [256]int
	for _, c := range text {
		counts[c]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(text))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// A candidate is what a pattern has matched.
type candidate struct {
	text       []byte
	keyword    int // where the keyword begins
	start, end int // of the value
}

func (c candidate) value() []byte { return c.text[c.start:c.end] }

// The most characters that a name has before and after a keyword, that are between a name and its value, and that the
// value of a secret without a mark has. Quick looks go no further, because texts may repeat a keyword without end.
const (
	maxName     = 80
	maxSign     = 40
	maxAssigned = 200
)

// name returns the name that the value is assigned to, as far as it belongs to one word.
func (c candidate) name() []byte {
	return c.text[nameStart(c.text, c.keyword):max(c.keyword, min(c.start, nameEnd(c.text, c.keyword)))]
}

func (c candidate) isQuoted() bool {
	return c.start > 0 && bytes.IndexByte([]byte("\"'`"), c.text[c.start-1]) >= 0
}

// lazy returns a function that returns a pattern, which is compiled when it is needed first.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// placeholder matches what people write in place of a secret, and what refers to one.
var placeholder = lazy(`(?i)^[$<%{@]|[<>{}()\[\]]|^[x*.#_0-]+$|\*{3}|\.\.\.|xxxx|example|placeholder|` +
	`change[_-]?me|your[_-]|[_-]here$|` +
	`redacted|masked|dummy|insert|process\.env|os\.environ|getenv|^env[.:]|^vault:|^ref[+:]|^secret[s]?[./]|^file:|` +
	`^(?:null|none|undefined|true|false|string|test|todo|required|optional|password|secret|token|bearer|basic)$`)

// notSecretName matches names that say something about a secret, instead of being one.
var notSecretName = lazy(`(?i)(?:^|[_.-]|[a-z])(?:url|uri|file|path|name|type|id|ids|limit|count|ttl|` +
	`expiry|expires(?:_?(?:in|at))?|hash|sha\d*|md5|digest|` +
	`algorithm|checksum|length|len|size|dir|endpoint|header|prefix|suffix|` +
	`field|param|label|policy|version|index|kind|class|regex|pattern|format|encoding|tokenizer|tokens|keys|hint|usage|` +
	`budget|estimate|commit|mode|status|state|source|provider|model|signature)$`)

// word is a part of a name: letters, with at most two digits after them, or a small number.
const word = `(?:[A-Za-z]{2,}[0-9]{0,2}|[0-9]{1,4}|[A-Za-z])`

var (
	uuid = lazy(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	// place matches paths, addresses and file names.
	place = lazy(`^(?:[~.]{0,2}/|[A-Za-z]:\\|[a-z][a-z0-9+.-]*://)|\.(?:go|js|mjs|ts|tsx|py|json|md|txt|` +
		`html|css|ya?ml|toml|sh|pem|key|sum|mod|java|rb|rs|c|h|svg|png|map)$`)
	// words matches names that consist of words.
	words = lazy(`^` + word + `(?:[._:/-]+` + word + `)*$`)
)

// isAssigned judges the value of an assignment to a name that speaks of a secret. Patterns, which take the most time,
// come last.
func isAssigned(c candidate) bool {
	value := c.value()
	if len(value) > maxAssigned || !hasLetter(value) || !isRandom(c) {
		return false
	}
	return !placeholder().Match(value) && !place().Match(value) && !uuid().Match(value) &&
		!notSecretName().Match(c.name())
}

// isRandom reports whether the value of an assignment is no word, and no code.
func isRandom(c candidate) bool {
	value := c.value()
	digit := hasDigit(value)
	if !digit && !hasSign(value) && !isJumbled(value) || entropy(value) < 2.2 {
		return false
	}
	if isPassword(c) {
		return digit || !isWords(value)
	}
	return len(value) >= 12 && digit && entropy(value) >= 3 && !isCode(value) && !isWords(value) &&
		(c.isQuoted() || !namesSecret().Match(value) || isJumbled(value))
}

// isWords reports whether a text is a name that consists of words.
func isWords(text []byte) bool { return words().Match(text) && !isJumbled(text) }

// isJumbled reports whether a long text is random: small and capital letters change more often than in names of words,
// or nobody could say it.
func isJumbled(text []byte) bool {
	short, run, hard, consonants := 0, 0, 0, 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && isLetter(text[i]) && strings.IndexByte("aeiouy", text[i]|0x20) < 0 {
			if consonants++; consonants == 5 {
				hard++
			}
		} else {
			consonants = 0
		}
		if i < len(text) && text[i] >= 'a' && text[i] <= 'z' {
			run++
			continue
		}
		if run == 1 || run == 2 {
			short++
		}
		run = 0
	}
	return len(text) >= 12 && (short >= 3 || hard >= 2)
}

// namesSecret matches the names of variables that hold secrets.
var namesSecret = lazy(`(?i)key|token|secret|password|cert|auth`)

// isVariable judges the value of a variable of the environment.
func isVariable(c candidate) bool {
	value := c.value()
	if placeholder().Match(value) || place().Match(value) || uuid().Match(value) || notSecretName().Match(c.name()) {
		return false
	}
	if isPassword(c) {
		return !upperName().Match(value) && entropy(value) >= 1.5
	}
	return hasLetter(value) && (hasDigit(value) || len(value) >= 16) && !upperName().Match(value) && entropy(value) >= 2.5
}

var upperName = lazy(`^[A-Z_]+$`)

// isPassword reports whether the name speaks of a password, which may be shorter and less random than a key.
func isPassword(c candidate) bool {
	return namesPassword().Match(c.name())
}

// namesPassword matches the names of passwords.
var namesPassword = lazy(`(?i)passw|passphrase|passcode|pwd|psk$|pass$`)

func hasLetter(text []byte) bool {
	return slices.ContainsFunc(text, func(c byte) bool { return c > 127 || isLetter(c) })
}

func hasDigit(text []byte) bool { return slices.ContainsFunc(text, isDigit) }

func hasSign(text []byte) bool { return bytes.ContainsAny(text, signs) }

// isCode reports whether a text is an expression of a programming language, or a list, more likely than a key.
func isCode(text []byte) bool {
	return bytes.ContainsAny(text, "()[]{}<>;,|\\\"'`") || bytes.Contains(text, []byte("::"))
}

// assignedFrom returns where an assignment goes on after its sign, or -1 if there is none.
func assignedFrom(text []byte, i int) int {
	i = skip(text, nameEnd(text, i), "\\\"'` \t", maxSign)
	if i < len(text) && (text[i] == ':' || text[i] == '=') {
		return i + 1
	}
	return -1
}

// isLongAssignment is a quick look whether something is assigned that has enough characters for a key.
func isLongAssignment(text []byte, at, length int) bool {
	const least = 32
	i := assignedFrom(text, at+length)
	if i < 0 {
		return false
	}
	i = skip(text, skip(text, skip(text, i, ">=", 1), "\\ \t", maxSign), "\"'`", 1)
	return i+least <= len(text) && !slices.ContainsFunc(text[i:i+least], func(c byte) bool { return !isWrapped[c] })
}

// signs are those that passwords have.
const signs = "!@#$%^&*+?~"

var isSign = setOf(signs)

// isUnquoted says which bytes a secret without quotes may have.
var isUnquoted = setOf(`_+/=.~!@#%^*-` + alnum)

const alnum = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// setOf returns a table of some bytes.
func setOf(bytes string) [256]bool {
	return tableOf(func(c byte) bool { return strings.IndexByte(bytes, c) >= 0 })
}

// tableOf returns a table of the bytes that have a property.
func tableOf(has func(c byte) bool) (table [256]bool) {
	for c := range table {
		table[c] = has(byte(c))
	}
	return table
}

// containsFold reports whether a word is in a text, in which case does not count.
func containsFold(text []byte, word string) bool {
	for i := 0; i+len(word) <= len(text); i++ {
		if (&keyword{text: word, fold: true}).isAt(text[i:]) {
			return true
		}
	}
	return false
}

// isVariableName is a quick look whether a keyword is in the upper-case name of a variable that something is assigned
// to.
func isVariableName(text []byte, at, length int) bool {
	if !beginsVariable(text, at) {
		return false
	}
	i := at
	for i < min(len(text), at+length+maxName) && isUpperName(text[i]) {
		i++
	}
	return i >= at+length && i < len(text) && text[i] == '='
}

// beginsVariable reports whether what is before an index may be the beginning of an upper-case name, and not the end of
// another word or of a reference such as ${.
func beginsVariable(text []byte, at int) bool {
	for least := max(0, at-maxName); at > least && isUpperName(text[at-1]); {
		at--
	}
	switch {
	case at == 0:
		return true
	case isKeyCharacter(text[at-1]): // an escape or a color may end with it
		return isBoundary(text, at)
	}
	return strings.IndexByte(".$%{", text[at-1]) < 0
}

// isUpperName reports whether upper-case names of variables consist of such characters.
func isUpperName(c byte) bool { return c == '_' || isDigit(c) || c >= 'A' && c <= 'Z' }

// hasUserInfo is a quick look whether a name and a password are in a URL.
func hasUserInfo(text []byte, at, length int) bool {
	colon := false
	for i := at + length; i < len(text); i++ {
		switch c := text[i]; {
		case c == ':':
			colon = true
		case c == '@':
			return colon
		case c <= ' ' || c == '/' || c == '"' || c == '\\' || c == '<' || c == '`':
			return false
		}
	}
	return false
}

// isURLPassword judges the password in a URL.
func isURLPassword(c candidate) bool {
	value := c.value()
	return isNoPlaceholder(c) && !bytes.EqualFold(value, []byte("pass")) && !bytes.EqualFold(value, []byte("pwd"))
}

// isArgument judges the word of a command line that should be a secret. Words of instructions are none.
func isArgument(c candidate) bool {
	value := c.value()
	return isNoPlaceholder(c) &&
		(hasDigit(value) || hasSign(value) || isMixed(value) || isJumbled(value) || c.isQuoted() && !isWords(value))
}

// standsAlone judges a key that looks like a part of other data.
func standsAlone(c candidate) bool {
	return c.start == 0 || strings.IndexByte("+/", c.text[c.start-1]) < 0
}

// isNoPlaceholder judges a value that needs nothing else.
func isNoPlaceholder(c candidate) bool { return !placeholder().Match(c.value()) }

// isTyped judges what follows a flag of a command, which may also be the next word of a sentence.
func isTyped(c candidate) bool {
	value := c.value()
	hasCapital := slices.ContainsFunc(value[1:], isUpper)
	return isNoPlaceholder(c) && !place().Match(value) && !upperName().Match(value) && (hasCapital || hasDigit(value))
}

// isKeyLike judges a text with a mark that words have too, such as task-list: keys have digits, or are longer than any
// word.
func isKeyLike(c candidate) bool {
	value := c.value()
	if longestRun(value) >= 40 && entropy(value) >= 4 { // words in it are there by chance
		return true
	}
	isWordy := isWords(value) || !hasDigit(value)
	return !placeholder().Match(value) && (!isWordy || longestRun(value) >= 20)
}

// longestRun returns the length of the longest row of letters and digits.
func longestRun(text []byte) int {
	var longest int
	n := 0
	for _, c := range text {
		n++
		if !isAlnum(c) {
			n = 0
		}
		longest = max(longest, n)
	}
	return longest
}

// isKeyBody judges what is inside of a private key.
func isKeyBody(c candidate) bool {
	n := len(slices.DeleteFunc(bytes.Clone(c.value()), func(b byte) bool { return !isData[b] }))
	return n >= 16 && entropy(c.value()) >= 2
}
