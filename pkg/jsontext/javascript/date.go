package javascript

import (
	"strconv"
	"strings"
	"time"

	"clawctl/internal/regex"
)

// ParseDate reads a date as JavaScript's Date.parse does in V8, the engine of OpenClaw and pi. It returns milliseconds
// since 1970. A time without an offset is read as UTC, although OpenClaw uses the zone of its machine.
//
// The forms are those that programs write: that of the standard, such as 2026-05-01T10:00:00.000Z, the same with a
// space in place of the T, and those with words in wordForms. V8 also reads words and numbers in almost any other
// order, which nobody writes into transcripts. Those are no dates here.
func ParseDate(text string) (ms int64, ok bool) {
	m := isoForm().FindStringSubmatch(text)
	if m == nil {
		return parseWords(text)
	}
	number := func(group, missing int) int {
		if m[group] == "" {
			return missing
		}
		n, _ := strconv.Atoi(m[group])
		return n
	}
	year, month, day := number(1, 0), number(2, 1), number(3, 1)
	hour, minute, second := number(5, 0), number(6, 0), number(7, 0)
	offsetHour, offsetMinute := number(10, 0), number(11, 0)
	isMidnight := hour == 24 && minute == 0 && second == 0 && strings.Trim(m[8], "0") == ""
	switch {
	case m[1] == "-000000", m[4] == " " && (year < 100 || len(m[1]) > 4): // years that V8 reads in another way
		return 0, false
	case month < 1 || month > 12 || day < 1 || day > 31, hour > 23 && !isMidnight, minute > 59 || second > 59,
		offsetHour > 23 || offsetMinute > 59:
		return 0, false
	}
	offset := time.Duration(offsetHour)*time.Hour + time.Duration(offsetMinute)*time.Minute
	if m[9] == "-" {
		offset = -offset
	}
	// A day beyond the end of the month becomes a day of the next month, in Go as in V8.
	at := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	ms = at.UnixMilli() + milliseconds(m[8]) - offset.Milliseconds()
	return ms, ms >= -maxDate && ms <= maxDate
}

// maxDate is the largest time that a Date can hold, in milliseconds.
const maxDate = 8.64e15

// isoForm has the groups year, month, day, separator, hour, minute, second, fraction, and sign, hour and minute of the
// offset.
var isoForm = regex.Lazy(`^(\d{4}|[+-]\d{6})(?:-(\d\d)(?:-(\d\d))?)?` +
	`(?:([Tt ])(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:[Zz]|([+-])(\d\d):?(\d\d))?)?$`)

// wordForms are those of toUTCString, toString, mail and the command date, and short ones.
var wordForms = [...]string{
	"Mon, 02 Jan 2006 15:04:05 GMT", "Mon Jan 02 2006 15:04:05 GMT-0700", "Mon, 02 Jan 2006 15:04:05 -0700",
	"Mon Jan _2 15:04:05 UTC 2006", "Mon Jan _2 03:04:05 PM UTC 2006", "Jan 2 2006 15:04 GMT-0700", "2006/01/02",
}

// parseWords reads the other forms, without a comment such as the (CEST) of toString.
func parseWords(text string) (ms int64, ok bool) {
	before, comment, _ := strings.Cut(text, " (")
	if comment != "" && strings.IndexAny(comment, "()") == len(comment)-1 {
		text = before
	}
	for _, form := range wordForms {
		at, err := time.Parse(form, text)
		if err == nil && at.Year() >= 100 && at.Format(form) == text { // Go takes more than the form
			return at.UnixMilli(), true
		}
	}
	return 0, false
}

// milliseconds reads the fraction of a second. Like V8, it reads nine digits that follow zeros, and goes wrong if zeros
// precede more than nine digits.
func milliseconds(fraction string) int64 {
	const significant = 9
	digits := strings.TrimLeft(fraction, "0")
	n, _ := strconv.ParseInt(digits[:min(len(digits), significant)], 10, 64)
	for length := len(fraction); length < 3; length++ {
		n *= 10
	}
	for length := min(len(fraction), significant); length > 3; length-- {
		n /= 10
	}
	return n
}
