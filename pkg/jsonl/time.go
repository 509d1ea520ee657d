package jsonl

import (
	"math"
	"strconv"
	"time"
)

// Layouts of the times that transcripts write as strings; Go accepts a fraction of a second behind each.
var timeLayouts = [...]string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"}

// secondsLimit parts seconds from milliseconds: as seconds it is the year 5138, as milliseconds March 1973.
const secondsLimit = 1e11

// ParseTime reads a time in the forms that transcripts have: a string in ISO form, seconds (claw0) or milliseconds since
// the epoch.
func ParseTime(v Value) (time.Time, bool) {
	if !v.IsString() {
		return parseEpoch(string(v))
	}
	text := v.String()
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// maxMillis is the end of the year 9999, the last that an ISO string can name.
const maxMillis = 253402300799999

func parseEpoch(number string) (time.Time, bool) {
	if ms, err := strconv.ParseInt(number, 10, 64); err == nil && ms >= secondsLimit {
		return time.UnixMilli(ms).UTC(), ms <= maxMillis
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || n < 0 {
		return time.Time{}, false
	}
	if n < secondsLimit {
		n *= 1e3
	}
	// Milliseconds are all that any dialect needs, and all that a float of this size holds for certain.
	return time.UnixMilli(int64(math.Round(min(n, maxMillis)))).UTC(), n <= maxMillis
}
