package main

import (
	"encoding/json"
	"strings"
)

// jsonLine returns a value as one line of JSON.
func jsonLine(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // our own types always encode
	}
	return b.String()
}
