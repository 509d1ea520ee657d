package migrate

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"clawctl/pkg/jsonl"
)

// canonical appends the form of a value that every spelling of it has: what a program in JavaScript keeps of it when it
// reads and writes it. Numbers are doubles; white space and escapes do not count.
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
			return append(dst, v...) // one of the two is lost where it is written anew
		}
		at[key] = len(list)
		list = append(list, member{appendPlain(nil, key), value})
	}
	// The order of keys is kept, but for those that are numbers, which JavaScript puts first; sorting does for both.
	slices.SortFunc(list, func(a, b member) int { return bytes.Compare(a.key, b.key) })
	dst = append(dst, '{')
	for _, m := range list {
		dst = append(append(dst, m.key...), ':')
		dst = append(canonical(dst, m.value), ',')
	}
	return append(dst, '}')
}

// canonicalString is the text of a string; one with a surrogate stays as it is written, since half of one has no text.
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

// appendPlain writes a text between quotes, with as few escapes as a JSON string needs, so that it meets one that was
// written without any.
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
		return append(dst, '0') // -0 too
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}
