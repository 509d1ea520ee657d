package cli

import (
	"fmt"
	"strings"
	"time"

	"clawctl/internal/failure"
	"clawctl/pkg/config"
)

// TimeHelp are the ways to write a time, for help texts.
const TimeHelp = "RFC 3339, a date, a month such as 2026-03, an age such as 7d, today, yesterday, last week or last " +
	"month"

// A TimeRange is what --since and --until leave over: from since on, before until. A zero time is no limit.
type TimeRange struct{ Since, Until time.Time }

// IsAll reports whether there is no limit.
func (r TimeRange) IsAll() bool { return r.Since.IsZero() && r.Until.IsZero() }

// Contains reports whether a time is in the range.
func (r TimeRange) Contains(t time.Time) bool {
	return !t.Before(r.Since) && (r.Until.IsZero() || t.Before(r.Until))
}

// RangeOptions are --since and --until.
type RangeOptions struct{ Since, Until TimeFlag }

// Flags describes them; what says which things the times belong to, such as "records".
func (o *RangeOptions) Flags(what string) []Flag {
	return []Flag{
		o.Since.Flag("since", "only "+what+" from this time on: "+TimeHelp),
		o.Until.Flag("until", "only "+what+" before this time"),
	}
}

// Resolve turns the flags into times.
func (o *RangeOptions) Resolve(now time.Time) (r TimeRange, err error) {
	if r.Since, err = o.Since.Resolve(now); err != nil {
		return r, err
	}
	if r.Until, err = o.Until.Resolve(now); err != nil {
		return r, err
	}
	if !r.Until.IsZero() && !r.Since.Before(r.Until) {
		return r, failure.Usage("", "--since must be before --until")
	}
	return r, nil
}

// A TimeFlag is a time as it was typed.
type TimeFlag struct{ name, Text string }

// Flag describes it.
func (t *TimeFlag) Flag(name, usage string) Flag {
	t.name = name
	return RequiredTextFlag(&t.Text, name, "TIME", usage)
}

// IsSet reports whether the flag was given.
func (t *TimeFlag) IsSet() bool { return t.Text != "" }

// Resolve reads the time; without the flag it is zero.
func (t *TimeFlag) Resolve(now time.Time) (time.Time, error) {
	if !t.IsSet() {
		return time.Time{}, nil
	}
	moment, err := parseTime(strings.TrimSpace(t.Text), now)
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
	return time.Time{}, fmt.Errorf("must be %s, got %q", TimeHelp, text)
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
