package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// A timeRange is what --since and --until leave over: from since on, before until. A zero time is no limit.
type timeRange struct{ since, until time.Time }

func (r timeRange) isAll() bool { return r.since.IsZero() && r.until.IsZero() }

func (r timeRange) contains(t time.Time) bool {
	return !t.Before(r.since) && (r.until.IsZero() || t.Before(r.until))
}

// parseRange reads --since and --until.
func (a *app) parseRange(ctx *cli.Context) (r timeRange, err error) {
	if r.since, err = a.parseMoment(ctx, "since"); err != nil {
		return r, err
	}
	if r.until, err = a.parseMoment(ctx, "until"); err != nil {
		return r, err
	}
	if !r.until.IsZero() && !r.since.Before(r.until) {
		return r, usageError("clawctl help "+ctx.Command.Name, "--since is not before --until: nothing lies between them")
	}
	return r, nil
}

// units of an age, such as 7d.
var ageUnits = map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}

// parseMoment reads the ways to name a moment: RFC 3339, a date or a date with a time in the local zone, an age such as
// 7d, today, yesterday.
func (a *app) parseMoment(ctx *cli.Context, flag string) (time.Time, error) {
	if !ctx.IsSet(flag) {
		return time.Time{}, nil
	}
	text := strings.TrimSpace(ctx.String(flag))
	now := a.now()
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch strings.ToLower(text) {
	case "now":
		return now, nil
	case "today":
		return midnight, nil
	case "yesterday":
		return midnight.AddDate(0, 0, -1), nil
	case "tomorrow":
		return midnight.AddDate(0, 0, 1), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	for _, layout := range []string{"2006-01-02", "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02 15:04:05"} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, nil
		}
	}
	if unit, ok := ageUnits[lastByte(text)]; ok {
		if n, err := strconv.Atoi(text[:len(text)-1]); err == nil && n >= 0 && n < 1e6 {
			return now.Add(-time.Duration(n) * unit), nil
		}
	}
	return time.Time{}, usageError("clawctl "+ctx.Command.Name+" --"+flag+" 7d", "--%s takes a time, a date, an age such as 7d, today or yesterday, not %q", flag, text)
}

func lastByte(text string) byte {
	if text == "" {
		return 0
	}
	return text[len(text)-1]
}
