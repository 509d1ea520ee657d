// Package calendar knows time zones, and the days, weeks, months and years in them.
//
// Every report of clawctl that has days takes them from here, and so does every flag that names a time. A day is the
// time from its first moment to that of the next day. So it has 23 or 25 hours when the clock changes, begins at one
// o'clock where midnight was skipped, and does not exist where a country moved to the other side of the date line. A
// moment belongs to exactly one day, whatever clocks showed, so `--during DAY` and the row of that day agree.
package calendar

import (
	"fmt"
	"time"
)

// A date is a day without a time zone: the number of days since 1 January 1970.
type date int64

const secondsOfDay = 24 * 60 * 60

// dateOf returns a date. Months and days outside of their usual range continue in the next or previous one.
func dateOf(year int, month time.Month, day int) date {
	return date(floorDiv(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix(), secondsOfDay))
}

// shownAt returns the date that clocks in a zone show at a moment.
func shownAt(at time.Time, zone *time.Location) date {
	_, offset := at.In(zone).Zone()
	return date(floorDiv(at.Unix()+int64(offset), secondsOfDay))
}

func floorDiv(a, b int64) int64 {
	if a%b < 0 {
		return a/b - 1
	}
	return a / b
}

// noon returns a time in UTC that has this date, to format it.
func (d date) noon() time.Time { return time.Unix(int64(d)*secondsOfDay+secondsOfDay/2, 0).UTC() }

// begin returns the first moment at which clocks in a zone show this date or a later one. Go's time.Date may return
// another moment if midnight is skipped or repeated.
func (d date) begin(zone *time.Location) time.Time {
	midnight := int64(d) * secondsOfDay // in UTC
	at := time.Unix(midnight-secondsOfDay, 0).In(zone)
	for {
		_, offset := at.Zone()
		start := max(at.Unix(), midnight-int64(offset))
		change := nextChange(at)
		if change.IsZero() || start < change.Unix() {
			return time.Unix(start, 0).In(zone)
		}
		at = change
	}
}

// nextChange returns a later moment, up to which the offset of a zone stays the same. It is zero if it stays for ever.
// Go ends leap years a day early, in zones whose clocks follow a rule, so it may name a moment that is over.
func nextChange(at time.Time) time.Time {
	_, change := at.ZoneBounds()
	if !change.IsZero() && !change.After(at) {
		return at.Add(24 * time.Hour)
	}
	return change
}

// A Day is one day in a zone.
type Day struct {
	Since, Until time.Time // its first moment, and that of the next day
	Name         string    // as in 2026-09-14
	Week         string    // as in 2026-W38
	Month        string    // as in 2026-09
	Weekday      time.Weekday
	Number       int64 // of its date, since 1970
}

func newDay(d date, zone *time.Location) Day {
	noon := d.noon()
	year, week := noon.ISOWeek()
	return Day{
		Since: d.begin(zone), Until: (d + 1).begin(zone), Number: int64(d),
		Name: noon.Format(time.DateOnly), Week: fmt.Sprintf("%d-W%02d", year, week), Month: noon.Format("2006-01"),
		Weekday: noon.Weekday(),
	}
}

// Days finds the days of moments. It remembers the last one, because records come in the order of time.
type Days struct {
	zone Zone
	last Day
}

// NewDays returns the days of a zone.
func NewDays(zone Zone) *Days { return &Days{zone: zone} }

// In returns a moment as clocks in the zone show it.
func (d *Days) In(at time.Time) time.Time { return d.zone.In(at) }

// Of returns the day of a moment. It is valid until the next call.
func (d *Days) Of(at time.Time) *Day {
	if !at.Before(d.last.Since) && at.Before(d.last.Until) {
		return &d.last
	}
	zone := d.zone.location()
	d.last = newDay(shownAt(at, zone), zone)
	for !at.Before(d.last.Until) { // clocks that were put back over midnight show yesterday again
		d.last = newDay(date(d.last.Number+1), zone)
	}
	return &d.last
}

// Count returns how many days there are from the day of one moment to that of a later one, both included.
func (d *Days) Count(first, last time.Time) int64 {
	from := d.Of(first).Number
	return d.Of(last).Number - from + 1 - d.skipped(first, last)
}

// skipped counts the dates that never were between two moments.
func (d *Days) skipped(first, last time.Time) int64 {
	var n int64
	zone := d.zone.location()
	change := nextChange(first.In(zone))
	for !change.IsZero() && change.Before(last) {
		n += max(0, int64(shownAt(change, zone)-shownAt(change.Add(-1), zone))-1)
		change = nextChange(change)
	}
	return n
}
