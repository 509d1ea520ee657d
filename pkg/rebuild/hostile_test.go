package rebuild

import (
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

// A reason in brackets is read whatever their number, and in linear time.
func TestReasonInBrackets(t *testing.T) {
	const deep = 9000
	for text, want := range map[string]string{
		`"idle"`: "idle", `["idle"]`: "idle", `[ [ "idle" ] ]`: "idle", `[]`: "", `["a","b"]`: "", `[["a"],"b"]`: "",
		`[["a"],["b"]]`: "", `7`: "", `[["a",[]]]`: "", `[[],"a"]`: "",
		strings.Repeat("[", deep) + `"new"` + strings.Repeat("]", deep): "new",
	} {
		if got := reasonText(jsonl.Value(text)); got != want {
			t.Errorf("%.40s: %q, want %q", text, got, want)
		}
	}
}
