package javascript

import (
	"encoding/json"
	"testing"

	"clawctl/pkg/jsonl"
)

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
		if got := string(AppendSorted([]byte("x"), jsonl.Value(test.text))); got != "x"+test.want {
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
	node := nodeOf(t)
	var questions []byte
	for _, test := range sortedTexts {
		quoted, err := json.Marshal(test.text)
		if err != nil {
			t.Fatal(err)
		}
		questions = append(append(questions, quoted...), '\n')
	}
	for i, want := range askNode(t, node, sortScript, string(questions), len(sortedTexts)) {
		if got := sortedTexts[i].want; got != want {
			t.Errorf("%s becomes %s, node says %s", sortedTexts[i].text, got, want)
		}
	}
}
