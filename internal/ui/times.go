package ui

import (
	"fmt"
	"time"
)

// ages are the units of Ago, from the largest.
var ages = []struct {
	unit time.Duration
	noun string
}{
	{365 * 24 * time.Hour, "year"},
	{30 * 24 * time.Hour, "month"},
	{7 * 24 * time.Hour, "week"},
	{24 * time.Hour, "day"},
	{time.Hour, "hour"},
	{time.Minute, "minute"},
}

// Ago formats how long before now a time was: "2 days ago".
func Ago(t, now time.Time) string {
	age := now.Sub(t)
	if age < 0 {
		return Minute(t.In(now.Location()))
	}
	for _, a := range ages {
		// Two of a unit are more precise than one of the next: "10 days ago" instead of "1 week ago".
		if n := int(age / a.unit); n >= 2 || n == 1 && a.unit <= 24*time.Hour {
			return Count(n, a.noun) + " ago"
		}
	}
	return "just now"
}

// Minute formats a time to the minute: "2026-05-04 14:53".
func Minute(t time.Time) string { return t.Format("2006-01-02 15:04") }

// Remaining formats how long something will still take: "2m05s".
func Remaining(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}
