package openclaw

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// parsedIndex is everything that a sessions.json says.
type parsedIndex struct {
	entries  []Entry
	problems []IndexProblem
}

func parseIndex(data []byte) (parsed parsedIndex) {
	ix := IndexReader{}
	ix.Each = func(e Entry) { parsed.entries = append(parsed.entries, e) }
	ix.Problem = func(p IndexProblem) { parsed.problems = append(parsed.problems, p) }
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
		ix := parseIndex([]byte(text))
		for _, e := range ix.entries {
			if e.SessionID == "" || strings.ContainsAny(e.File, "/\\\x00") || e.File == ".." || e.File == "." {
				t.Fatalf("%q: %+v", text, e)
			}
		}
		if again := parseIndex([]byte(text)); len(again.entries) != len(ix.entries) ||
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
	ix := parseIndex([]byte(b.String()))
	if len(ix.entries) < 2000 || len(ix.problems) > 0 {
		t.Errorf("%d entries, %v", len(ix.entries), ix.problems)
	}
	t.Logf("36 MB in %v", time.Since(begun))
}

// allocated returns how many bytes a function allocates. Unlike time, it does not depend on the machine, and work that
// grows with the square of the input shows in it.
func allocated(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// wantLinear checks that eight times the input takes about eight times the memory.
func wantLinear(t *testing.T, what string, small, large float64) {
	t.Helper()
	if large > 20*small {
		t.Errorf("%s: eight times the input takes %.0f times the memory (%.0f and %.0f bytes)", what, large/small, small,
			large)
	}
}

// The objects of a damaged sessions.json are read once each, however deep they are nested.
func TestNestedIndexIsLinear(t *testing.T) {
	for name, text := range map[string]func(n int) string{
		"open":        func(n int) string { return strings.Repeat(`{"a":`, n) },
		"broken":      func(n int) string { return `{` + strings.Repeat(`"a":{x `, n) + strings.Repeat("}", n) },
		"late":        func(n int) string { return strings.Repeat(`{"a":`, n) + "x" + strings.Repeat("}", n) },
		"in brackets": func(n int) string { return strings.Repeat(`{"a":{"b":[`, n) },
		"two ways":    func(n int) string { return strings.Repeat(`{":{":{":{":`, n) },
		"siblings":    func(n int) string { return strings.Repeat(`{"a":{},"b":`, n) },
	} {
		cost := func(n int) float64 {
			return allocated(func() { parseIndex([]byte(text(n))) })
		}
		wantLinear(t, name, cost(1000), cost(8000))
	}
}

// What is whole in a damaged sessions.json is found, inside what is not whole as well.
func TestWholeEntries(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":{"sessionId":"1"},"b":{"sessionId":"2","x":`:                      "a",
		`{"a":{"sessionId":"1","b":{"sessionId":"2"},"c":{"sessionId":"3"},`:    "b c",
		`{"a":{"sessionId":"1","label":"torn,"b":{"sessionId":"2"}}`:            "b",
		`{"a":{"sessionId":"1", x "b":{"sessionId":"2"}},"c":{"sessionId":"3"}`: "b c",
	} {
		var keys []string
		for _, e := range parseIndex([]byte(text)).entries {
			keys = append(keys, e.Key)
		}
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("%s: found %q, want %q", text, got, want)
		}
	}
}

// Every string of an index is found, whatever was lost of it.
func TestEachTextOfDamagedIndex(t *testing.T) {
	const index = `{"agent:main:main": {"sessionId": "one", "sessionFile": "C:\\home\\a \"b\".jsonl", "x": "\u0061"}}`
	for cut := range len(index) - 60 {
		found := map[string]bool{}
		EachText([]byte(index[cut:]), func(text string) { found[text] = true })
		if !found[`C:\home\a "b".jsonl`] || !found["a"] {
			t.Errorf("without %d bytes: found %v", cut, found)
		}
	}
}
