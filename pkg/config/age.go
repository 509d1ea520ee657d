package config

import (
	"strconv"
	"time"
)

// An Age is how long ago something was.
type Age time.Duration

// ageUnits are the units of an age, the largest first.
var ageUnits = []struct {
	letter byte
	length time.Duration
}{{'w', 7 * 24 * time.Hour}, {'d', 24 * time.Hour}, {'h', time.Hour}, {'m', time.Minute}}

// maxAge is an age that every time still has before it.
const maxAge = 200 * 365 * 24 * time.Hour

// ParseAge reads an age such as 90d: a number of minutes, hours, days or weeks.
func ParseAge(text string) (age Age, ok bool) {
	for _, unit := range ageUnits {
		if text != "" && text[len(text)-1] == unit.letter {
			n, err := strconv.Atoi(text[:len(text)-1])
			return Age(n) * Age(unit.length), err == nil && n >= 0 && n <= int(maxAge/unit.length)
		}
	}
	return 0, false
}

// String returns an age in the form that ParseAge reads. An age of 0 is no text. Weeks are given in days.
func (a Age) String() string {
	if a == 0 {
		return ""
	}
	for _, unit := range ageUnits[1:] {
		if n := time.Duration(a) / unit.length; n*unit.length == time.Duration(a) {
			return strconv.FormatInt(int64(n), 10) + string(unit.letter)
		}
	}
	return time.Duration(a).String()
}
