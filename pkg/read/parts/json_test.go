package parts

import (
	"encoding/json"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

// A part is valid JSON, whatever was recorded as its price.
func TestJSONOfPrices(t *testing.T) {
	for price, want := range map[string]string{
		"0.25": `"cost_usd":0.25`, "0": `"cost_usd":0`, "1e999": "", "-1e999": "", "-1": "", `"NaN"`: "", "null": "",
	} {
		line := `{"type":"message","id":"a1","parentId":null,"timestamp":"2026-05-02T10:00:02.000Z","message":` +
			`{"role":"assistant","content":[{"type":"text","text":"Hi"}],"usage":{"input":1,"cost":{"total":` + price + `}}}}`
		var m Maker
		for record, err := range jsonl.Records(strings.NewReader(line), jsonl.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			e := m.Entry(record)
			text := string(AppendJSON(nil, e, &e.Parts[0], Position{}))
			if !json.Valid([]byte(text)) || !strings.Contains(text, want) || want == "" && strings.Contains(text, "cost_usd") {
				t.Errorf("%s: %s", price, text)
			}
		}
	}
}
