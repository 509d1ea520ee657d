package secrets

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
)

// A view reads a text that other programs have written in an encoding of theirs: as a string of JSON, in a URL, in
// HTML, or broken into lines. What is found in the plain text is also found where it is encoded.
type view struct {
	// may is a quick look whether a page has anything that is encoded.
	may func(p *page) bool
	// steps appends the places of a page at which something is encoded, in order, and what it is.
	steps stepFunc
	nests bool // what it reads may have been encoded like this several times
	joins bool // its steps are ends of lines, which stand for nothing
	// onlyMarked says that keys are trusted only if a mark shows what they are, and nothing else was found there.
	onlyMarked bool
}

var views = []view{
	{may: hasEscape, steps: eachMark("\\", stepEscape), nests: true},
	{may: hasPercent, steps: eachMark("%+", stepPercent), nests: true},
	{may: hasEntity, steps: eachMark("&", stepEntity)},
	{may: mayWrap, steps: wraps, joins: true},
	{may: hasWide, steps: anyWraps, joins: true, onlyMarked: true},
}

// A stepFunc is the function steps of a view.
type stepFunc func(p *page, list []step) []step

// eachMark is for what begins with one or two bytes. Read returns the plain form of what is encoded at an index, and
// its length, or 0 if nothing is.
func eachMark(marks string, read func(text []byte, i int) (plain string, n int)) stepFunc {
	return func(p *page, list []step) []step {
		next := [2]int{-1, len(p.text)} // where each mark is next
		if len(marks) > 1 {
			next[1] = -1
		}
		for i := 0; ; {
			for m := range next {
				if next[m] < i {
					next[m] = indexFrom(p.text, i, marks[m])
				}
			}
			if i = min(next[0], next[1]); i == len(p.text) {
				return list
			}
			plain, n := read(p.text, i)
			if n > 0 {
				list = append(list, step{at: i, n: n, plain: plain})
			}
			i += max(n, 1)
		}
	}
}

// indexFrom returns where a byte is next in a text, or the end of the text.
func indexFrom(text []byte, i int, c byte) int {
	if at := bytes.IndexByte(text[i:], c); at >= 0 {
		return i + at
	}
	return len(text)
}

// deepestView is how many encodings are read one inside of the other.
const deepestView = 5

