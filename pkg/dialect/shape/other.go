package shape

import "clawctl/pkg/jsontext"

// An Other is a file that a program writes in lines of JSON and that is not a transcript.
type Other struct {
	What string   // such as "the history of prompts"
	Keys []string // that every line has
}

// Fits reports whether a line has all the keys.
func (o Other) Fits(line jsontext.Value) bool {
	for _, key := range o.Keys {
		if !line.Get(key).Exists() {
			return false
		}
	}
	return true
}
