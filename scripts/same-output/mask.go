package main

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// started is when the comparison began. What is later was made by it.
var started = time.Now()

// made are the forms of what a run makes anew: times, durations and ids.
var made = regexp.MustCompile(strings.Join([]string{date, duration, receipt, number, id}, "|"))

const (
	date     = `\d{4}-?\d\d-?\d\d[T ]\d\d[-:]?\d\d[-:]?\d\d(?:[-.]\d+)?Z?`
	duration = `\b\d+(?:\.\d+)? ?(?:ms|s|µs|[kMG]B/s)\b`
	receipt  = `\b\d{8}-\d{6}-[a-z0-9]{6}\b`
	number   = `-?\b\d{10,20}(?:_[0-9a-f]{4})?\b` // a time, the id of a checkpoint, or a seal
	id       = `\b[0-9a-f]{8}(?:[0-9a-f]{4}|[0-9a-f]{8}|[0-9a-f]{24}|[0-9a-f]{56}|(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?\b`
)

// isDrawn matches ids, and the seals of rows.
var isDrawn = regexp.MustCompile(`^(?:` + id + `|-?\d{15,20})$`)

// masked replaces what two runs of one program cannot have in common: the times and durations of the run, and ids and
// digests that the other run does not have. Other numbers and ids stay.
func masked(text, other string) string {
	others := map[string]bool{}
	for _, id := range made.FindAllString(other, -1) {
		others[id] = true
	}
	return made.ReplaceAllStringFunc(text, func(found string) string {
		switch {
		case isNow(found):
			return "TIME"
		case strings.HasSuffix(found, "s"):
			return "DURATION"
		case isDrawn.MatchString(found) && !others[found]:
			return "ID"
		}
		return found
	})
}

// isNow reports whether a text is a time of this run, as a date or a number.
func isNow(text string) bool {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
	at, err := time.Parse("20060102150405", digits[:min(len(digits), 14)])
	if err == nil && strings.LastIndexAny(text, "-T ") > 0 {
		return !at.Before(started.Add(-2 * time.Second))
	}
	text, _, _ = strings.Cut(text, "_") // which a drawn number follows
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return false
	}
	if len(text) == len("1777629601000") {
		n /= 1000
	}
	return n >= started.Unix()-2 && n <= time.Now().Unix()+1
}
