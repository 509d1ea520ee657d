package scrub

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"
)

func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(data[1 : len(data)-1])
}

// escaped writes every character as an escape.
func escaped(text string) string {
	var b strings.Builder
	for _, c := range text {
		fmt.Fprintf(&b, `\u%04x`, c)
	}
	return b.String()
}

// forms writes a value in the ways in which transcripts have values.
var forms = map[string]func(string) string{
	"plain":            func(v string) string { return v },
	"JSON":             quoted,
	"JSON in JSON":     func(v string) string { return quoted(quoted(v)) },
	"JSON three times": func(v string) string { return quoted(quoted(quoted(v))) },
	"escapes":          escaped,
	"nested escapes":   func(v string) string { return quoted(escaped(v)) },
	"a URL":            url.QueryEscape,
	"a URL in a URL":   func(v string) string { return url.QueryEscape(url.QueryEscape(v)) },
	"escaped slashes":  func(v string) string { return strings.ReplaceAll(quoted(v), "/", `\/`) },
	"wrapped":          func(v string) string { return quoted(v[:7] + "\n    " + v[7:]) },
	"base64":           func(v string) string { return base64.StdEncoding.EncodeToString([]byte(v)) },
	"base64 of a pair": func(v string) string { return base64.StdEncoding.EncodeToString([]byte("user:" + v)) },
	"base64 in front":  func(v string) string { return base64.URLEncoding.EncodeToString([]byte("a" + v + "tail")) },
	"numbers of HTML":  func(v string) string { return each(v, "&#%d;") },
	"hex in HTML":      func(v string) string { return quoted(each(v, "&#x%X;")) },
	"\\x":              func(v string) string { return quoted(bytewise(v, `\x%02x`)) },
	"octal":            func(v string) string { return bytewise(v, `\%03o`) },
	"hex":              func(v string) string { return hex.EncodeToString([]byte(v)) },
	"HEX":              func(v string) string { return strings.ToUpper(hex.EncodeToString([]byte(v))) },
	"base64 of UTF-16": func(v string) string {
		var wide []byte
		for _, unit := range utf16.Encode([]rune("a" + v)) {
			wide = append(wide, byte(unit), byte(unit>>8))
		}
		return base64.StdEncoding.EncodeToString(wide)
	},
	"base64 of base64": func(v string) string {
		return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(v))))
	},
	"base64 in JSON": func(v string) string { return quoted(base64.StdEncoding.EncodeToString([]byte("ab" + v))) },
}

// each writes every character with a format.
func each(text, format string) string {
	var b strings.Builder
	for _, c := range text {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// bytewise writes every byte with a format.
func bytewise(text, format string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

var hardValues = []string{
	"hunter2-hunter2", "tok_9f8e7d6c5b4a3f2e", `pa"ss\wo/rd+100%`, "correct horse battery", "p&ss<w>rd'quoted",
	"schlüssel-für-alles", `n\r\tricky-value`, "-----BEGIN KEY-----\nMIIEabcdef\nghijkl==\n-----END KEY-----",
}

func TestTracerFindsEveryForm(t *testing.T) {
	for _, value := range hardValues {
		tracer := newTracer([]Value{{Text: "another-value-altogether"}, {Text: value}})
		for name, write := range forms {
			text := []byte(`before ` + write(value) + ` after`)
			found := tracer.find(text)
			if len(found) != 1 || found[0].Value != 1 {
				t.Errorf("%q as %s: %v in %s", value, name, found, text)
				continue
			}
			left := string(text[:found[0].Start]) + string(text[found[0].End:])
			if !strings.HasPrefix(left, "before ") || !strings.HasSuffix(left, " after") || len(left) > len("before  after")+8 {
				t.Errorf("%q as %s: %q is left", value, name, left)
			}
			if !tracer.has(text) || tracer.has([]byte(left)) {
				t.Errorf("%q as %s: wrong answer of Has", value, name)
			}
		}
	}
}

func TestTracerLeavesOthers(t *testing.T) {
	tracer := newTracer([]Value{{Text: "nabcdefgh"}, {Text: "test1234"}, {Text: "bcdefghi"}})
	for _, text := range []string{
		`a line\nabcdefgh`, "test\n1234", `test\n1234`, "test 1234", `\bcdefghi`, "tEst1234", "", `\`, "%", "%2", `\u00`,
	} {
		if found := tracer.find([]byte(text)); len(found) > 0 {
			t.Errorf("%q: %v", text, found)
		}
	}
	if found := tracer.find([]byte(`C:\\nabcdefgh`)); len(found) != 1 {
		t.Error("a value after a backslash was not found")
	}
}

// Traces are in order, inside the text, and whatever is written as a value is found.
func FuzzTracer(f *testing.F) {
	for _, value := range hardValues {
		f.Add(value, "x", "y")
	}
	f.Fuzz(func(t *testing.T, value, before, after string) {
		if len(value) < shortest || len(value) > 100 || !bytes.Equal([]byte(value), bytes.ToValidUTF8([]byte(value), nil)) {
			return
		}
		tracer := newTracer([]Value{{Text: value}})
		text := []byte(before + " " + value + " " + after)
		at := 0
		found := tracer.find(text)
		for _, trace := range found {
			if trace.Start < at || trace.End <= trace.Start || trace.End > len(text) {
				t.Fatalf("%v in %q", found, text)
			}
			at = trace.End
		}
		if len(found) == 0 {
			t.Errorf("%q was not found in %q", value, text)
		}
	})
}
