package main

import (
	"encoding/json"
	"strings"

	"clawctl/internal/ui"
)

// jsonLine returns a value as one line of JSON. Characters that control a terminal are escaped, which does not change
// the value.
func jsonLine(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // our own types always encode
	}
	return ui.Escape(b.String())
}

// A frame is the text around a list of objects.
type frame struct{ before, between, after, empty string }

var (
	arrayFrame = frame{"[\n", ",\n", "\n]\n", "[]\n"}
	linesFrame = frame{"", "\n", "\n", ""}
)
