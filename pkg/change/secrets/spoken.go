package secrets

import (
	"bytes"
	_ "embed"
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
	words           [256][]string // the same, by their first byte
	signs, verbs    [256][]string // what is between a secret's name and the secret; verbs have spaces around them
	leads           [256]bool     // whether they may begin with a byte, or follow it
}

var wordsFor = sync.OnceValue(func() *lexicon {
	v := &lexicon{leads: tableOf(func(c byte) bool { return c >= utf8.RuneSelf || strings.IndexByte(" =:", c) >= 0 })}
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
				list := &v.signs[word[0]]
				if r, _ := utf8.DecodeRuneInString(word); unicode.IsLetter(r) && !isEastAsian(r) {
					list = &v.verbs[word[0]]
				}
				*list = append(*list, word)
				v.leads[word[0]] = true
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
	n, isPassword := wordAt(text, at)
	end := at + n
	last, _ := utf8.DecodeLastRune(text[at:end])
	if !isEastAsian(last) {
		end = inflectionEnd(text, end)
	}
	most := min(len(text), end+longestClause+maxSign+maxAssigned)
	if !isWritten(text, at, n) || !isProse(text, at, end) || !bytes.ContainsAny(text[end:most], "0123456789"+signs) {
		return nil
	}
	judge := isSpokenKey
	if isPassword {
		judge = isSpokenPassword
	}
	value := spokenValue(text, skip(text, end, " ", 1))
	if found := text[value.start:value.end]; value.start == end && !isEastAsian(last) ||
		!isStrong(found) || !judge(found) {
		value = saidAfter(text, end, isPassword, judge)
	}
	if value.start == value.end {
		return nil
	}
	next := inflectionEnd(text, skip(text, inflectionEnd(text, at+n), " ", 1)) // of a password policy, which is none
	if notSecretName().Match(bytes.ReplaceAll(text[at:next], []byte(" "), []byte("_"))) {
		return nil
	}
	return []span{{value.start, skip(text, value.end, "!?", maxSign)}} // passwords end with them as often as sentences
}

// saidAfter returns the secret in the clause after its name.
func saidAfter(text []byte, from int, isPassword bool, judge func([]byte) bool) span {
	v := wordsFor()
	limit := clauseEnd(text, from)
	for i := from; i < limit; {
		if !v.leads[text[i]] {
			i++
			continue
		}
		n := v.saysAt(text, i)
		isSaid := n > 0 && (text[i] != '=' || i <= from+2)
		var value span
		if isSaid {
			i += n
			value = spokenValue(text, skip(text, i, " \t", 3))
		} else if i++; isPassword && beginsWordAt(text, i) {
			value = spokenValue(text, i)
		}
		if found := text[value.start:value.end]; (isSaid || isUnspeakable(found)) && judge(found) {
			return value
		}
	}
	return span{}
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
		if !unicode.IsLetter(r) || r >= utf8.RuneSelf && isEastAsian(r) {
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
		case !endsClause[c]:
		case c == '=' && end <= i+2:
		case strings.IndexByte(".?!", c) < 0 || end+1 < len(text) && text[end+1] == ' ':
			return end
		}
	}
	return min(len(text), i+longestClause)
}

// saysAt returns the length of the sign or the verb at an index that comes before a secret, or 0.
func (v *lexicon) saysAt(text []byte, i int) int {
	c := text[i]
	switch {
	case c == '=', c == ':' && i+1 < len(text) && (text[i+1] <= ' ' || quoteAt(text[i+1:]) != nil):
		return 1
	}
	for _, sign := range v.signs[c] {
		if bytes.HasPrefix(text[i:], []byte(sign)) {
			return len(sign)
		}
	}
	if i == 0 || text[i-1] != ' ' {
		return 0
	}
	for _, verb := range v.verbs[c] {
		rest, isVerb := bytes.CutPrefix(text[i:], []byte(verb))
		if isVerb && len(rest) > 0 && strings.IndexByte(" :", rest[0]) >= 0 {
			return len(verb) + 1
		}
	}
	return 0
}

// quotes are what people put around a value, and what closes it.
var quotes = [][2]string{
	{`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"「", "」"}, {"『", "』"}, {"‘", "’"},
	{"《", "》"}, {"‚", "‘"}, {"»", "«"}, {"**", "**"},
}

// These tables say of every byte whether a quote may begin with it, whether a clause may end before it, and whether a
// value without quotes does.
var (
	beginsQuote = setOf("\"'`*\xc2\xe2\xe3")
	endsClause  = setOf("\n\r;{}()[]<>=.?!")
	endsSpoken  = tableOf(func(c byte) bool {
		return c <= ' ' || strings.IndexByte("\"'`<>()[]{},;|\\", c) >= 0 || c >= 0xe2
	})
)

// quoteAt returns the quote that a text begins with, and what closes it, or nil.
func quoteAt(text []byte) *[2]string {
	for i := range quotes {
		if len(text) == 0 || !beginsQuote[text[0]] {
			return nil
		}
		if bytes.HasPrefix(text, []byte(quotes[i][0])) {
			return &quotes[i]
		}
	}
	return nil
}

// spokenValue returns the range of the word at an index, without quotes around it and signs of the sentence after it.
func spokenValue(text []byte, i int) span {
	if quote := quoteAt(text[i:]); quote != nil {
		i = skip(text, i+len(quote[0]), " ", 1) // in French
		line, _, isClosed := bytes.Cut(text[i:min(len(text), i+maxAssigned)], []byte(quote[1]))
		if line = bytes.TrimRight(line, " \u00a0"); !isClosed || bytes.ContainsAny(line, " \t\n") {
			return span{i, i}
		}
		return span{i, i + len(line)}
	}
	end := i
	for end < min(len(text), i+maxAssigned) && !endsSpoken[text[end]] {
		end++
	}
	if end < len(text) && strings.IndexByte("([{<", text[end]) >= 0 { // code
		return span{i, i}
	}
	return span{i, i + len(bytes.TrimRight(text[i:end], ".,!?:*"))}
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
	identifier = lazy(`^\*?[A-Za-z.]+[0-9]{0,4}$|^(?:[a-z]+\.)?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+:?$|` +
		`^\*?[a-z0-9]+\.[A-Z][A-Za-z]*$`)
	// acronym matches the names of methods and formats, such as SHA-256 and UTF-8.
	acronym = lazy(`^[A-Za-z]{0,2}[A-Z]{2,6}[-_]?[0-9]{1,4}$`)
	// hexDigits matches digests and other numbers.
	hexDigits = lazy(`^(?i:sha(?:1|256|384|512)[:-])?(?:[0-9a-f:-]+|[0-9A-F:-]+)$`)
	// numberedName matches the names of things that are numbered.
	numberedName = lazy(`^[a-z]+[-_.]?[0-9]+$`)
	// spokenPlace matches addresses, times, versions, and the names of files and settings.
	spokenPlace = lazy(`^(?:[a-z0-9-]+\.)+[a-z]{2,6}(?:[:/].*)?$|^v?[0-9]+(?:\.[0-9]+)+|@[a-z0-9-]+\.[a-z]|` +
		`^[0-9]{1,4}[-/.:][0-9]{1,2}(?:[-/.:T].*)?$|^[a-z_]+(?:\.[a-z0-9_]+)+$|` +
		`^(?:f[0-9]+|(?:ctrl|alt|shift|cmd|Ctrl|Alt|Shift|Cmd|F[0-9]+)[+-].*)$`)
)
