package secrets

import (
	"bytes"
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The words for secrets in ten languages.
//
//go:embed words.txt
var wordsFile string

// A lexicon has the words of words.txt.
type lexicon struct {
	passwords, keys []string      // in all ways to write them in a folded keyword
	words, verbs    [256][]string // by their first byte; verbs are between a secret's name and the secret
}

var wordsFor = sync.OnceValue(func() *lexicon {
	v := &lexicon{}
	for line := range strings.Lines(wordsFile) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0] == "#" {
			continue
		}
		for _, word := range fields[2:] {
			word = strings.ReplaceAll(word, "_", " ")
			switch fields[0] {
			case "password":
				v.passwords = append(v.passwords, spellings(word)...)
			case "key":
				v.keys = append(v.keys, spellings(word)...)
			case "is":
				v.verbs[word[0]] = append(v.verbs[word[0]], word)
			}
		}
	}
	for _, word := range slices.Concat(v.passwords, v.keys) {
		v.words[word[0]] = append(v.words[word[0]], word)
	}
	return v
})

// spellings returns a word as keywords that fold ASCII: with capitals outside of ASCII too.
func spellings(word string) []string {
	upper := func(r rune) rune {
		if r < utf8.RuneSelf {
			return r
		}
		return unicode.ToUpper(r)
	}
	first, size := utf8.DecodeRuneInString(word)
	list := []string{word, string(upper(first)) + word[size:], strings.Map(upper, word)}
	slices.Sort(list)
	return slices.Compact(list)
}

// longestClause is how many bytes may be between the name of a secret and the secret, as in "the password for the new
// server is".
const longestClause = 60

// findSpoken returns the secret that a sentence or a label in one of ten languages names with the word at an index.
func findSpoken(text []byte, at int) []span {
	word, _ := wordAt(text, at)
	start, end := spokenAt(text, at)
	if end == start {
		return nil
	}
	next := inflectionEnd(text, skip(text, inflectionEnd(text, at+word), " ", 1)) // of a password policy, which is none
	if notSecretName().Match(bytes.ReplaceAll(text[at:next], []byte(" "), []byte("_"))) {
		return nil
	}
	return []span{{start, skip(text, end, "!?", maxSign)}} // passwords end with them as often as sentences
}

func spokenAt(text []byte, at int) (start, end int) {
	word, isPassword := wordAt(text, at)
	i := at + word
	last, _ := utf8.DecodeLastRune(text[at:i])
	if !isEastAsian(last) {
		i = inflectionEnd(text, i)
	}
	if !isWritten(text, at, word) || !isProse(text, at, i) {
		return 0, 0
	}
	judge := isSpokenKey
	if isPassword {
		judge = isSpokenPassword
	}
	start, end = spokenValue(text, skip(text, i, " ", 1))
	if value := text[start:end]; (i < start || isEastAsian(last)) && isStrong(value) && judge(value) {
		return start, end
	}
	for from, limit := i, clauseEnd(text, i); i < limit; {
		n := saysAt(text, i)
		if n == 0 || text[i] == '=' && i > from+2 {
			if i++; isPassword && beginsWordAt(text, i) {
				if start, end = spokenValue(text, i); isUnspeakable(text[start:end]) && judge(text[start:end]) {
					return start, end
				}
			}
			continue
		}
		i += n
		if start, end = spokenValue(text, skip(text, i, " \t", 3)); judge(text[start:end]) {
			return start, end
		}
	}
	return 0, 0
}

// beginsWordAt reports whether a word in ASCII begins at an index: after a space, or after an East Asian character.
func beginsWordAt(text []byte, i int) bool {
	return i < len(text) && isKeyCharacter(text[i]) && (text[i-1] == ' ' || text[i-1] >= utf8.RuneSelf)
}

// isWritten reports whether people write the word at an index like this. In data, words are there by chance: with small
// and capital letters, and short ones after other letters.
func isWritten(text []byte, at, n int) bool {
	if n == 0 {
		return false
	}
	hasSmall := bytes.ContainsFunc(text[at+1:at+n], func(r rune) bool { return r >= 'a' && r <= 'z' })
	return !(hasSmall && slices.ContainsFunc(text[at+1:at+n], isUpper)) && (n > 3 || at == 0 || !isAlnum(text[at-1]))
}

