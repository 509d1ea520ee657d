package follow

import (
	"encoding/json"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/source"
)

// Every object of tail names its session and path, and is one line.
func TestRows(t *testing.T) {
	s := &source.Session{Key: `agent:"main"`, Path: `a\b.jsonl`}
	var parser jsonl.Parser
	var maker parts.Maker
	e := maker.Entry(parser.Parse([]byte(`{"type":"message","id":"1","message":{"role":"user","content":"hi"}}`), 4, 0))
	change, err := json.Marshal(NewChangeRow(s, Truncated.String()))
	if err != nil {
		t.Fatal(err)
	}
	failed, err := json.Marshal(NewErrorRow(s, "CL901", "gone"))
	if err != nil {
		t.Fatal(err)
	}
	const whose = `,"session":"agent:\"main\"","path":"a\\b.jsonl"}`
	for _, c := range []struct{ got, want string }{
		{string(AppendPart(nil, s, e, &e.Parts[0])),
			`{"schema_version":1,"kind":"user","entry":"1","part":0,"line":4,"offset":0,"role":"user","text":"hi"` +
				whose + "\n"},
		{string(change), `{"schema_version":1,"kind":"change","change":"truncated"` + whose},
		{string(failed), `{"schema_version":1,"kind":"error","code":"CL901","message":"gone"` + whose},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
}
