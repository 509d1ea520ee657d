package cli

import (
	"testing"
	"time"
)

func TestParseTime(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	sunday := time.Date(2026, 3, 1, 10, 30, 0, 0, zone)
	for text, want := range map[string]string{
		"2026-05-04T10:00:00Z": "2026-05-04T10:00:00Z",
		"2026-02-28":           "2026-02-28T00:00:00+02:00",
		"2026-02":              "2026-02-01T00:00:00+02:00",
		"2025":                 "2025-01-01T00:00:00+02:00",
		"90m":                  "2026-03-01T09:00:00+02:00",
		"1w":                   "2026-02-22T10:30:00+02:00",
		"now":                  "2026-03-01T10:30:00+02:00",
		"today":                "2026-03-01T00:00:00+02:00",
		"Yesterday":            "2026-02-28T00:00:00+02:00",
		"this week":            "2026-02-23T00:00:00+02:00",
		"last week":            "2026-02-16T00:00:00+02:00",
		"Last  Month":          "2026-02-01T00:00:00+02:00",
		"this month":           "2026-03-01T00:00:00+02:00",
		"last year":            "2025-01-01T00:00:00+02:00",
	} {
		got, err := parseTime(text, sunday)
		if err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%s: got %s %v, want %s", text, got.Format(time.RFC3339), err, want)
		}
	}
	monday := time.Date(2026, 3, 2, 0, 0, 0, 0, zone)
	if got, _ := parseTime("this week", monday); !got.Equal(monday) {
		t.Errorf("the week of a Monday begins at %s", got)
	}
	for _, text := range []string{"", "2026-13", "20", "last", "last monday", "next week", "week", "7x", "-1d"} {
		if got, err := parseTime(text, sunday); err == nil {
			t.Errorf("%q is read as %s", text, got)
		}
	}
}

func TestExcerpt(t *testing.T) {
	for _, test := range []struct {
		options     ExcerptOptions
		first, size int
	}{
		{ExcerptOptions{}, 1, 3},
		{ExcerptOptions{limit: 2}, 1, 2},
		{ExcerptOptions{limit: 9}, 1, 3},
		{ExcerptOptions{reverse: true}, 3, 3},
		{ExcerptOptions{limit: 1, reverse: true}, 3, 1},
	} {
		got := Excerpt([]int{1, 2, 3}, test.options)
		if len(got) != test.size || got[0] != test.first {
			t.Errorf("%+v: %v", test.options, got)
		}
	}
}
