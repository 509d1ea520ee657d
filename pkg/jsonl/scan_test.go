package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"clawctl/internal/failure"
	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
)

// parseLine reads one line as the only one of a stream, ended by a newline.
func parseLine(t testing.TB, line []byte) *Record {
	t.Helper()
	rec, err := NewReader(bytes.NewReader(append(bytes.Clone(line), '\n')), Options{}).Next()
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// wantCode returns the verdict of encoding/json and unicode/utf8 on a line.
func wantCode(line []byte) failure.Code {
	if !json.Valid(line) {
		return BadJSON
	}
	if trimmed := bytes.TrimLeft(line, " \t\r"); trimmed[0] != '{' {
		return NotObject
	}
	if !utf8.Valid(line) {
		return BadUTF8
	}
	return ""
}

// gotCode returns our verdict, with codes merged that encoding/json does not distinguish.
func gotCode(rec *Record) failure.Code {
	switch {
	case rec.Damage == nil:
		return ""
	case rec.Damage.Code == TooDeep, rec.Damage.Code == NulBytes, rec.Damage.Code == TornTail:
		return BadJSON
	}
	return rec.Damage.Code
}

// checkAgreement compares the verdict and the fields with the standard library's.
func checkAgreement(t testing.TB, p *Parser, line []byte) {
	t.Helper()
	if bytes.IndexByte(line, '\n') >= 0 || len(bytes.Trim(line, " \t\r")) == 0 {
		return
	}
	rec := p.Parse(line, 1, 1000) // not at the start of a stream, where a byte order mark is allowed
	if got, want := gotCode(rec), wantCode(line); got != want {
		t.Fatalf("%q: got %q (%v), want %q", line, got, rec.Damage, want)
	}
	if !rec.Legible() {
		return
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(line, &m); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	if !utf8.Valid(line) {
		return // the standard library decodes these differently, see TestBadUTF8IsReplaced
	}
	for key, got := range map[string]string{"type": rec.StatedType(), "id": rec.ID()} {
		var want string
		_ = json.Unmarshal(m[key], &want)
		if got != want {
			t.Fatalf("%q: %s is %q, want %q", line, key, got, want)
		}
	}
	checkMembers(t, rec.Stated(), m)
	var inner map[string]json.RawMessage
	if json.Unmarshal(m["message"], &inner) == nil && inner != nil {
		var want string
		_ = json.Unmarshal(inner["role"], &want)
		if got := rec.value(FieldRole).String(); got != want {
			t.Fatalf("%q: role is %q, want %q", line, got, want)
		}
	}
}

// checkMembers compares what Members yields with a map, in which the last of several equal keys wins too.
func checkMembers(t testing.TB, v Value, want map[string]json.RawMessage) {
	t.Helper()
	got := map[string]Value{}
	for key, member := range v.Members() {
		got[key] = member
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d members, want %d", []byte(v), len(got), len(want))
	}
	for key, member := range got {
		if w, ok := want[key]; !ok || !bytes.Equal(member, w) {
			t.Fatalf("%s: member %q is %s, want %s", []byte(v), key, []byte(member), w)
		}
	}
}

// seedLines returns the lines of the handwritten transcripts, and some shapes that no transcript has.
func seedLines(t testing.TB) [][]byte {
	t.Helper()
	files, err := filepath.Glob("../../testdata/transcripts/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts in testdata", err)
	}
	var lines [][]byte
	for _, name := range files {
		data := testkit.Read(t, name)
		lines = append(lines, bytes.Split(data, []byte("\n"))...)
	}
	for _, s := range oddLines {
		lines = append(lines, []byte(s))
	}
	return lines
}

var oddLines = []string{
	`{}`, ` { } `, "\t{\"a\"\t:\r1}\r", `{"a":[]}`, `{"a":[1,-0,0.5,1e9,1E+9,2e-3]}`, `{"a":01}`, `{"a":-}`, `{"a":1.}`,
	`{"a":.5}`, `{"a":1e}`,
	`{"a":+1}`, `{"a":tru}`, `{"a":nulls}`, `{"a":"\x"}`, `{"a":"\u12g4"}`, `{"a":"\ud83d\ude00"}`, `{"a":"\ud83d"}`,
	`{"a":"\ud83dx"}`,
	`{"a" 1}`, `{"a":}`, `{,}`, `{"a":1,}`, `[1,]`, `[,1]`, `{"a":1}}`, `{"a":1} {}`, `{]`, `[}`, `{"a":[}`, `{"a":{]}`,
	`"x"`, `12`, `null`, `[]`,
	`{"type":"a","type":"b"}`, `{"\u0074ype":"escaped key"}`, `{"message":{"role":"user"},"message":{"x":1}}`,
	`{"message":{"role":"a"},"message":null}`,
	`{"message":[{"role":"no"}],"type":{"role":"no"}}`, `{"message":{"content":{"role":"inner"},"role":"outer"}}`,
	`{"type":1,"id":null,"parentId":2}`,
	"{\"a\":\"\x7f\xc2\x80\"}", "{\"a\":\"\xed\xa0\x80\"}", "{\"a\":\"\xf4\x90\x80\x80\"}", "{\"a\":\"\xc0\xaf\"}",
	"{\"\xff\":1}", "{\"a\":\"\x01\"}", "{\"a\":1\x00}",
	`{"a":"` + strings.Repeat("x", 100) + `\"` + strings.Repeat("é", 33) + `"}`,
}

func TestScanAgrees(t *testing.T) {
	for _, line := range seedLines(t) {
		checkAgreement(t, &Parser{}, line)
	}
}

// The scanner agrees with encoding/json on many lines with one to three bytes changed, dropped, doubled or inserted.
// CLAWCTL_MUTATIONS sets how many are tried.
func TestScanAgreesOnMutations(t *testing.T) {
	seeds := seedLines(t)
	r := rand.New(rand.NewPCG(1, 2))
	p := &Parser{}
	for range longtest.Rounds(t, "CLAWCTL_MUTATIONS", 60_000, 1_000_000) {
		line := bytes.Clone(seeds[r.IntN(len(seeds))])
		if len(line) > 600 {
			line = line[:600]
		}
		for range 1 + r.IntN(3) {
			line = mutate(r, line)
		}
		checkAgreement(t, p, line)
	}
}

const interesting = "\"\\{}[]:,0123456789-+.eE \t\rtrufalsn/bu\x00\x01\x1f\x7f\x80\xbf\xc3\xe2\xed\xf0\xff"

func mutate(r *rand.Rand, line []byte) []byte {
	if len(line) == 0 {
		return []byte(`{"a":1}`)
	}
	i := r.IntN(len(line))
	c := interesting[r.IntN(len(interesting))]
	switch r.IntN(5) {
	case 0:
		line[i] = c
	case 1:
		line = append(line[:i], line[i+1:]...)
	case 2:
		line = append(line[:i+1], line[i:]...)
	case 3:
		line[i] ^= 1 << r.IntN(8)
	case 4:
		line = append(line[:i], append([]byte{c}, line[i:]...)...)
	}
	return line
}

func TestDepth(t *testing.T) {
	for _, test := range []struct {
		depth int
		want  failure.Code
	}{{maxDepth - 1, ""}, {maxDepth, TooDeep}, {10_000_000, TooDeep}} {
		line := `{"a":` + strings.Repeat("[", test.depth) + strings.Repeat("]", test.depth) + "}"
		rec := parseLine(t, []byte(line))
		var got failure.Code
		if rec.Damage != nil {
			got = rec.Damage.Code
		}
		if got != test.want {
			t.Errorf("depth %d: %q, want %q", test.depth, got, test.want)
		}
		if test.depth <= maxDepth && (json.Valid([]byte(line)) != (got == "")) {
			t.Errorf("depth %d: encoding/json disagrees", test.depth)
		}
	}
}

func TestDamageIsLocated(t *testing.T) {
	good := `{"type":"user","content":"x"}` + "\n"
	for _, test := range []struct {
		line   string
		code   failure.Code
		column int64
	}{
		{`{"a":1,"b":x}` + "\n", BadJSON, 12},
		{`{"a":"b` + "\n", BadJSON, 8},
		{`{"a":"b`, TornTail, 8},
		{`{"a":1} x` + "\n", BadJSON, 9},
		{"{\"a\":\"ok\xff\"}\n", BadUTF8, 9},
		{"\x00\x00\x00\n", NulBytes, 1},
		{"[1]\n", NotObject, 1},
	} {
		r := NewReader(strings.NewReader(good+test.line), Options{})
		var last *Record
		for rec, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
			last = rec.Clone()
		}
		want := fmt.Sprint(test.code, 2, test.column, int64(len(good))+test.column-1)
		d := last.Damage
		if d == nil {
			t.Errorf("%q: no damage", test.line)
		} else if got := fmt.Sprint(d.Code, d.Line, d.Column, d.Offset); got != want {
			t.Errorf("%q: got %s, want %s", test.line, got, want)
		}
	}
}

// The expected values are those of Node's TextDecoder.
func TestBadUTF8IsReplaced(t *testing.T) {
	for in, want := range map[string]string{
		"a\xffb": "a\ufffdb", "\xff\xfe": "\ufffd\ufffd", "\xe2\x82": "\ufffd", "\xe2\x82x": "\ufffdx",
		"\xf0\x9f\x98": "\ufffd",
		"\xed\xa0\x80": "\ufffd\ufffd\ufffd", "\xc0\xaf": "\ufffd\ufffd",
		"\xf4\x90\x80\x80": "\ufffd\ufffd\ufffd\ufffd", "é\x80é": "é\ufffdé",
	} {
		if got := Value(`"` + in + `"`).String(); got != want {
			t.Errorf("%q: %+q, want %+q", in, got, want)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, line := range seedLines(f) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) { checkAgreement(t, &Parser{}, line) })
}
