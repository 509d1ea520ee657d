package javascript

import (
	"math/rand/v2"
	"testing"
	"time"
)

// dates are texts that Date.parse accepts, with node's answers for TZ=UTC.
var dates = map[string]int64{
	"2026-05-01":                                         1777593600000,
	"2026-05-01T10:00:00":                                1777629600000,
	"2026-05-01 10:00:00":                                1777629600000,
	"2026-05-01T10:00Z":                                  1777629600000,
	"2026-05-01T10:00:00+02:00":                          1777622400000,
	"2026-05-01T10:00:00-0530":                           1777649400000,
	"2026-05-01T10:00:00+23:59":                          1777543260000,
	"2026-05-01T10:00:00.123456Z":                        1777629600123,
	"2026-05-01T10:00:00.1Z":                             1777629600100,
	"2026-05-01T10:00:00.00000000012345Z":                1777629600000,
	"2026-02-30T00:00:00Z":                               1772409600000,
	"2026-05-01T24:00:00Z":                               1777680000000,
	"1969-12-31T23:59:59.999Z":                           -1,
	"+012026-05-01T00:00:00Z":                            317347113600000,
	"-000001-01-01T00:00:00Z":                            -62198755200000,
	"+275760-09-13T00:00:00Z":                            8640000000000000,
	"2026-05-01 10:00:00.5+0200":                         1777622400500,
	"Fri, 01 May 2026 10:00:00 GMT":                      1777629600000,
	"Fri, 01 May 2026 10:00:00 -0430":                    1777645800000,
	"Fri May  1 10:00:00 UTC 2026":                       1777629600000,
	"Fri May  1 10:00:00 PM UTC 2026":                    1777672800000,
	"2026/03/03":                                         1772496000000,
	"Jan 5 2026 10:00 GMT+0200 (x)":                      1767600000000,
	"Fri May 01 2026 10:00:00 GMT-0430 (Venezuela Time)": 1777645800000,
}

// noDates are texts for which Date.parse returns NaN, and at last some that only V8 takes for dates.
var noDates = []string{
	"", "yesterday", "1777629601000", "2026-13-01T00:00:00Z", "2026-05-01T25:00:00Z", "2026-05-01T24:00:01Z",
	"2026-02-32T00:00:00Z", "2026-05-01T10", " 2026-05-01T10:00:00Z", "2026-05-01T10:00:00+24:00",
	"2026-05-01T10:00:00+25:00", "2026-05-01T10:00:00-2400", "2026-05-01T10:00:00,000Z", "-000000-01-01T00:00:00Z",
	"+275760-09-13T00:00:00.001Z", "13:00 PM 5/1/2026", "1 May 2026 )", "1 May 2026 10:00 CEST",
	"5/1/26", "Mayhem 1 2026", "1 Jan 2026 10:00 EST", "0049-05-01 10:00",
}

func TestParseDate(t *testing.T) {
	for text, want := range dates {
		if got, ok := ParseDate(text); !ok || got != want {
			t.Errorf("ParseDate(%q) = %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range noDates {
		if got, ok := ParseDate(text); ok {
			t.Errorf("ParseDate(%q) = %d, want none", text, got)
		}
	}
}

// isoMillis is the form of JavaScript's toISOString, for the years 0 to 9999.
const isoMillis = "2006-01-02T15:04:05.000Z"

// FuzzParseDate checks that every result is within the limits of a Date, and that its ISO form means the same time.
func FuzzParseDate(f *testing.F) {
	for text := range dates {
		f.Add(text)
	}
	for _, text := range noDates {
		f.Add(text)
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		f.Add(randomDate(random))
	}
	f.Fuzz(func(t *testing.T, text string) {
		ms, ok := ParseDate(text)
		if !ok {
			if ms != 0 && ms >= -maxDate && ms <= maxDate {
				t.Fatalf("ParseDate(%q) refuses %d, which is within the limits", text, ms)
			}
			return
		}
		if ms < -maxDate || ms > maxDate {
			t.Fatalf("ParseDate(%q) = %d is beyond the limits", text, ms)
		}
		at := time.UnixMilli(ms).UTC()
		if at.Year() < 0 || at.Year() > 9999 {
			return
		}
		if again, ok := ParseDate(at.Format(isoMillis)); !ok || again != ms {
			t.Fatalf("ParseDate(%q) = %d, but its ISO form %s is %d, %v", text, ms, at.Format(isoMillis), again, ok)
		}
	})
}

func BenchmarkParseDate(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		ParseDate("2026-05-01T10:00:00.123Z")
	}
}
