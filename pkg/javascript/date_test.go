package javascript

import "testing"

// Dates that Date.parse accepts, with its result in UTC.
func TestParseDate(t *testing.T) {
	for text, want := range map[string]int64{
		"2026-05-01":                    1777593600000,
		"2026-05-01T10:00:00":           1777629600000,
		"2026-05-01 10:00:00":           1777629600000,
		"2026-05-01T10:00Z":             1777629600000,
		"2026-05-01T10:00:00+02:00":     1777622400000,
		"2026-05-01T10:00:00-0530":      1777649400000,
		"2026-05-01T10:00:00.123456Z":   1777629600123,
		"2026-05-01T10:00:00.1Z":        1777629600100,
		"2026-02-30T00:00:00Z":          1772409600000,
		"2026-05-01T24:00:00Z":          1777680000000,
		"Fri, 01 May 2026 10:00:00 GMT": 1777629600000,
		"1969-12-31T23:59:59.999Z":      -1,
		"+012026-05-01T00:00:00Z":       317347113600000,
	} {
		if got, ok := ParseDate(text); !ok || got != want {
			t.Errorf("ParseDate(%q) = %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "yesterday", "1777629601000", "2026-13-01T00:00:00Z", "2026-05-01T25:00:00Z",
		"2026-05-01T24:00:01Z", "2026-02-32T00:00:00Z", "2026-05-01T10", " 2026-05-01T10:00:00Z"} {
		if got, ok := ParseDate(text); ok {
			t.Errorf("ParseDate(%q) = %d, want none", text, got)
		}
	}
}
