package calendar

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"clawctl/internal/failure"
	"clawctl/internal/regex"
)

// PeriodHelp are the ways to write a period, for help texts.
const PeriodHelp = "a year, a month such as 2026-03, a week such as 2026-W12, a day, today, yesterday, or this or " +
	"last week, month or year"

// A Period is a named piece of time: from Since on, before Until.
type Period struct {
	Name         string // as in 2026, 2026-09, 2026-W38 or 2026-09-14, whatever it was called
	Since, Until time.Time
}

// A PeriodError says that a text is not a period. If Never is set, it is one that its zone has skipped.
type PeriodError struct {
	Text  string
	Never bool
}

func (e *PeriodError) Error() string {
	if e.Never {
		return fmt.Sprintf("%s never was: clocks skipped it", e.Text)
	}
	return fmt.Sprintf("must be %s, got %q", PeriodHelp, e.Text)
}

// ParsePeriod reads a period. Words such as "last month" are relative to now, in its zone, and may be joined by hyphens
// or underscores. Weeks begin on Monday. Errors are of type *PeriodError.
func ParsePeriod(text string, now time.Time) (Period, error) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" \t-_", r) })
	zone := now.Location()
	from, to, ok := relativePeriod(words, shownAt(now, zone))
	if !ok {
		from, to, ok = statedPeriod(strings.TrimSpace(text))
	}
	if !ok {
		return Period{}, &PeriodError{Text: text}
	}
	p := Period{periodName(from, to), from.begin(zone), to.begin(zone)}
	if !p.Since.Before(p.Until) {
		return p, &PeriodError{Text: p.Name, Never: true}
	}
	return p, nil
}

// relativePeriod reads a period that depends on the current date. It ends before to.
func relativePeriod(words []string, today date) (from, to date, ok bool) {
	if len(words) == 1 {
		shift, ok := map[string]date{"today": 0, "yesterday": -1, "tomorrow": 1}[words[0]]
		return today + shift, today + shift + 1, ok
	}
	if len(words) != 2 {
		return 0, 0, false
	}
	back, ok := map[string]int{"this": 0, "last": 1}[words[0]]
	if !ok {
		return 0, 0, false
	}
	year, month, _ := today.noon().Date()
	switch words[1] {
	case "week":
		from = mondayOf(today) - date(7*back)
		return from, from + 7, true
	case "month":
		return monthOf(year, month-time.Month(back))
	case "year":
		return yearOf(year - back)
	}
	return 0, 0, false
}

// statedForm has the parts of a period in numbers: a year and a month, a week, or a day.
var statedForm = regex.Lazy(`^(\d{4})(?:-(\d{2})(?:-(\d{2}))?|-?[Ww](\d{1,2}))?$`)

// statedPeriod reads a period in numbers. It ends before to.
func statedPeriod(text string) (from, to date, ok bool) {
	m := statedForm().FindStringSubmatch(text)
	if m == nil {
		return 0, 0, false
	}
	year, month, day, week := number(m[1]), number(m[2]), number(m[3]), number(m[4])
	switch {
	case m[4] != "":
		from = mondayOf(dateOf(year, time.January, 4)) + date(7*(week-1)) // 4 January is always in the first week
		y, w := from.noon().ISOWeek()
		return from, from + 7, y == year && w == week
	case m[3] != "":
		from = dateOf(year, time.Month(month), day)
		y, mo, d := from.noon().Date()
		return from, from + 1, y == year && int(mo) == month && d == day
	case m[2] != "" && (month < 1 || month > 12):
		return 0, 0, false
	case m[2] != "":
		return monthOf(year, time.Month(month))
	}
	return yearOf(year)
}

// number reads digits. An empty text is 0.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

func mondayOf(d date) date { return d - date(d.noon().Weekday()+6)%7 }

func monthOf(year int, month time.Month) (from, to date, ok bool) {
	return dateOf(year, month, 1), dateOf(year, month+1, 1), true
}

func yearOf(year int) (from, to date, ok bool) {
	return dateOf(year, time.January, 1), dateOf(year+1, time.January, 1), true
}

// periodName names the period between two dates by its length.
func periodName(from, to date) string {
	first := from.noon()
	switch days := to - from; {
	case days == 1:
		return first.Format(time.DateOnly)
	case days == 7:
		year, week := first.ISOWeek()
		return fmt.Sprintf("%d-W%02d", year, week)
	case days <= 31:
		return first.Format("2006-01")
	}
	return first.Format("2006")
}

// NearPeriod returns the words that a typo most likely meant, or "".
func NearPeriod(typed string) string {
	names := []string{"today", "yesterday"}
	for _, unit := range []string{"week", "month", "year"} {
		names = append(names, "this-"+unit, "last-"+unit)
	}
	return failure.Nearest(strings.ToLower(strings.Join(strings.Fields(typed), "-")), names)
}