func hasEscape(p *page) bool { return p.marks.backslash }

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
func hasPercent(p *page) bool {
	text := p.text
	if p.marks.plus && hasPlusWords(text) {
		return true
	}
	if !p.marks.percent {
		return false
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
	i := bytes.IndexByte(text, '+')
	if i < 0 {
		return false
	}
	last, isURL := -maxSign, bytes.Contains(text, []byte("://"))
	for i+1 < len(text) {
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
func hasEntity(p *page) bool {
	if !p.marks.ampersand {
		return false
	}
	text := p.text
	for at := bytes.IndexByte(text, '&'); at >= 0; at = bytes.IndexByte(text, '&') {
		if text = text[at+1:]; len(text) > 0 && text[0] == '#' {
			return true
		}
		for _, sign := range [...]string{"quot;", "apos;", "amp;", "lt;"} {
			if len(text) >= len(sign) && string(text[:len(sign)]) == sign {
				return true
			}
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

func mayWrap(p *page) bool { return hasWide(p) || isContinued(p) }

// hasWide reports whether a page has wide lines.
func hasWide(p *page) bool {
	p.measure()
	return len(p.wide) > 0
}

// isContinued reports whether a page has lines that a shell joins.
func isContinued(p *page) bool {
	return hasEscape(p) && (bytes.Contains(p.text, []byte("\\\n")) || bytes.Contains(p.text, []byte("\\\r\n")))
}

// wraps reads line ends that break a word, as terminals and mail programs break long ones, and those that a shell
// ignores. A line that is as wide as the widest one may have been broken anywhere.
func wraps(p *page, list []step) []step {
	text := p.text
	read := func(start, end int) {
		isWide := end-start >= narrowest
		width := len(bytes.TrimRight(text[start:end], "\r"))
		switch {
		case isWide && width == p.widest && end+1 < len(text) && text[end+1] != '\n' && text[end+1] != '\r':
			list = append(list, step{at: start + width, n: end + 1 - start - width})
		case isSplit(text, end):
			at := end - 1 - bytes.Count(text[end-1:end], []byte("\r"))
			list = append(list, step{at: at, n: skip(text, end+1, " \t", maxSign) - at}) // both halves are one word
		case end > 0 && text[end-1] == '\\':
			list = append(list, step{at: end, n: skip(text, end+1, " \t", maxSign) - end, plain: " "})
		case isWide:
			if n := wrapAt(text, end); n > 0 && breaksOff(text[:end]) && continues(text[end+n:]) {
				list = append(list, step{at: end, n: n})
			}
		}
	}
	if isContinued(p) {
		eachLine(text, read)
		return list
	}
	for _, line := range p.wide {
		read(line.start, line.end)
	}
	return list
}

// isSplit reports whether a backslash at the end of a line is in a word.
func isSplit(text []byte, end int) bool {
	before := bytes.TrimSuffix(text[:end], []byte("\r"))
	n := len(before)
	return n > 1 && before[n-1] == '\\' && isWrapped[before[n-2]]
}

// anyWraps reads the ends of wide lines between any two words.
func anyWraps(p *page, list []step) []step {
	for _, line := range p.wide {
		if n := wrapAt(p.text, line.end); n > 0 {
			list = append(list, step{at: line.end, n: n})
		}
	}
	return list
}

// measure finds the lines that may have been broken because of their width, and the width of the widest one. Most lines
// are narrow: from the beginning of one, it looks for the last end of a line that is near enough.
func (p *page) measure() {
	if p.isMeasured {
		return
	}
	p.isMeasured, p.wide, p.widest = true, p.wide[:0], 0
	start := 0
	for start+narrowest <= len(p.text) {
		if last := lastNewline(p.text[start : start+narrowest]); last >= 0 {
			start += last + 1
			continue
		}
		n := bytes.IndexByte(p.text[start+narrowest:], '\n')
		if n < 0 {
			break
		}
		end := start + narrowest + n
		p.wide = append(p.wide, span{start, end})
		p.widen(start, end)
		start = end + 1
	}
	if len(p.wide) > 0 {
		p.widen(start, len(p.text))
	}
}

// lastNewline returns the index of the last line end in a text of at least eight bytes, or -1.
func lastNewline(text []byte) int {
	const newlines, low = 0x0a0a0a0a0a0a0a0a, 0x7f7f7f7f7f7f7f7f
	for at := len(text); at > 0; {
		at = max(0, at-8)
		other := binary.LittleEndian.Uint64(text[at:]) ^ newlines
		if zero := ^((other&low + low) | other | low); zero != 0 { // a bit for every byte that is one
			return at + bits.Len64(zero)/8 - 1
		}
	}
	return -1
}

// widen counts the width of one line.
func (p *page) widen(start, end int) {
	if end-start > p.widest {
		p.widest = max(p.widest, len(bytes.TrimRight(p.text[start:end], "\r")))
	}
}

// eachLine calls yield with where the lines of a text begin and end, apart from what is after the last line end.
func eachLine(text []byte, yield func(start, end int)) {
	for start := 0; ; {
		n := bytes.IndexByte(text[start:], '\n')
		if n < 0 {
			return
		}
		yield(start, start+n)
		start += n + 1
	}
}

// wrapAt returns the length of a line end between two words, with the spaces after it, or 0.
func wrapAt(text []byte, end int) int {
	if !isWrapped[text[end-1]] {
		return 0
	}
	right := end + 1
	for right < min(len(text), end+1+maxSign) && (text[right] == ' ' || text[right] == '\t') {
		right++
	}
	if right == len(text) || !isWrapped[text[right]] {
		return 0
	}
	return right - end
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
