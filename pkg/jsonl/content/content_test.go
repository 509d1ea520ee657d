package content

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

func contentOf(text string) Sum {
	var buf []byte
	return Of((&jsonl.Parser{}).Parse([]byte(text), 1, 0), &buf)
}

func TestSameContent(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":[1,2]}`, ` {"b" : [1, 2],"a":1 } `, true},
		{`{"a":1}`, `{"a":1.0}`, true},
		{`{"a":1500}`, `{"a":1.5e3}`, true},
		{`{"a":0.0015}`, `{"a":15E-4}`, true},
		{`{"a":-0}`, `{"a":0.000}`, true},
		{`{"a":12345678901234567890}`, `{"a":1.234567890123456789e19}`, true},
		{`{"a":12345678901234567890}`, `{"a":12345678901234567000}`, false},
		{`{"a":0.1}`, `{"a":0.1000000000000000055511151231257827}`, false},
		{`{"a":1e999}`, `{"a":null}`, false},
		{`{"a":1e999}`, `{"a":10e998}`, true},
		{`{"a":1e99999999999999999999}`, `{"a":1e99999999999999999998}`, false},
		{`{"a":-1}`, `{"a":1}`, false},
		{`{"a":"1"}`, `{"a":1}`, false},
		{`{"a":"é\n/"}`, `{"a":"\u00e9\u000a\/"}`, true},
		{`{"a":"😀"}`, `{"a":"\ud83d\ude00"}`, true},
		{`{"a":"\ud83d"}`, `{"a":"\uD83D"}`, true},
		{`{"a":"\ud83d"}`, `{"a":"\ud83e"}`, false},
		{`{"a":"\ud83d"}`, `{"a":"\ufffd"}`, false},
		{`{"\ud83d":1}`, `{"\ud83e":1}`, false},
		{`{"a":{"b":1}}`, `{"a":{},"b":1}`, false},
		{`{"a":[1,[2]]}`, `{"a":[[1],2]}`, false},
		{`{"a":["1,2"]}`, `{"a":["1","2"]}`, false},
		{`{"a":1,"a":2}`, `{"a":2}`, false},
		{`{"a":1,"a":2}`, `{"a":1,"a":2}`, true},
		{`{"a":true}`, `{"a":"true"}`, false},
		{`{"a":{}}`, `{"a":[]}`, false},
		{`{"a":`, `{"a":`, true},
		{`{"a":`, `{"a": `, false},
	} {
		if same := contentOf(c.a) == contentOf(c.b); same != c.same {
			t.Errorf("%s and %s: same is %v", c.a, c.b, same)
		}
	}
}

// Deep nesting is no reason to walk a record more than once.
func TestDeepRecord(t *testing.T) {
	deep := `{"a":` + strings.Repeat(`[{"b":`, 4000) + "1" + strings.Repeat(`}]`, 4000) + `}`
	for range 10 {
		if contentOf(deep) == contentOf(strings.Replace(deep, "1", "2", 1)) {
			t.Fatal("two records have the same sum")
		}
	}
}

// A record that a program has read and written again has the same content, if it kept every number as it was.
func FuzzOf(f *testing.F) {
	f.Add(`{"a":[1.50,"\u00e9",{"b":null}],"c":-0}`)
	f.Fuzz(func(t *testing.T, text string) {
		rec := (&jsonl.Parser{}).Parse([]byte(text), 1, 0)
		if rec.Damage != nil || rec.Blank || bytes.Contains(rec.Text(), []byte(`\u`)) {
			return
		}
		var value map[string]any
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		if err := dec.Decode(&value); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if hasRepeatedKey(rec.Value()) {
			return
		}
		if contentOf(text) != contentOf(string(again)) {
			t.Errorf("%s and %s have different sums", text, again)
		}
	})
}

func hasRepeatedKey(v jsonl.Value) bool {
	seen := map[string]bool{}
	for key, value := range v.Members() {
		if seen[key] || hasRepeatedKey(value) {
			return true
		}
		seen[key] = true
	}
	for e := range v.Elements() {
		if hasRepeatedKey(e) {
			return true
		}
	}
	return false
}
