package secrets

import (
	"bytes"
	"encoding/base64"
	"sync"

	"clawctl/internal/lazy"
	"clawctl/pkg/jsontext"
)

// A span is a range of a text.
type span struct{ start, end int }

// namedValues returns the strings that are secret because of what the string before them says: the values of a member,
// the word after the flag of a command, or the value of a pair such as {"name": "DB_PASSWORD", "value": "x"}.
func namedValues(raw []byte, start, end int) (values []span) {
	if end >= len(raw) || raw[end] != '"' || end-start > maxName {
		return nil
	}
	at := jsontext.SkipSpace(raw, end+1)
	if at >= len(raw) {
		return nil
	}
	switch next := jsontext.SkipSpace(raw, at+1); {
	case raw[at] == ':' || raw[at] == ',' && raw[start] == '-':
		values = stringsAt(raw, next)
	case raw[at] == ',':
		values = pairedString(raw, next)
	}
	if len(values) == 0 {
		return nil
	}
	name := jsontext.Decode(nil, raw[start:end])
	if !isSecretName(name) {
		return nil
	}
	kept := values[:0]
	for _, v := range values {
		if isSecretField(name, jsontext.Decode(nil, raw[v.start:v.end])) {
			kept = append(kept, v)
		}
	}
	return kept
}

// stringsAt returns the string at an index, or the strings of a list there.
func stringsAt(raw []byte, at int) (list []span) {
	for isList := false; at < len(raw); {
		switch {
		case raw[at] == '[' && !isList:
			isList = true
			at = jsontext.SkipSpace(raw, at+1)
			continue
		case raw[at] != '"':
			return list
		}
		end := jsontext.StringEnd(raw, at+1)
		list = append(list, span{at + 1, end})
		if at = jsontext.SkipSpace(raw, end+1); !isList || at >= len(raw) || raw[at] != ',' {
			return list
		}
		at = jsontext.SkipSpace(raw, at+1)
	}
	return list
}

// pairedString returns the string of a member "value" at an index.
func pairedString(raw []byte, at int) []span {
	if at >= len(raw) || raw[at] != '"' {
		return nil
	}
	end := jsontext.StringEnd(raw, at+1)
	if end >= len(raw) || !bytes.EqualFold(raw[at+1:end], []byte("value")) {
		return nil
	}
	if at = jsontext.SkipSpace(raw, end+1); at >= len(raw) || raw[at] != ':' {
		return nil
	}
	return stringsAt(raw, jsontext.SkipSpace(raw, at+1))
}

// secretName matches the names of fields that hold secrets.
var secretName = lazy.Regexp(`(?i)pass(?:w(?:or)?d|phrase|code)|pwd$|pass$|psk$|secret|token|api[ _-]?key|` +
	`(?:access|private|account|master|auth|encryption|signing|license|ssh)[_-]?key|credential|authorization|cookie`)

// isSecretName reports whether a name says that its value is secret.
func isSecretName(name []byte) bool {
	return len(name) <= maxName && secretName().Match(name) && !notSecretName().Match(name) && !publicName().Match(name)
}

// scheme matches what is before the secret in the value of a header.
var scheme = lazy.Regexp(`(?i)^(?:bearer|basic|token|apikey|api-key|key) +`)

// isSecretField judges the value of a field whose name says that it is secret. A field says more than a text does, so
// its value may be shorter and less random.
func isSecretField(name, value []byte) bool {
	value = value[len(scheme().Find(value)):]
	c := candidate{append(append([]byte{}, name...), value...), 0, len(name), len(name) + len(value)}
	if len(value) < 4 || len(value) > maxField || placeholder().Match(value) || place().Match(value) ||
		publicText().Match(value) {
		return false
	}
	if bytes.ContainsAny(value, " \t\n\r") {
		return cookieNames().Match(name) && hasCookie(value)
	}
	if namesPassword().Match(name) {
		return (hasDigit(value) || hasSign(value) || isMixed(value)) && entropy(c.value()) >= 1.5
	}
	return len(value) >= 8 && hasLetter(value) && hasDigit(value) && entropy(value) >= 2.5 && !isWords(value) &&
		!uuid().Match(value)
}

// isGiven judges what is given to a name: in a text, or in JSON that is a part of it.
func isGiven(c candidate) bool {
	return butNoCode(isAssigned)(c) || c.isMember() && isSecretName(c.name()) && isSecretField(c.name(), c.value())
}

