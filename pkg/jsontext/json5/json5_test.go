package json5

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]any{
		`null`:       nil,
		` true// x`:  true,
		"/* a */ .5": 0.5,
		`5.`:         5.0,
		`+1e3`:       1000.0,
		`-0xC0DE`:    -49374.0,
		`-Infinity`:  math.Inf(-1),
		`+Infinity`:  math.Inf(1),
		`1e999`:      math.Inf(1),
		`[1,]`:       []any{1.0},
		`[]`:         []any{},
		`{a:1,a:2,}`: map[string]any{"a": 2.0},
		"\ufeff{$x_1:'it\\'s', \"b\" : [ 'x' , ] }": map[string]any{"$x_1": "it's", "b": []any{"x"}},
		`{schön:1, \u0061b:2, null:3}`:              map[string]any{"schön": 1.0, "ab": 2.0, "null": 3.0},
		`'\x41\u00e9\ud83d\ude00\ud83d\0\v\q\
!'`: "Aé😀\ufffd\x00\vq!",
		"'a\\\r\nb'":           "ab",
		"'\u2028'":             "\u2028",
		"\u00a0\v\f[\u2029]\n": []any{},
		`'say "hi"'`:           `say "hi"`,
		`"http://x/*y*/"`:      "http://x/*y*/",
		`'\ud83d\u0041'`:       "\ufffdA",
	} {
		if got, err := Parse([]byte(text)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %#v %v, want %#v", text, got, err, want)
		}
	}
	if got, err := Parse([]byte("NaN")); err != nil || !math.IsNaN(got.(float64)) {
		t.Error(got, err)
	}
}

func TestErrors(t *testing.T) {
	for text, line := range map[string]int{
		``: 1, "\n\n": 3,
		`{`: 1, "{a:1\nb:2}": 2, `{a}`: 1, `{1:2}`: 1, `{,}`: 1, `[,]`: 1, `[1 2]`: 1, `01`: 1, `0x`: 1,
		`.`: 1,
		`+`: 1, `1e`: 1, `--1`: 1, `'a`: 1, "'a\nb'": 1, `'\`: 1, `'\1'`: 1, `'\u12'`: 1, `'\x1`: 1,
		`/* x`: 1, `/`: 1,
		`truer`: 1, `1 2`: 1, `{a:1}}`: 1, `undefined`: 1, `{"a":}`: 1, `[1,,2]`: 1, `{a\u002d:1}`: 1,
		"{\n a: 'x',\n b: @\n}": 3,
	} {
		_, err := Parse([]byte(text))
		var e *Error
		if !errors.As(err, &e) || e.Line != line || e.Text == "" {
			t.Errorf("%q: %v, want an error on line %d", text, err, line)
		}
	}
}

func TestDepth(t *testing.T) {
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if _, err := Parse(nested(maxDepth)); err != nil {
		t.Error(err)
	}
	for _, text := range [][]byte{nested(maxDepth + 1), []byte(strings.Repeat("{a:", 1_000_000))} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), "nested") {
			t.Error(err)
		}
	}
	if _, err := Parse([]byte("[" + strings.Repeat("[],", 1000) + "]")); err != nil {
		t.Error("siblings are not nested:", err)
	}
}

// What is JSON has the same value as JSON5.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5e3,-0,"x\u00e9\ud83d",true,null],"a":{}}`, `"\\\/\b"`, ` [ ] `, `1E-2`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := Parse(text)
		var want any
		if json.Unmarshal(text, &want) != nil || !utf8.Valid(text) {
			return
		}
		if err != nil && strings.Contains(err.Error(), "nested") {
			return
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %#v %v, want %#v", text, got, err, want)
		}
	})
}
