package validate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

// A long record that repeats an id is a repeated record only if all of its text is the same.
func TestRepeatedRecordsAreComparedAsAWhole(t *testing.T) {
	const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}` + "\n"
	const form = `{"type":"message","id":"a","parentId":null,"timestamp":"2026-05-01T10:00:00.000Z",` +
		`"message":{"role":"user","content":%q}}` + "\n"
	text := strings.Repeat("x", 100_000)
	for at := range 100 {
		other := text[:at*1000+7] + "y" + text[at*1000+8:]
		for second, want := range map[string]failure.Code{text: rebuild.SameTwice, other: rebuild.OtherTwice} {
			r := &jsonl.Reader{}
			r.Reset(strings.NewReader(fmt.Sprintf(header+form+form, text, second)), jsonl.Options{})
			result, err := Session(r, &source.Session{Kind: source.Live}, Selection{})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(result.Findings, func(f Finding) bool { return f.Rule.Code == want }) {
				t.Fatalf("no %s if byte %d is changed: %v", want, at*1000+7, result.Findings)
			}
		}
	}
}
