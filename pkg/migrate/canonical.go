package migrate

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"clawctl/pkg/jsonl"
)

// canonical appends the canonical form of a value, which is the same for every spelling of it. It keeps what a
// JavaScript program keeps when it reads and writes the value. Numbers are doubles, and white space and escapes do not
// count.
func canonical(dst []byte, v jsonl.Value) []byte {
	switch {
	case v.IsObject():
		return canonicalObject(dst, v)
	case v.IsArray():
		dst = append(dst, '[')
		for e := range v.Elements() {
			dst = append(canonical(dst, e), ',')
		}
		return append(dst, ']')
	case v.IsString():
		return canonicalString(dst, v)
	case v.IsNumber():
		return canonicalNumber(dst, v)
	}
	return append(dst, v...)
}

func canonicalObject(dst []byte, v jsonl.Value) []byte {
	type member struct {
		key   []byte
		value jsonl.Value
	}
	var list []member
	at := map[string]int{}
	for key, value := range v.Members() {
		if _, known := at[key]; known {
			return append(dst, v...) // with repeated keys, a program that rewrites the object loses one
		}
		at[key] = len(list)
		list = append(list, member{appendPlain(nil, key), value})
	}
	// JavaScript keeps the order of keys, except that numbers come first. Sorting hides both.
	slices.SortFunc(list, func(a, b member) int { return bytes.Compare(a.key, b.key) })
	dst = append(dst, '{')
	for _, m := range list {
		dst = append(append(dst, m.key...), ':')
		dst = append(canonical(dst, m.value), ',')
	}
	return append(dst, '}')
}

// canonicalString appends the text of a string. A string with a surrogate is kept as written, because half of a pair
// has no text.
func canonicalString(dst []byte, v jsonl.Value) []byte {
	if bytes.Contains(v, []byte(`\ud`)) || bytes.Contains(v, []byte(`\uD`)) {
		text := v.String()
		if strings.ContainsRune(text, '\ufffd') {
			return append(dst, v...)
		}
		return appendPlain(dst, text)
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return append(dst, v...)
	}
	return appendPlain(dst, v.String())
}

// appendPlain appends a text in quotes, with only the escapes that JSON requires, which makes all spellings equal.
func appendPlain(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

func canonicalNumber(dst []byte, v jsonl.Value) []byte {
	f, err := strconv.ParseFloat(string(v), 64)
	switch {
	case math.IsInf(f, 0):
		return append(dst, "null"...)
	case err != nil:
		return append(dst, v...)
	case f == 0:
		return append(dst, '0') // also for -0
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}
