package main

import (
	"fmt"
	"strings"
	"time"

	"clawctl/internal/failure"
	"clawctl/pkg/config"
)

// timeHelp are the ways to write a time, for help texts.
const timeHelp = "RFC 3339, a date, a month such as 2026-03, an age such as 7d, today, yesterday, last week or last " +
	"month"

// A timeRange is what --since and --until leave over: from since on, before until. A zero time is no limit.
type timeRange struct{ since, until time.Time }

func (r timeRange) isAll() bool { return r.since.IsZero() && r.until.IsZero() }

func (r timeRange) contains(t time.Time) bool {
	return !t.Before(r.since) && (r.until.IsZero() || t.Before(r.until))
}

// rangeOptions are --since and --until.
type rangeOptions struct{ since, until timeFlag }

// flags describes them; what says which things the times belong to, such as "records".
func (o *rangeOptions) flags(what string) []flag {
	return []flag{
		o.since.flag("since", "only "+what+" from this time on: "+timeHelp),
		o.until.flag("until", "only "+what+" before this time"),
	}
}

// resolve turns the flags into times.
func (o *rangeOptions) resolve(now time.Time) (r timeRange, err error) {
	if r.since, err = o.since.resolve(now); err != nil {
		return r, err
	}
	if r.until, err = o.until.resolve(now); err != nil {
		return r, err
	}
	if !r.until.IsZero() && !r.since.Before(r.until) {
		return r, failure.Usage("", "--since must be before --until")
	}
	return r, nil
}

// A timeFlag is a time as it was typed.
type timeFlag struct{ name, text string }

func (t *timeFlag) flag(name, usage string) flag {
	t.name = name
	return requiredTextFlag(&t.text, name, "TIME", usage)
}

// isSet reports whether the flag was given.
func (t *timeFlag) isSet() bool { return t.text != "" }

// resolve reads the time; without the flag it is zero.
func (t *timeFlag) resolve(now time.Time) (time.Time, error) {
	if !t.isSet() {
		return time.Time{}, nil
	}
	moment, err := parseTime(strings.TrimSpace(t.text), now)
	if err != nil {
		return moment, failure.Usage("", "--%s %v", t.name, err)
	}
	return moment, nil
}

// parseTime reads the ways to write a time.
func parseTime(text string, now time.Time) (time.Time, error) {
	if t, ok := parseDayName(text, now); ok {
		return t, nil
	}
	if t, ok := parsePeriod(text, now); ok {
		return t, nil
	}
	if t, ok := parseDate(text, now.Location()); ok {
		return t, nil
	}
	if age, ok := config.ParseAge(text); ok {
		return now.Add(-time.Duration(age)), nil
	}
	return time.Time{}, fmt.Errorf("must be %s, got %q", timeHelp, text)
}

func parseDayName(text string, now time.Time) (time.Time, bool) {
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch strings.ToLower(text) {
	case "now":
		return now, true
	case "today":
		return midnight, true
	case "yesterday":
		return midnight.AddDate(0, 0, -1), true
	case "tomorrow":
		return midnight.AddDate(0, 0, 1), true
	}
	return time.Time{}, false
}

// parsePeriod reads a period such as "last week". It stands for the beginning of its first day, like a month or a year
// in numbers. Weeks begin on Monday.
func parsePeriod(text string, now time.Time) (time.Time, bool) {
	words := strings.Fields(strings.ToLower(text))
	if len(words) != 2 {
		return time.Time{}, false
	}
	back, ok := map[string]int{"this": 0, "last": 1}[words[0]]
	if !ok {
		return time.Time{}, false
	}
	year, month, day := now.Date()
	switch words[1] {
	case "week":
		day -= (int(now.Weekday())+6)%7 + 7*back
	case "month":
		month, day = month-time.Month(back), 1
	case "year":
		year, month, day = year-back, time.January, 1
	default:
		return time.Time{}, false
	}
	return time.Date(year, month, day, 0, 0, 0, 0, now.Location()), true
}

// Layouts of dates, with and without a time zone. A month or a year stands for the beginning of its first day.
var (
	zonedLayouts = []string{time.RFC3339, "2006-01-02T15:04Z07:00"}
	localLayouts = []string{
		"2006-01-02", "2006-01", "2006", "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02 15:04:05",
	}
)

func parseDate(text string, zone *time.Location) (time.Time, bool) {
	for _, layout := range zonedLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	for _, layout := range localLayouts {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