// isProse reports whether the word between two indexes is one of a sentence or a label, and no part of a name in a
// program. Words in the plural are counted, mostly.
func isProse(text []byte, at, end int) bool {
	if at > 0 && (strings.IndexByte("_.$/\\", text[at-1]) >= 0 || isLetter(text[at-1]) && isUpper(text[at])) {
		return false
	}
	word := text[at:end]
	last, _ := utf8.DecodeLastRune(word)
	switch {
	case end < len(text) && text[end] < utf8.RuneSelf && strings.IndexByte(" :=", text[end]) < 0 && !isEastAsian(last):
		return false
	}
	return end < len(text) && !bytes.HasSuffix(word, []byte("tokens")) && !bytes.HasSuffix(word, []byte("keys"))
}

// wordAt returns the length of the longest word for a secret at an index, and whether it is one for a password.
func wordAt(text []byte, at int) (n int, isPassword bool) {
	first := text[at]
	if isUpper(first) {
		first |= 0x20
	}
	found := ""
	for _, word := range wordsFor().words[first] {
		if len(word) <= len(found) || !(&keyword{text: word, fold: true}).isAt(text[at:]) {
			continue
		}
		if end := at + len(word); !strings.HasSuffix(word, " is") || end < len(text) && !isLetter(text[end]) {
			found = word
		}
	}
	return len(strings.TrimRight(strings.TrimSuffix(found, " is"), ": ")), slices.Contains(wordsFor().passwords, found)
}

// inflectionEnd returns where the word ends that another one begins. East Asian ones have no spaces between them.
func inflectionEnd(text []byte, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRune(text[i:])
		if !unicode.IsLetter(r) || isEastAsian(r) {
			break
		}
		i += size
	}
	return i
}

func isEastAsian(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// clauseEnd returns where the clause ends at the latest that says what a secret is.
func clauseEnd(text []byte, i int) int {
	for end := i; end < min(len(text), i+longestClause); end++ {
		switch c := text[end]; {
		case strings.IndexByte("\n\r;{}()[]<>", c) >= 0, c == '=' && end > i+2:
			return end
		case (c == '.' || c == '?' || c == '!') && end+1 < len(text) && text[end+1] == ' ':
			return end
		}
	}
	return min(len(text), i+longestClause)
}

// saysAt returns the length of the sign or the verb at an index that comes before a secret, or 0.
func saysAt(text []byte, i int) int {
	c, isWord := text[i], i > 0 && text[i-1] == ' '
	switch {
	case c == '=', c == ':' && i+1 < len(text) && (text[i+1] <= ' ' || opensQuote(text[i+1:]) > 0):
		return 1
	case c < utf8.RuneSelf && isLetter(c) && !isWord:
		return 0
	case c >= utf8.RuneSelf || strings.IndexByte(" -=", c) >= 0:
		for _, sign := range [...]string{"：", "＝", " — ", " – ", " - ", "->", "=>", "→"} {
			if bytes.HasPrefix(text[i:], []byte(sign)) {
				return len(sign)
			}
		}
	}
	for _, verb := range wordsFor().verbs[c] {
		if !bytes.HasPrefix(text[i:], []byte(verb)) {
			continue
		}
		after := i + len(verb)
		if first, _ := utf8.DecodeRuneInString(verb); isEastAsian(first) {
			return len(verb)
		}
		if isWord && after < len(text) && strings.IndexByte(" :", text[after]) >= 0 {
			return len(verb) + 1
		}
	}
	return 0
}

// quotes are what people put around a value, and what closes it.
var quotes = [][2]string{
	{`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"「", "」"}, {"『", "』"}, {"‘", "’"},
	{"《", "》"},
	{"‚", "‘"}, {"»", "«"}, {"**", "**"},
}

// opensQuote returns the length of the quote that a text begins with, or 0.
func opensQuote(text []byte) int {
	for _, q := range quotes {
		if bytes.HasPrefix(text, []byte(q[0])) {
			return len(q[0])
		}
	}
	return 0
}

// spokenValue returns the range of the word at an index, without quotes around it and signs of the sentence after it.
func spokenValue(text []byte, i int) (start, end int) {
	start = i
	for _, q := range quotes {
		if !bytes.HasPrefix(text[i:], []byte(q[0])) {
			continue
		}
		start += len(q[0])
		start = skip(text, start, " ", 1) // in French
		line := text[start:min(len(text), start+maxAssigned)]
		if n := bytes.Index(line, []byte(q[1])); n > 0 && !bytes.ContainsAny(bytes.TrimRight(line[:n], " \u00a0"), " \t\n") {
			return start, start + len(bytes.TrimRight(line[:n], " \u00a0"))
		}
		return start, start
	}
	for end = start; end < min(len(text), start+maxAssigned); end++ {
		if c := text[end]; c <= ' ' || strings.IndexByte("\"'`<>()[]{},;|\\", c) >= 0 || c >= 0xe2 {
			break
		}
	}
	if end < len(text) && strings.IndexByte("([{<", text[end]) >= 0 { // code
		return start, start
	}
	return start, start + len(bytes.TrimRight(text[start:end], ".,!?:*"))
}