// isMember reports whether the value and its name are a member of an object in JSON.
func (c candidate) isMember() bool {
	from, to := nameStart(c.text, c.keyword), nameEnd(c.text, c.keyword)
	if from == 0 || c.text[from-1] != '"' || c.end >= len(c.text) || c.text[c.end] != '"' || c.text[c.start-1] != '"' {
		return false
	}
	between := bytes.Map(func(r rune) rune {
		if r == ' ' || r == '\t' {
			return -1
		}
		return r
	}, c.text[to:c.start])
	return string(between) == `":"`
}

// maxField is the longest value that is judged by its name alone.
const maxField = 4096

// isMixed reports whether a text has capital letters after small ones, as words have not.
func isMixed(text []byte) bool {
	for i := 1; i < len(text); i++ {
		if isUpper(text[i]) && text[i-1] >= 'a' && text[i-1] <= 'z' {
			return true
		}
	}
	return false
}

var cookieNames = lazy.Regexp(`(?i)cookie`)

// cookie matches a cookie whose value may be a secret.
var cookie = lazy.Regexp(`[A-Za-z0-9_.-]+=([A-Za-z0-9_.~+/%=-]{16,})`)

// hasCookie reports whether one of the cookies of a header is a secret.
func hasCookie(text []byte) bool {
	for _, found := range cookie().FindAllSubmatch(text, -1) {
		if isCookieValue(found[1]) {
			return true
		}
	}
	return false
}

// isCookieValue judges the value of a cookie.
func isCookieValue(value []byte) bool {
	return hasLetter(value) && hasDigit(value) && entropy(value) >= 3 && !isWords(value) && !placeholder().Match(value)
}

// fieldRule is the rule for the values of fields with the name of a secret, and encodedRule that for values that have a
// secret in base64. Both have no pattern of their own.
var (
	fieldRule   = sync.OnceValue(func() *Rule { return ruleOf("secret") })
	encodedRule = sync.OnceValue(func() *Rule { return ruleOf("encoded-secret") })
)

func ruleOf(name string) *Rule {
	for _, r := range table() {
		if r.Name == name {
			return r
		}
	}
	panic("no rule " + name)
}

// The lengths of values that may be base64 of a text with a secret. Longer ones are files and images.
const (
	shortestEncoded = 16
	longestEncoded  = 16 << 10
)

// encodedValues returns the values of members in a JSON text, and in JSON inside of its strings, that are base64 of a
// text with a secret.
func (d *Detector) encodedValues(raw []byte) (list []span) {
	for at := 0; ; {
		next := bytes.Index(raw[at:], memberSign)
		if next < 0 {
			return list
		}
		at += next + len(memberSign)
		start := at
		if start < len(raw) && raw[start] == '"' {
			start++ // in compact JSON
		} else {
			start = skip(raw, at, ` \"`, maxSign)
		}
		if start+shortestEncoded < len(raw) && raw[start-1] == '"' && mayBeEncoded(raw[start:]) {
			list = d.appendEncoded(list, raw, start)
		}
	}
}

// memberSign is between the name and the value of a member, also in JSON inside of a string.
var memberSign = []byte(`":`)

// appendEncoded adds the value at an index, if it is base64 of a text with a secret and has nothing after it.
func (d *Detector) appendEncoded(list []span, raw []byte, start int) []span {
	end := start + dataRun(raw[start:min(len(raw), start+longestEncoded)])
	for pad := 0; pad < 2 && end < len(raw) && raw[end] == '='; pad++ {
		end++
	}
	if end < len(raw) && (raw[end] == '"' || raw[end] == '\\') && d.hasEncoded(raw[start:end]) {
		list = append(list, span{start, end})
	}
	return list
}

// mayBeEncoded is a quick look whether a text begins with base64 of another text. Its fourth characters are never those
// that only other bytes have.
func mayBeEncoded(text []byte) bool {
	for _, i := range [...]int{15, 7, 11, 3, 1, 5, 9, 13, 0, 2, 4, 6, 8, 10, 12, 14} {
		if !isData(text[i]) {
			return false
		}
	}
	// The first byte of each three is below 128 in ASCII, which limits the first character.
	return isLow[text[0]] && isLow[text[4]] && isLow[text[8]] && isLow[text[12]]
}

// isLow says which characters of base64 begin three bytes of ASCII.
var isLow = func() (table [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef") {
		table[c] = true
	}
	return table
}()

// hasEncoded reports whether a text is base64 of one with a secret.
func (d *Detector) hasEncoded(text []byte) bool {
	text = bytes.TrimRight(text, "=")
	plain, err := base64.RawStdEncoding.AppendDecode(nil, text)
	if err != nil {
		return false
	}
	for _, c := range plain {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return len(d.findIn(plain, 1, 0)) > 0
}
