package jsonl

import (
	"strings"
	"testing"
)

// Blocks with two ids or two texts are converted as they always were: digests of stored sessions depend on it.
func TestConversionOfOddBlocks(t *testing.T) {
	for block, want := range map[string]string{
		`{"type":"tool_use","id":"a","tool_use_id":"b","name":"n","input":{}}`: `"id":"b"`,
		`{"type":"tool_use","tool_use_id":"b","id":"a","name":"n","input":{}}`: `"id":"a"`,
		`{"type":"thinking","thinking":"new","text":"old","signature":"s"}`:    `"thinking":"old"`,
		`{"type":"thinking","thinking":"new","signature":"s"}`:                 `"thinking":"new"`,
	} {
		line := `{"type":"assistant","content":[` + block + `],"ts":1777629601.5}` + "\n"
		var converted strings.Builder
		for rec, err := range ToOpenClaw(Records(strings.NewReader(line), Options{}), "s") {
			if err != nil {
				t.Fatal(err)
			}
			converted.Write(rec.Text())
		}
		if !strings.Contains(converted.String(), want) {
			t.Errorf("%s became %s, want %s", block, converted.String(), want)
		}
	}
}
