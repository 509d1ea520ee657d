// Package javascript reads values the way the JavaScript of OpenClaw and pi does: what counts as true, as a number, as
// white space, and as a date.
package javascript

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"clawctl/pkg/jsonl"
)

// IsTruthy reports whether JavaScript treats a value as true.
func IsTruthy(v jsonl.Value) bool {
	switch {
	case !v.Exists(), v.IsNull(), string(v) == "false", string(v) == `""`:
		return false
	case v.IsNumber():
		return v.Float() != 0
	}
	return true
}

// IsBoolean reports whether a value is true or false.
func IsBoolean(v jsonl.Value) bool { return v.IsTrue() || string(v) == "false" }

// number returns the number that JavaScript converts a string to.
func number(text string) float64 {
	text = Trim(text)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// VersionNumber returns the number that JavaScript uses when it compares a header's version.
func VersionNumber(v jsonl.Value) float64 {
	switch {
	case v.IsNumber():
		return v.Float()
	case v.IsString():
		return number(v.String())
	case !v.Exists() || v.IsNull():
		return 1
	case v.IsTrue():
		return 1
	case v.IsObject() || v.IsArray():
		return math.NaN()
	}
	return 0 // false
}

// Trim removes the white space at both ends of a text.
func Trim(text string) string { return strings.TrimFunc(text, isSpace) }

// IsBlank reports whether a text is empty after JavaScript's trim.
func IsBlank(text string) bool { return Trim(text) == "" }

func isSpace(r rune) bool { return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r) }

// isoTime matches the form of a date that JavaScript defines, and the looser ones that V8 also accepts: a space or a
// small t between date and time, a small z, an offset without a colon.
var isoTime = regexp.MustCompile(`^([+-]\d{6}|\d{4})(?:-(\d\d)(?:-(\d\d))?)?` +
	`(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?([Zz]| ?[+-]\d\d:?\d\d)?)?$`)

// maxDate is the largest time that a JavaScript Date can hold, in milliseconds.
const maxDate = 8.64e15

// ParseDate reads a date as OpenClaw does, with JavaScript's Date.parse. A time without an offset is read as UTC,
// although OpenClaw uses the zone of its machine. Of the many other forms that V8 accepts, ParseDate knows those of
// mail and HTTP.
func ParseDate(text string) (ms int64, ok bool) {
	m := isoTime.FindStringSubmatch(text)
	if m == nil {
		t, err := time.Parse(time.RFC1123, text)
		return t.UnixMilli(), err == nil
	}
	number := func(i, fallback int) int {
		if m[i] == "" {
			return fallback
		}
		n, _ := strconv.Atoi(m[i])
		return n
	}
	year, month, day := number(1, 0), number(2, 1), number(3, 1)
	hour, minute, second := number(4, 0), number(5, 0), number(6, 0)
	if m[1] == "-000000" || month < 1 || month > 12 || day < 1 || day > 31 || hour > 24 || minute > 59 || second > 59 {
		return 0, false
	}
	milli, _ := strconv.Atoi((m[7] + "000")[:3])
	if hour == 24 && (minute > 0 || second > 0 || milli > 0) {
		return 0, false
	}
	// A day beyond the end of the month becomes a day of the next month, in Go as in V8.
	ms = time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC).UnixMilli() + int64(milli)
	if zone := strings.TrimLeft(m[8], " "); len(zone) > 1 {
		digits := strings.ReplaceAll(zone[1:], ":", "")
		hours, _ := strconv.Atoi(digits[:2])
		minutes, _ := strconv.Atoi(digits[2:])
		offset := int64(hours*60+minutes) * 60_000
		if zone[0] == '+' {
			offset = -offset
		}
		ms += offset
	}
	return ms, ms >= -maxDate && ms <= maxDate
}
