package search

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzSieve checks that the sieve never misses a line that the reference finds.
func FuzzSieve(f *testing.F) {
	f.Add("straße", `STRA\u00dfE`, uint8(0))
	f.Add("k", `\u212a`, uint8(1))
	f.Add("😀", `\ud83d\ude00`, uint8(2))
	f.Add("a/b", `a\/b`, uint8(8))
	f.Add("^a.*b", `a\nb`, uint8(16))
	f.Fuzz(func(t *testing.T, pattern, inside string, mode uint8) {
		line := `{"text":"` + inside + `"}`
		var decoded struct{ Text string }
		if strings.ContainsAny(inside, "\n") || !utf8.ValidString(inside) || json.Unmarshal([]byte(line), &decoded) != nil {
			return
		}
		o := Options{Case: Case(mode % 3), Word: mode&8 != 0}
		make := Literal
		if mode&16 != 0 {
			make = Regex
		}
		term, err := make(pattern, o)
		if err != nil {
			return
		}
		q := &Query{Any: []*Term{term}, Invert: mode&32 != 0}
		_, want := q.match(decoded.Text, 1)
		got := false
		q.sieve().each([]byte(line+"\n"), func(int, int) bool { got = true; return true })
		if want && !got {
			t.Errorf("the sieve misses %s for %q", line, pattern)
		}
	})
}
