package jsonl

import (
	"math"
	"strconv"
	"time"
)

// timeLayouts are the layouts of times in transcripts. Go accepts a fraction of a second after each.
var timeLayouts = [...]string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"}

// secondsLimit separates seconds from milliseconds: as seconds it is the year 5138, as milliseconds March 1973.
const secondsLimit = 1e11

// ParseTime reads a time in any form that transcripts use: a string in ISO form, seconds (claw0) or milliseconds since
// the epoch.
func ParseTime(v Value) (time.Time, bool) {
	if !v.IsString() {
		return parseEpoch(string(v))
	}
	if t, ok := ParsePlainTime(v); ok {
		return t, true
	}
	text := v.String()
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// plainTime is the form that OpenClaw, pi and GoClaw write, with its quotes.
const plainTime = `"0000-00-00T00:00:00.000Z"`

// ParsePlainTime reads the form that OpenClaw, pi and GoClaw write, without allocating. It leaves every other form, and
// every unusual date, to ParseTime.
func ParsePlainTime(v Value) (t time.Time, ok bool) {
	if len(v) != len(plainTime) {
		return t, false
	}
	for i := range len(plainTime) {
		if plainTime[i] == '0' && !isDigit(v[i]) || plainTime[i] != '0' && plainTime[i] != v[i] {
			return t, false
		}
	}
	number := func(from, to int) (n int) {
		for _, c := range v[from:to] {
			n = n*10 + int(c-'0')
		}
		return n
	}
	year, month, day := number(1, 5), number(6, 8), number(9, 11)
	hour, minute, second, milli := number(12, 14), number(15, 17), number(18, 20), number(21, 24)
	if month < 1 || month > 12 || day < 1 || day > 28 || hour > 23 || minute > 59 || second > 59 {
		return t, false // the last days of a month are rare enough for time.Parse
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, milli*1e6, time.UTC), true
}

// maxMillis is the end of the year 9999, the last one that an ISO string can express.
const maxMillis = 253402300799999

func parseEpoch(number string) (time.Time, bool) {
	if ms, err := strconv.ParseInt(number, 10, 64); err == nil && ms >= secondsLimit {
		return time.UnixMilli(min(ms, maxMillis)).UTC(), ms <= maxMillis
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || n < 0 {
		return time.Time{}, false
	}
	if n < secondsLimit {
		n *= 1e3
	}
	// No dialect needs more than milliseconds, and a float of this size is not certain to hold more.
	return time.UnixMilli(int64(math.Round(min(n, maxMillis)))).UTC(), n <= maxMillis
}
