package rebuild

import (
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/tokens"
)

// What an answer says about the size of a context, and what the index takes for the last size. The first two are those
// of OpenClaw 2026.9.6.
func TestStatedSizes(t *testing.T) {
	const parts = `"input":1,"output":2,"cacheRead":3,"cacheWrite":4`
	for _, test := range []struct {
		answer    string
		want      int64
		isBarrier bool
		last      int64
	}{
		{`"usage":{` + parts + `,"totalTokens":90}`, 90, false, 90},
		{`"usage":{` + parts + `,"totalTokens":0}`, 10, false, 10},
		{`"usage":{"input":1,"output":2}`, 0, false, 3},
		{`"usage":{` + parts + `,"totalTokens":90,"contextUsage":{"state":"available","totalTokens":40}}`, 40, false, 40},
		{`"usage":{` + parts + `,"totalTokens":90,"contextUsage":{"state":"available","totalTokens":0}}`, 0, false, 0},
		{`"usage":{` + parts + `,"totalTokens":90,"contextUsage":{"state":"unavailable"}}`, 0, false, 90},
		{`"usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"contextUsage":{"state":"unavailable"}}`, 0, true, 0},
		{`"api":"cli","usage":{` + parts + `}`, 0, true, 10},
		{`"api":"cli","usage":{` + parts + `,"contextUsage":{"state":"available","totalTokens":40}}`, 40, false, 40},
		{`"api":"cli","usage":{` + parts + `,"contextUsage":null}`, 10, false, 10},
		{`"stopReason":"error","usage":{` + parts + `}`, 0, false, 10},
		{`"usage":null`, 0, false, 0},
	} {
		text := `{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}` + "\n" +
			`{"type":"message","id":"a","parentId":null,"timestamp":"2026-05-01T10:00:00.000Z","message":` +
			`{"role":"assistant","content":[],` + test.answer + "}}\n"
		read := func() *jsonl.Reader { return jsonl.NewReader(strings.NewReader(text), jsonl.Options{}) }
		ix, err := Scan(read(), nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := ix.Context("")
		if err != nil {
			t.Fatal(err)
		}
		err = c.Measure(read().All(), tokens.Heuristic{}, func(m Measurement) {
			if m.Recorded != test.want || m.Barrier != test.isBarrier || ix.LastTotal() != test.last {
				t.Errorf("%s: %d, barrier %v, last %d", test.answer, m.Recorded, m.Barrier, ix.LastTotal())
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// GoClaw is recognized by its own messages and header. A checkpoint, which clawctl adds to other sessions, is not
// evidence.
func TestWhoMeasures(t *testing.T) {
	const message = `"parentId":null,"timestamp":"2026-05-01T10:00:00.000Z","message":` +
		`{"role":"user","content":"hi"}}` + "\n"
	const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"`
	for text, want := range map[string]string{
		header + "}\n" + `{"type":"message","id":"a",` + message:                                           "openclaw",
		header + "}\n" + `{"type":"message","id":"1769947200000_018b9d57",` + message:                      "clawctl",
		header + `,"key":"goclaw:main:main"}` + "\n" + `{"type":"message","id":"a",` + message:             "clawctl",
		header + "}\n" + `{"type":"message","id":"a",` + message + `{"type":"checkpoint","id":"c"}` + "\n": "openclaw",
	} {
		for author, want := range map[Author]string{{}: want, {Forced: OpenClaw}: "openclaw", {Forced: Pi}: "clawctl"} {
			ix, err := ScanBy(author, jsonl.NewReader(strings.NewReader(text), jsonl.Options{}), nil)
			if err != nil {
				t.Fatal(err)
			}
			c, err := ix.Context("")
			if err != nil || c.CountedBy() != want {
				t.Errorf("%s: %s, want %s (%v)", text, c.CountedBy(), want, err)
			}
		}
	}
}