// isSpokenPassword judges what a sentence says to be a password.
func isSpokenPassword(value []byte) bool {
	return len(value) >= 6 && mayBeSpoken(value) && entropy(value) >= 2.2 &&
		(!isWords(value) || hasDigit(value) && isCased(value) && len(value) >= 8 && !acronym().Match(value))
}

// isSpokenKey judges what a sentence says to be a key, which may be the key of a table or of a piano.
func isSpokenKey(value []byte) bool {
	return len(value) >= 12 && mayBeSpoken(value) && hasDigit(value) && entropy(value) >= 3 && !isWords(value) &&
		!hexDigits().Match(value) && !isIdentifier(value)
}

func mayBeSpoken(value []byte) bool {
	return hasLetter(value) && (hasDigit(value) || hasSign(value)) && !isCode(value) && !placeholder().Match(value) &&
		!place().Match(value) && !uuid().Match(value) && !publicText().Match(value) && !typeName().Match(value) &&
		(bytes.IndexByte(value, '/') < 0 || isJumbled(value)) && !spokenPlace().Match(value)
}

// isStrong judges a word right after the name of a secret, which is the next word of the sentence otherwise.
func isStrong(value []byte) bool {
	return len(value) >= 8 && hasDigit(value) && hasLetter(value) && entropy(value) >= 2.7 &&
		!bytes.ContainsAny(value[:len(value)-2], "=:") && !isIdentifier(value) &&
		(!isWords(value) || isUnspeakable(value)) &&
		(isCased(value) || hasSign(value) || !numberedName().Match(value)) && !hexDigits().Match(value)
}

// isIdentifier reports whether a value is a name in a program, which nobody made at random.
func isIdentifier(value []byte) bool { return identifier().Match(value) && !isJumbled(value) }

// isCased reports whether a word has small and capital letters.
func isCased(value []byte) bool {
	return bytes.ContainsFunc(value, unicode.IsLower) && slices.ContainsFunc(value, isUpper)
}

// isUnspeakable judges a word of a sentence about passwords, of which nothing says that it is one.
func isUnspeakable(value []byte) bool {
	return len(value) >= 10 && hasDigit(value) && isCased(value) && entropy(value) >= 3 &&
		!bytes.ContainsAny(value, "=:/") && !isIdentifier(value)
}

var (
	// identifier matches names in programs, and names such as JohnDoe42.
	identifier = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\*?[A-Za-z.]+[0-9]{0,4}$|^(?:[a-z]+\.)?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+:?$|` +
			`^\*?[a-z0-9]+\.[A-Z][A-Za-z]*$`)
	})
	// acronym matches the names of methods and formats, such as SHA-256 and UTF-8.
	acronym = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z]{0,2}[A-Z]{2,6}[-_]?[0-9]{1,4}$`)
	})
	// hexDigits matches digests and other numbers.
	hexDigits = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i:sha(?:1|256|384|512)[:-])?(?:[0-9a-f:-]+|[0-9A-F:-]+)$`)
	})
	// numberedName matches the names of things that are numbered.
	numberedName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z]+[-_.]?[0-9]+$`) })
	// spokenPlace matches addresses, times, versions, and the names of files and settings.
	spokenPlace = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[a-z0-9-]+\.)+[a-z]{2,6}(?:[:/].*)?$|^v?[0-9]+(?:\.[0-9]+)+|@[a-z0-9-]+\.[a-z]|` +
			`^[0-9]{1,4}[-/.:][0-9]{1,2}(?:[-/.:T].*)?$|^[a-z_]+(?:\.[a-z0-9_]+)+$|` +
			`^(?:f[0-9]+|(?:ctrl|alt|shift|cmd|Ctrl|Alt|Shift|Cmd|F[0-9]+)[+-].*)$`)
	})
)
