package source

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// parsedIndex is everything that a sessions.json says.
type parsedIndex struct {
	entries  []Entry
	problems []Problem
}

func parseIndex(path string, data []byte) (parsed parsedIndex) {
	ix := index{path: path}
	ix.each = func(e Entry) { parsed.entries = append(parsed.entries, e) }
	ix.problem = func(p Problem) { parsed.problems = append(parsed.problems, p) }
	ix.parse(data)
	return parsed
}

// FuzzIndex checks that the entries of any sessions.json have ids and plain file names, and that parsing is stable.
func FuzzIndex(f *testing.F) {
	for _, text := range []string{
		`{}`, ``, `null`, `{"k":{"sessionId":"a","sessionFile":"/x/a.jsonl","updatedAt":1777629601000,` +
			`"totalTokens":5}}`, `{"k":{"session_id":"a","transcript_file":"a.jsonl"}}`,
		`{"a1":{"label":"x","last_active":"2026-01-01T00:00:00"}}`, `{"k":{"sessionId":"a"},"l":{"sess`,
		`{"k":null,"l":7,"m":[]}`, "{\n\"k\": {\"sessionId\": \"a\"}\n}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ix := parseIndex("sessions.json", []byte(text))
		for _, e := range ix.entries {
			if e.SessionID == "" || strings.ContainsAny(e.File, "/\\\x00") || e.File == ".." || e.File == "." {
				t.Fatalf("%q: %+v", text, e)
			}
		}
		if again := parseIndex("sessions.json", []byte(text)); len(again.entries) != len(ix.entries) ||
			len(again.problems) != len(ix.problems) {
			t.Fatalf("%q: parsed twice, with two results", text)
		}
	})
}

// A sessions.json of 36 MB, the largest one reported, is read like any other.
func TestLargeIndex(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	for i := 0; b.Len() < 36<<20; i++ {
		fmt.Fprintf(&b, "%q: {\"sessionId\": \"id-%d\", \"skillsSnapshot\": %q},\n", fmt.Sprint("agent:main:", i), i,
			strings.Repeat("skill ", 3000))
	}
	b.WriteString(`"last":{"sessionId":"z"}}`)
	begun := time.Now()
	ix := parseIndex("sessions.json", []byte(b.String()))
	if len(ix.entries) < 2000 || len(ix.problems) > 0 {
		t.Errorf("%d entries, %v", len(ix.entries), ix.problems)
	}
	t.Logf("36 MB in %v", time.Since(begun))
}
