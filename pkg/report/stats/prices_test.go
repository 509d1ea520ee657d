package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

func mustPrices(t *testing.T, text string) *PriceList {
	t.Helper()
	list, err := ParsePrices([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestFindPrice(t *testing.T) {
	list := mustPrices(t, "\ufeff"+`[
		{"model": "openrouter/anthropic/*", "input": 1},
		{"model": "anthropic/claude-*-4*", "input": 2},
		{"model": "Claude-*", "input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75},
		{"model": "gpt-6", "input": 4}
	]`)
	for model, want := range map[[2]string]float64{
		{"openrouter", "anthropic/claude-opus-4-6"}: 1,
		{"anthropic", "claude-opus-4-6"}:            2, {"ANTHROPIC", "CLAUDE-OPUS-4"}: 2,
		{"anthropic", "claude-3"}: 3, {"", "claude-3"}: 3, {"openai", "gpt-6"}: 4, {"openai", "gpt-6-mini"}: 0, {"", ""}: 0,
	} {
		price, ok := list.find(model[0], model[1])
		if ok != (want > 0) || ok && price.Input != want {
			t.Errorf("%v: %v %v, want %v", model, price, ok, want)
		}
	}
	price, _ := list.find("", "claude-3")
	usage := jsonl.Usage{Input: 1e6, Output: 2e6, CacheRead: 1e7, CacheWrite: 1e6}
	if got := price.of(usage); math.Abs(got-39.75) > 1e-9 {
		t.Errorf("the price is %v", got)
	}
}

func TestMatchPattern(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"*", "", true}, {"*", "x", true}, {"", "", true}, {"", "x", false}, {"**a", "ba", true},
		{"a*b*c", "axxbxbyc", true}, {"a*b*c", "axxbxbyd", false}, {"a", "ab", false}, {"a?", "ab", false},
		{"*a*a*a*a*b", strings.Repeat("a", 40), false},
	} {
		if got := matchPattern(c.pattern, c.text); got != c.want {
			t.Errorf("%q matches %q: %v", c.pattern, c.text, got)
		}
	}
}

// A JSON object that maps patterns to prices keeps their order.
func TestPriceMap(t *testing.T) {
	list := mustPrices(t, `{"z*": {"input": 1}, "a*": {"output": 2}, "*": {}}`)
	for model, want := range map[string]Price{
		"zeta": {Model: "z*", Input: 1}, "alpha": {Model: "a*", Output: 2}, "x": {Model: "*"},
	} {
		if got, ok := list.find("p", model); !ok || *got != want {
			t.Errorf("%s: %+v", model, got)
		}
	}
}

func TestPriceErrors(t *testing.T) {
	for _, c := range []struct {
		text, want string
	}{
		{"", "line 1, column 1: the file is empty"},
		{"[\n{", "line 2, column 2: the file ends inside a value"},
		{"[\n  {,}]",
			"line 2, column 4: not valid JSON"},
		{"3", "line 1, column 1: expected an array or an object of prices, got 3"},
		{"[\n 7]",
			"line 2, column 2: expected an object with the keys model, input, output, cache_read, cache_write, got 7"},
		{`{"x": [1]}`, `line 1, column 7: expected an object with the prices of "x", got an array`},
		{"[{\"model\": \"x\",\n\t\"inptu\": 3}]",
			`line 2, column 2: unknown key "inptu", expected one of model, input, output, cache_read, cache_write`},
		{`{"x": {"model": "y"}}`,
			`line 1, column 8: unknown key "model", expected one of input, output, cache_read, cache_write`},
		{`{"x": {"input": 1, "input": 2}}`, `line 1, column 20: the key "input" is repeated`},
		{`[{"input": 1}]`, `line 1, column 2: the key "model" is missing`},
		{`[{"model": " "}]`, `line 1, column 12: "model" must not be empty`},
		{`[{"model": null}]`, `line 1, column 12: "model" must be a string, got null`},
		{`{"": {}}`, "line 1, column 2: the model pattern must not be empty"},
		{`{"x": {"input": -1}}`,
			`line 1, column 17: "input" must be from 0 to 1000000 dollars, got -1`},
		{`{"x": {"input": 1e400}}`,
			`line 1, column 17: "input" must be from 0 to 1000000 dollars, got 1e400`},
		{`{"x": {"input": "3"}}`, `line 1, column 17: "input" must be a number, got "3"`},
	} {
		_, err := ParsePrices([]byte(c.text))
		var e *priceError
		if !errors.As(err, &e) || e.Error() != c.want {
			t.Errorf("%s: %+v", c.text, e)
		}
	}
}

// Prices from the list are separate from recorded prices, and apply to answers with and without a recorded price.
func TestPricedByList(t *testing.T) {
	s := transcript(t, t.TempDir(), "s.jsonl", header("s", ""),
		answer("a1", 1, "p", "one", `,"cost":{"total":0.25}`), answer("a2", 2, "p", "one", `,"cost":{"total":0}`),
		answer("a3", 3, "q", "two", ""), message("a4", 4, `"role":"assistant","content":[],"model":"three"`),
		answer("m1", 5, "openclaw", "delivery-mirror", ""))
	prices := mustPrices(t, `{"p/*": {"input": 2, "output": 10}}`)
	r := collect(t, Options{By: []string{"model"}, Prices: prices}, s)
	one, two := r.By["model"]["one"], r.By["model"]["two"]
	if got := fmt.Sprintf("%.4f", []float64{r.Total.Priced, r.Total.Recorded.Cost, one.Priced, two.Priced}); got !=
		"[0.0060 0.2500 0.0060 0.0000]" {
		t.Error("priced in total, recorded, one, two:", got)
	}
	if r.Total.PricedAnswers != 2 || r.Total.Unmatched != 1 || two.Unmatched != 1 || one.Unmatched != 0 {
		t.Errorf("%+v", r.Total)
	}
	if !slices.Equal(r.Coverage.Unmatched, []string{"q/two"}) {
		t.Error("unmatched:", r.Coverage.Unmatched)
	}
}
