package secrets

import (
	"bytes"
	"strings"
	"sync"

	"clawctl/pkg/jsontext"
)

// A span is a range of a text.
type span struct{ start, end int }

// namedValues returns the strings that are secret because of what the string before them says: the values of a member,
// the word after the flag of a command, or the value of a pair such as {"name": "DB_PASSWORD", "value": "x"}.
func namedValues(raw []byte, start, end int) []span {
	var values []span
	if end >= len(raw) || raw[end] != '"' || end-start > maxName || !mayNameSecret(raw[start:end]) {
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
func stringsAt(raw []byte, at int) []span {
	var list []span
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
var secretName = lazy(`(?i)pass(?:w(?:or)?d|phrase|code)|pwd$|pass$|psk$|secret|token|api[ _-]?key|` +
	`(?:access|private|account|master|auth|encryption|signing|license|ssh)[_-]?key|credential|authorization|cookie`)

// mayNameSecret is a quick look whether a raw string may name a secret. Most do not have the beginnings of such words.
func mayNameSecret(raw []byte) bool {
	for i := range raw[:max(0, len(raw)-2)] {
		if secretBeginnings.has(gramAt(raw, i)) {
			return true
		}
	}
	return bytes.IndexByte(raw, '\\') >= 0
}

// secretBeginnings has the first three bytes of the words in secretName.
var secretBeginnings = func() (set gramSet) {
	for _, word := range []string{"pas", "pwd", "psk", "sec", "tok", "key", "cre", "aut", "coo"} {
		set.add(gramAt(word, 0))
	}
	return set
}()

func isSecretName(name []byte) bool {
	return len(name) <= maxName && secretName().Match(name) && !notSecretName().Match(name) && !publicName().Match(name)
}

// isSecretField judges the value of a field whose name says that it is secret. A field says more than a text does, so
// its value may be shorter and less random.
func isSecretField(name, value []byte) bool {
	value = value[schemeEnd(value, 0):]
	return len(value) >= 4 && len(value) <= maxField && fitsField(name, value) &&
		!placeholder().Match(value) && !place().Match(value) && !publicText().Match(value)
}

// fitsField reports whether a value is as random as what fields of a name hold.
func fitsField(name, value []byte) bool {
	switch {
	case bytes.ContainsAny(value, " \t\n\r"):
		return cookieNames().Match(name) && hasCookie(value)
	case namesPassword().Match(name):
		return (hasDigit(value) || hasSign(value) || isMixed(value)) && entropy(value) >= 1.5
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

var cookieNames = lazy(`(?i)cookie`)

// cookie matches a cookie whose value may be a secret.
var cookie = lazy(`[A-Za-z0-9_.-]+=([A-Za-z0-9_.~+/%=-]{16,})`)

// hasCookie reports whether one of the cookies of a header is a secret.
func hasCookie(text []byte) bool {
	for _, found := range cookie().FindAllSubmatch(text, -1) {
		if isCookieValue(found[1]) {
			return true
		}
	}
	return false
}

// cookieStart matches what is before the sign of the first cookie of a header.
var cookieStart = lazy(`(?s)^(?:\\.|[ \t"'\x60[{(=>])*` +
	`(?:[^\x00-\x20"'\x60[{(=>\\%&;][^\x00-\x20=%&;\\]*[=%&;\\]|[%&;])`)

// findCookie returns the part of a Cookie header from its first secret to its last one.
func findCookie(text []byte, at int) []span {
	from := assignedFrom(text, at+len("cookie"))
	if from < 0 || !cookieStart().Match(text[from:min(len(text), from+maxName)]) {
		return nil
	}
	line := text[from:min(len(text), from+maxLength)]
	for i, c := range line {
		if c == '\n' || c == '\r' || i > 1 && strings.IndexByte("\"'`", c) >= 0 {
			line = line[:i]
			break
		}
	}
	var list []span
	for _, found := range cookie().FindAllSubmatchIndex(line, -1) {
		if isCookieValue(line[found[2]:found[3]]) {
			list = append(list, span{from + found[2], from + found[3]})
		}
	}
	if len(list) == 0 {
		return nil
	}
	return []span{{list[0].start, list[len(list)-1].end}}
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
