package jsontext

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

// ParsePlainTime reads the form that OpenClaw, pi and GoClaw write, without allocating. It leaves every other form to
// ParseTime.
func ParsePlainTime(v Value) (t time.Time, ok bool) {
	last := len(plainTime) - 1
	if len(v) != len(plainTime) || v[0] != '"' || v[last-5] != '.' || v[last-1] != 'Z' || v[last] != '"' {
		return t, false
	}
	if t.UnmarshalText(v[1:last]) != nil {
		return time.Time{}, false
	}
	return t, true
}

// maxMillis is the end of the year 9999, the last one that an ISO string can express.
const maxMillis = 253402300799999

func parseEpoch(number string) (time.Time, bool) {
	if number == "" || number[0] > '9' { // most of what is no time has no value, and an error would copy it
		return time.Time{}, false
	}
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
