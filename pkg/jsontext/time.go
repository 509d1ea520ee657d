package jsontext

import (
	"encoding/binary"
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
	if len(v) != len(plainTime) || v[len(v)-1] != '"' {
		return t, false
	}
	var d [3]uint64 // eight characters each, as distances from plainTime
	for i := range d {
		d[i] = binary.LittleEndian.Uint64(v[1+8*i:]) ^ plainWords[i]
		if (d[i]&lows+plainLimits[i]|d[i])&highs != 0 {
			return t, false
		}
	}
	number := func(word, at int) int { return int(byte(d[word]>>(8*at)))*10 + int(byte(d[word]>>(8*at+8))) }
	year, month, day := number(0, 0)*100+number(0, 2), number(0, 5), number(1, 0)
	hour, minute, second := number(1, 3), number(1, 6), number(2, 1)
	milli := number(2, 4)*10 + int(byte(d[2]>>48))
	if v[0] != '"' || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) ||
		hour > 23 || minute > 59 || second > 59 {
		return t, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, milli*1e6, time.UTC), true
}

// plainWords are the characters of plainTime, eight at a time. plainLimits added to the distance from them sets the
// highest bit if a digit is more than 9, and elsewhere if it is more than 0.
var plainWords, plainLimits = func() (words, limits [3]uint64) {
	for i, c := range []byte(plainTime[1 : len(plainTime)-1]) {
		limit := uint64(0x7f)
		if c == '0' {
			limit = 0x76
		}
		words[i/8] |= uint64(c) << (i % 8 * 8)
		limits[i/8] |= limit << (i % 8 * 8)
	}
	return words, limits
}()

// daysIn returns the number of days of a month.
func daysIn(year, month int) int {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	}
	return 30 + (month+month/8)%2
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
