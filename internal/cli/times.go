package cli

import (
	"fmt"
	"strings"
	"time"

	"clawctl/internal/calendar"
	"clawctl/internal/failure"
	"clawctl/pkg/config"
)

// TimeHelp are the ways to write a time, for help texts.
const TimeHelp = "RFC 3339, a date, a month such as 2026-03, a week such as 2026-W12, an age such as 7d, today, " +
	"yesterday, last week or last month"

// A TimeRange is what --since, --until and --during leave over: from since on, before until. A zero time is no limit.
type TimeRange struct{ Since, Until time.Time }

// IsAll reports whether there is no limit.
func (r TimeRange) IsAll() bool { return r.Since.IsZero() && r.Until.IsZero() }

// Contains reports whether a time is in the range.
func (r TimeRange) Contains(t time.Time) bool {
	return !t.Before(r.Since) && (r.Until.IsZero() || t.Before(r.Until))
}

// RangeOptions are --since, --until and --during.
type RangeOptions struct {
	Since, Until TimeFlag
	During       string
}

// Flags describes them; what says which things the times belong to, such as "records".
func (o *RangeOptions) Flags(what string) []Flag {
	return []Flag{
		o.Since.Flag("since", "only "+what+" from this time on: "+TimeHelp),
		o.Until.Flag("until", "only "+what+" before this time"),
		o.DuringFlag("only " + what + " of this period"),
	}
}

// DuringFlag describes --during.
func (o *RangeOptions) DuringFlag(usage string) Flag {
	return RequiredTextFlag(&o.During, "during", "PERIOD", usage+": "+calendar.PeriodHelp)
}

// Resolve turns the flags into times.
func (o *RangeOptions) Resolve(a *App) (r TimeRange, err error) {
	if err := a.zoneError; err != nil && (o.Since.IsSet() || o.Until.IsSet() || o.During != "") {
		return r, err
	}
	now := a.Now()
	if o.During != "" {
		return o.resolvePeriod(a, now)
	}
	if r.Since, err = o.Since.Resolve(now); err != nil {
		return r, err
	}
	if r.Until, err = o.Until.Resolve(now); err != nil {
		return r, err
	}
	if !r.Until.IsZero() && !r.Since.Before(r.Until) {
		return r, failure.Usage(o.periodHint(a, now), "--since must be before --until")
	}
	return r, nil
}

// resolvePeriod turns --during into times.
func (o *RangeOptions) resolvePeriod(a *App, now time.Time) (r TimeRange, err error) {
	for _, flag := range []*TimeFlag{&o.Since, &o.Until} {
		if flag.IsSet() {
			return r, Conflict("--during", "--"+flag.name)
		}
	}
	p, err := ParsePeriod(a, "--during", o.During)
	return TimeRange{p.Since, p.Until}, err
}

// ParsePeriod reads the period that a flag names.
func ParsePeriod(a *App, flag, text string) (calendar.Period, error) {
	p, err := calendar.ParsePeriod(text, a.Now())
	if err == nil {
		return p, nil
	}
	hint := ""
	if near := calendar.NearPeriod(text); near != "" {
		hint = a.CommandLine(flag, near)
	}
	return p, failure.Usage(hint, "%s %v", flag, err)
}

// periodHint is the command that somebody meant who gave --since and --until the same period, or "".
func (o *RangeOptions) periodHint(a *App, now time.Time) string {
	text := strings.TrimSpace(o.Until.Text)
	if _, err := calendar.ParsePeriod(text, now); err != nil || text != strings.TrimSpace(o.Since.Text) {
		return ""
	}
	return commandLine(WithoutFlag(WithoutFlag(a.Args, "--since"), "--until"), "--during", text)
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
	if err == nil {
		return moment, nil
	}
	f := failure.Usage("", "--%s %v", t.name, err)
	if near := calendar.NearPeriod(t.Text); near != "" {
		f = f.WithAgain("--"+t.name, near)
	}
	return moment, f
}

// parseTime reads the ways to write a time. A period stands for its beginning.
func parseTime(text string, now time.Time) (time.Time, error) {
	if strings.EqualFold(text, "now") {
		return now, nil
	}
	if p, err := calendar.ParsePeriod(text, now); err == nil {
		return p.Since, nil
	}
	if t, ok := parseDate(text, now.Location()); ok {
		return t, nil
	}
	if age, ok := config.ParseAge(text); ok {
		return now.Add(-time.Duration(age)), nil
	}
	return time.Time{}, fmt.Errorf("must be %s, got %q", TimeHelp, text)
}

// Layouts of times, with and without a time zone.
var (
	zonedLayouts = []string{time.RFC3339, "2006-01-02T15:04Z07:00"}
	localLayouts = []string{
		"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02 15:04:05",
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
