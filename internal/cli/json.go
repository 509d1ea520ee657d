package cli

import (
	"encoding/json"
	"strings"

	"clawctl/internal/ui"
)

// JSONLine returns a value as one line of JSON. Characters that control a terminal are escaped, which does not change
// the value.
func JSONLine(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // our own types always encode
	}
	return ui.Escape(b.String())
}

// A Frame is the text around a list of objects.
type Frame struct{ Before, Between, After, Empty string }

var (
	ArrayFrame = Frame{"[\n", ",\n", "\n]\n", "[]\n"}
	LinesFrame = Frame{"", "\n", "\n", ""}
)
