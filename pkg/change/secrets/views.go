package secrets

import (
	"bytes"
	"strings"
)

// A view reads a text that other programs have written in an encoding of theirs: as a string of JSON, in a URL, in
// HTML, or broken into lines. What is found in the plain text is also found where it is encoded.
type view struct {
	// may is a quick look whether anything in a text is encoded.
	may func(text []byte) bool
	// begin returns how to read a text.
	begin func(text []byte) decoder
	nests bool // what it reads may have been encoded like this several times
	// onlyMarked says that keys are trusted only if a mark shows what they are, and nothing else was found there.
	onlyMarked bool
}

// A decoder reads what is encoded in a text.
type decoder struct {
	// next returns the next index at which something may be encoded, or -1.
	next func(text []byte, i int) int
	// read returns the plain form of what is encoded at an index, and its length, or 0 if nothing is.
	read func(text []byte, i int) (plain string, n int)
}

var views = []view{
	{may: has('\\'), begin: with(nextMark(`\`), stepEscape), nests: true},
	{may: hasPercent, begin: with(nextMark("%+"), stepPercent), nests: true},
	{may: hasEntity, begin: with(nextMark("&"), stepEntity)},
	{may: hasWide, begin: beginWrap},
	{may: hasWide, begin: with(nextWide, stepAnyWrap), onlyMarked: true},
}

// with returns a begin that is the same for all texts.
func with(next func([]byte, int) int, read func([]byte, int) (string, int)) func([]byte) decoder {
	return func([]byte) decoder { return decoder{next, read} }
}

// nextMark returns a function that looks for some bytes.
func nextMark(marks string) func(text []byte, i int) int {
	return func(text []byte, i int) int {
		at := indexMark(text[i:], marks)
		if at < 0 {
			return -1
		}
		return i + at
	}
}

func has(c byte) func([]byte) bool {
	return func(text []byte) bool { return bytes.IndexByte(text, c) >= 0 }
}

// deepestView is how many encodings are read one inside of the other.
const deepestView = 5

// each calls yield with the places of a text at which something is encoded, and what it is.
func (v *view) each(text []byte, yield func(at, n int, decoded string)) {
	in := v.begin(text)
	for i := in.next(text, 0); i >= 0; i = in.next(text, i) {
		decoded, n := in.read(text, i)
		if n == 0 {
			i++
			continue
		}
		yield(i, n, decoded)
		i += n
	}
}

// indexMark returns where the first of a few bytes is in a text, or -1.
func indexMark(text []byte, marks string) int {
	if len(marks) == 1 {
		return bytes.IndexByte(text, marks[0])
	}
	return bytes.IndexAny(text, marks)
}

// stepEscape reads an escape of JSON that stands for an ASCII character, and those that other languages have too.
func stepEscape(text []byte, i int) (plain string, n int) {
	if i+1 == len(text) {
		return "", 0
	}
	if at := strings.IndexByte(`"\/'nrt`, text[i+1]); at >= 0 {
		return "\"\\/'\n\r\t"[at : at+1], 2
	}
	if i+6 > len(text) || string(text[i+1:i+4]) != "u00" || !isHex(text[i+4]) || !isHex(text[i+5]) || text[i+4] > '7' {
		return "", 0
	}
	return string([]byte{unhex(text[i+4])<<4 | unhex(text[i+5])}), 6
}

// hasPercent is a quick look whether a text has signs in the form of URLs that say where a value begins.
func hasPercent(text []byte) bool {
	if hasPlusWords(text) {
		return true
	}
	for i := bytes.IndexByte(text, '%'); i >= 0 && i+2 < len(text); {
		if isDigit(text[i+1]) && isHex(text[i+2]) {
			return true
		}
		next := bytes.IndexByte(text[i+1:], '%')
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

// hasPlusWords reports whether a text has words with the sign between them that URLs have instead of a space: two in a
// URL, a flag, or three words in a row.
func hasPlusWords(text []byte) bool {
	last, isURL := -maxSign, bytes.Contains(text, []byte("://"))
	for i := bytes.IndexByte(text, '+'); i >= 0 && i+1 < len(text); {
		if i > 0 && isNamePart(text[i-1]) && isNamePart(text[i+1]) {
			if isURL || text[i+1] == '-' || i-last < maxSign && isWord(text[last+1:i]) {
				return true
			}
			last = i
		}
		next := bytes.IndexByte(text[i+1:], '+')
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

func isWord(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool { return r > 127 || !isNamePart(byte(r)) })
}

// stepPercent reads an ASCII character as URLs write it.
func stepPercent(text []byte, i int) (plain string, n int) {
	if text[i] == '+' {
		return " ", 1
	}
	if i+2 >= len(text) || !isDigit(text[i+1]) || text[i+1] > '7' || !isHex(text[i+2]) {
		return "", 0
	}
	return string([]byte{unhex(text[i+1])<<4 | unhex(text[i+2])}), 3
}

func unhex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// entities are the signs of HTML and XML that stand around values and in them.
var entities = map[string]string{
	"&quot;": `"`, "&#34;": `"`, "&#x22;": `"`, "&apos;": "'", "&#39;": "'", "&#x27;": "'", "&lt;": "<", "&gt;": ">",
	"&amp;": "&", "&#61;": "=", "&#43;": "+",
}

// hasEntity is a quick look whether a text has signs of HTML.
func hasEntity(text []byte) bool {
	if bytes.IndexByte(text, '&') < 0 {
		return false
	}
	for _, sign := range []string{"&quot;", "&#", "&apos;", "&amp;", "&lt;"} {
		if bytes.Contains(text, []byte(sign)) {
			return true
		}
	}
	return false
}

// stepEntity reads a sign of HTML.
func stepEntity(text []byte, i int) (plain string, n int) {
	end := bytes.IndexByte(text[i:min(len(text), i+7)], ';')
	if end < 0 {
		return "", 0
	}
	if plain = entities[string(text[i:i+end+1])]; plain == "" {
		return "", 0
	}
	return plain, end + 1
}

// narrowest is the least width at which texts are broken into lines.
const narrowest = 60

// hasWide is a quick look whether a text has a line that may have been broken.
func hasWide(text []byte) bool { return nextWide(text, 0) >= 0 }

// nextWide returns the next end of a line that is so wide that it may have been broken, or -1. It looks at the last
// line end within the width, which skips several short lines at once.
func nextWide(text []byte, i int) int {
	start := bytes.LastIndexByte(text[:i], '\n') + 1
	for start+narrowest < len(text) {
		last := bytes.LastIndexByte(text[start:start+narrowest], '\n')
		if last >= 0 {
			start += last + 1
			continue
		}
		if end := bytes.IndexByte(text[start+narrowest:], '\n'); end >= 0 {
			return start + narrowest + end
		}
		break
	}
	return -1
}

// beginWrap reads line ends that break a word, as terminals and mail programs break long ones, and those that a shell
// ignores. A line that is as wide as the widest one may have been broken anywhere.
func beginWrap(text []byte) decoder {
	widest, next := widestLine(text), nextWide
	if bytes.Contains(text, []byte("\\\n")) {
		next = nextMark("\n")
	}
	return decoder{next, func(text []byte, i int) (string, int) {
		width := i - bytes.LastIndexByte(text[:i], '\n') - 1
		if width == widest && widest >= narrowest && i+1 < len(text) && text[i+1] != '\n' {
			return "", 1
		}
		return stepWrap(text, i)
	}}
}

// widestLine returns the width of the widest line of a text. It skips all lines that end within the widest before.
func widestLine(text []byte) int {
	var widest int
	for start := 0; start+widest < len(text); {
		last := bytes.LastIndexByte(text[start:start+widest+1], '\n')
		if last < 0 {
			last = bytes.IndexByte(text[start:], '\n')
			if last < 0 {
				last = len(text) - start
			}
			widest = max(widest, len(bytes.TrimRight(text[start:start+last], "\r")))
		}
		start += last + 1
	}
	return widest
}

// stepWrap reads a line end inside of a key.
func stepWrap(text []byte, i int) (plain string, n int) {
	if i > 0 && text[i-1] == '\\' {
		return " ", skip(text, i+1, " \t", maxSign) - i
	}
	if _, n = stepAnyWrap(text, i); n == 0 || !breaksOff(text[:i]) || !continues(text[i+n:]) {
		return "", 0
	}
	return "", n
}

// stepAnyWrap reads a line end between any two words, if the line is wide.
func stepAnyWrap(text []byte, i int) (plain string, n int) {
	if i < narrowest || !isWrapped[text[i-1]] {
		return "", 0
	}
	right := skip(text, i+1, " \t", maxSign)
	if right == len(text) || !isWrapped[text[right]] || !isWide(text, i) {
		return "", 0
	}
	return "", right - i
}

// isWide reports whether the line that ends at an index is so wide that it may have been broken.
func isWide(text []byte, end int) bool {
	return bytes.IndexByte(text[max(0, end-narrowest):end], '\n') < 0 && end >= narrowest
}

// breaksOff reports whether a text ends with the beginning of a key, and not with a word.
func breaksOff(text []byte) bool {
	for i := len(text) - 1; i >= 0 && isWrapped[text[i]]; i-- {
		if isDigit(text[i]) || isUpper(text[i]) && i > 0 && isWrapped[text[i-1]] {
			return true
		}
	}
	return false
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// continues reports whether a text begins with the rest of a key: something that is no word, or a line of its own.
func continues(text []byte) bool {
	n := 0
	for n < len(text) && n < maxLength && isWrapped[text[n]] {
		n++
	}
	if n == len(text) || strings.IndexByte("\n\r\"'`", text[n]) >= 0 {
		return true
	}
	return hasDigit(text[:n]) && hasLetter(text[:n])
}

// isWrapped says which bytes keys consist of.
var isWrapped = setOf("_-+/=.~" + alnum)
