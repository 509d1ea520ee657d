package jsontext

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// The plain form means the same to ParsePlainTime as to time.Parse, for every day that exists and every that does not.
func TestParsePlainTime(t *testing.T) {
	for _, year := range []int{0, 1900, 2000, 2026, 2028, 9999} {
		for month := range 14 {
			for day := range 33 {
				text := fmt.Sprintf("%04d-%02d-%02dT23:59:08.%03dZ", year, month, day, 17*day)
				want, err := time.Parse(time.RFC3339, text)
				got, ok := ParsePlainTime(Value(`"` + text + `"`))
				if ok != (err == nil) || ok && got != want {
					t.Fatalf("%s: got %v, %v", text, got, ok)
				}
			}
		}
	}
	for _, text := range []string{"2026-01-01T24:00:00.000Z", "2026-01-01T00:60:00.000Z", "2026-01-01T00:00:60.000Z",
		"2026-01-01 00:00:00.000Z", "2026-01-01T00:00:00.00aZ", "2026-01-01T00:00:00Z", ""} {
		if got, ok := ParsePlainTime(Value(`"` + text + `"`)); ok {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

// The times that are read eight characters at a time are those that the standard library reads.
func TestPlainTimeIsParsed(t *testing.T) {
	const others = "0123456789-:.TZ\"/;\x80\xb0"
	r := rand.New(rand.NewPCG(5, 6))
	plain := 0
	for range 100_000 {
		text := []byte(time.UnixMilli(r.Int64N(maxMillis)).UTC().Format(`"2006-01-02T15:04:05.000Z"`))
		if r.IntN(2) == 0 {
			text[r.IntN(len(text))] = others[r.IntN(len(others))]
		}
		got, ok := ParsePlainTime(text)
		if !ok {
			continue
		}
		plain++
		if want, err := time.Parse(`"`+time.RFC3339+`"`, string(text)); err != nil || got != want {
			t.Fatalf("%s: got %v, want %v %v", text, got, want, err)
		}
	}
	if plain < 50_000 {
		t.Errorf("only %d of 100,000 times are plain", plain)
	}
}
