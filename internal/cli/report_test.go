package cli

import (
	"testing"

	"clawctl/internal/ui"
)

func TestReportFormats(t *testing.T) {
	r := NewReport(ui.Column{Name: "name"}, ui.Column{Name: "n", Right: true})
	object := map[string]any{"a": "=1+1\x1b", "b": -5, "c": map[string]any{"d": nil, "e": 1.5}, "f": []int{1}}
	r.Add(object, "=1+1|`x`\x1b", "-5")
	if got := r.csv(); got != "a,b,c.d,c.e,f\n'=1+1\x1b,-5,,1.5,[1]\n" {
		t.Errorf("%q", got)
	}
	if got := r.markdown(); got != "| name | n |\n| --- | ---: |\n| =1+1\\|\\`x\\`\\u001b | -5 |\n" {
		t.Errorf("%q", got)
	}
}
