package javascript

import (
	"math"
	"testing"

	"clawctl/pkg/jsonl"
)

// Versions are compared as JavaScript converts them to numbers.
func TestVersionNumber(t *testing.T) {
	nan := math.NaN()
	for value, want := range map[string]float64{
		``: 1, `null`: 1, `true`: 1, `false`: 0, `3`: 3, `2.5`: 2.5, `"3"`: 3, `" 3 "`: 3, `"\u00a02"`: 2, `""`: 0,
		`"x"`: nan, `"0x3"`: 3, `"0X1f"`: 31, `"0b11"`: 3, `"0o17"`: 15, `"-0x3"`: nan, `"0x"`: nan, `"0x-1"`: nan,
		`"1_0"`: nan, `"inf"`: nan, `"nan"`: nan, `"Infinity"`: math.Inf(1), `"-Infinity"`: math.Inf(-1), `"1e0"`: 1,
		`"0x1p1"`: nan, `"+2"`: 2, `".5"`: .5, `"2."`: 2, `"."`: nan, `"1e999"`: math.Inf(1),
		`{}`: nan, `[]`: 0, `[3]`: 3, `["1"]`: 1, `[null]`: 0, `[true]`: nan, `[1,2]`: nan, `[[2]]`: 2,
		`[[]]`: 0, `[{}]`: nan,
	} {
		got := VersionNumber(jsonl.Value(value))
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("VersionNumber(%s) = %v, want %v", value, got, want)
		}
	}
}
