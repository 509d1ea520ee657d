package secrets

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Literal returns a rule for a text of at least four bytes that is secret wherever it stands. Its keyword is the
// longest part that JSON writes as it is. Bytes that are not UTF-8 stand for any of their kind, as in all patterns.
func Literal(name, text string) *Rule {
	valid := string([]rune(text)) // U+FFFD matches every byte that is not
	r := Rule{Name: name, Pattern: regexp.QuoteMeta(valid), left: anything}
	offset, plain := longestPlain(text)
	if utf8.ValidString(text) {
		r.literal = text
	}
	switch {
	case r.literal == "" && len(plain) < gramSize:
		r.gate = func(all []byte, _, _ int) bool { return bytes.Contains(all, []byte(text)) }
		return newRule(r)
	case len(plain) < gramSize || r.literal == "" && offset > 0:
		return newRule(r)
	case offset > 0:
		r.find = func(all []byte, at int) []span {
			if at < offset || !bytes.HasPrefix(all[at-offset:], []byte(text)) {
				return nil
			}
			return []span{{at - offset, at - offset + len(text)}}
		}
	}
	r.Keywords = []string{plain}
	return newRule(r)
}

// longestPlain returns the longest part of a text that is written in JSON as it is, and where it begins.
func longestPlain(text string) (offset int, plain string) {
	isOdd := func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' || r == '/' }
	from := 0
	for i, r := range text + "/" {
		if !isOdd(r) {
			continue
		}
		if i-from > len(plain) {
			offset, plain = from, text[from:i]
		}
		from = i + utf8.RuneLen(r)
	}
	return offset, plain
}

// Word returns a rule for a name that is secret wherever it stands as a word of its own.
func Word(name, text string) *Rule {
	r := Literal(name, text)
	r.accepts = isWholeWord
	return r
}

// isWholeWord judges a text that must not be a part of a longer word.
func isWholeWord(c candidate) bool {
	return (c.start == 0 || !isAlnum(c.text[c.start-1]) || isBoundary(c.text, c.start)) &&
		(c.end == len(c.text) || !isAlnum(c.text[c.end]))
}

// Pattern returns a rule for a regular expression. If it has a group, that is the secret.
func Pattern(name string, expression *regexp.Regexp) *Rule {
	return newRule(Rule{Name: name, Pattern: expression.String()})
}

// Emails returns a rule for mail addresses.
func Emails() *Rule {
	return newRule(Rule{
		Name: "email", Pattern: `[A-Za-z0-9][A-Za-z0-9._%+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`,
		gate: func(text []byte, _, _ int) bool { return bytes.IndexByte(text, '@') >= 0 },
	})
}

// Phones returns a rule for phone numbers: international ones, and those of North America.
func Phones() *Rule {
	return newRule(Rule{
		Name: "phone", accepts: isPhone,
		Pattern: `\+[1-9][0-9 ().-]{6,20}[0-9]|\(?[2-9][0-9]{2}\)?[ .-][2-9][0-9]{2}[.-][0-9]{4}`,
	})
}

// isPhone judges a row of digits: their number, and what is around it.
func isPhone(c candidate) bool {
	digits := 0
	for _, b := range c.value() {
		if isDigit(b) {
			digits++
		}
	}
	isPart := func(b byte) bool { return isAlnum(b) || b == '-' || b == '_' }
	return digits >= 8 && digits <= 15 && (c.start == 0 || !isPart(c.text[c.start-1]) || isBoundary(c.text, c.start)) &&
		(c.end == len(c.text) || !isPart(c.text[c.end]))
}

// IPs returns a rule for addresses of machines, except those that mean the machine itself.
func IPs() *Rule {
	return newRule(Rule{
		Name: "ip", accepts: isIP,
		Pattern: `[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}`,
	})
}

// isIP judges a text that has the form of an address.
func isIP(c candidate) bool {
	isPart := func(b byte) bool { return isAlnum(b) || b == '.' || b == ':' || b == '_' }
	if c.start > 0 && isPart(c.text[c.start-1]) && !isBoundary(c.text, c.start) ||
		c.end < len(c.text) && isAlnum(c.text[c.end]) {
		return false
	}
	value := string(c.value())
	if strings.Contains(value, ".") {
		return isIPv4(value)
	}
	groups := strings.Split(value, ":")
	double := strings.Count(value, "::")
	return value != "::1" && len(value) > 3 && (len(groups) == 8 && double == 0 || len(groups) <= 8 && double == 1) &&
		strings.ContainsAny(value, "0123456789abcdefABCDEF")
}

func isIPv4(value string) bool {
	for part := range strings.SplitSeq(value, ".") {
		if n, err := strconv.Atoi(part); err != nil || n > 255 || len(part) > 1 && part[0] == '0' {
			return false
		}
	}
	return value != "0.0.0.0" && !strings.HasPrefix(value, "127.")
}

// Users returns a rule for the names of users in the paths of home folders.
func Users() *Rule {
	return newRule(Rule{
		Name: "user", Keywords: []string{"home", "users"}, Fold: true, Left: `[/\\]`, accepts: isUser,
		Pattern: `(?:home|users)[/\\]{1,4}([A-Za-z0-9_][A-Za-z0-9._-]*)`,
	})
}

// isUser judges the name of a folder with home folders in it.
func isUser(c candidate) bool {
	switch strings.ToLower(string(c.value())) {
	case "shared", "public", "default", "all", "linuxbrew":
		return false
	}
	return true
}
