package javascript

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// randomDate returns a text that is a date or is nearly one.
func randomDate(r *rand.Rand) string {
	text := randomISO(r)
	if r.IntN(4) == 0 {
		text = randomWords(r)
	}
	if r.IntN(4) == 0 {
		text = mutate(r, text)
	}
	return text
}

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

// dateFragments are parts of dates, and of texts that look like them.
var dateFragments = []string{
	"2026", "26", "1", "05", "12", "31", "32", "13", "0", "00", "24", "60", "999999999", "000000000123456789012",
	"10:00", "24:00:00.000", "Jan", "Fri", "GMT", "UTC", "Z", "z", "T", "t", "+02:00", "-0800", "-", "+", ":", ".",
	",", " ", "/", "\t", "\u00a0", "\ufeff", "\n", "\x00", "(x)", "é", "\U0001f600", "\u2212",
}

func randomISO(r *rand.Rand) string {
	number := func(digits, most int) string {
		if r.IntN(12) == 0 {
			most = most*2 + 9
		}
		return fmt.Sprintf("%0*d", digits, r.IntN(most+1))
	}
	text := pick(r, []string{number(4, 9999), number(4, 2030), "2026", "2026", "+" + number(6, 275760),
		"-" + number(6, 271821),
		"-000000", "+275760", "-271821", number(6, 2026)})
	for range r.IntN(3) {
		text += "-" + number(2, 31)
	}
	if r.IntN(3) == 0 {
		text = "2026-" + number(2, 12) + "-" + number(2, 31)
	}
	if r.IntN(5) == 0 {
		return text
	}
	text += pick(r, []string{"T", "T", "T", "T", "t", " ", "TT", "T "}) + number(2, 24) + ":" + number(2, 59)
	if r.IntN(4) > 0 {
		text += ":" + number(2, 59)
		if r.IntN(2) == 0 {
			text += "." + number(1+r.IntN(12), 999999999)
		}
	}
	sign := pick(r, []string{"+", "-", " +", " -", "\u2212"})
	return text + pick(r, []string{"", "", "Z", "Z", "z", " Z", "ZZ", sign + number(2, 23) + ":" + number(2, 59),
		sign + number(2, 25) + ":" + number(2, 61), sign + number(2, 23) + number(2, 59), sign + number(2, 23),
		sign + number(1, 9), sign})
}

// randomWords returns a text in one of the forms of words, or nearly so.
func randomWords(r *rand.Rand) string {
	at := time.Date(pickYear(r), time.Month(1+r.IntN(12)), r.IntN(33), r.IntN(25), r.IntN(61), r.IntN(61), 0, time.UTC)
	text := at.Format(pick(r, wordForms[:])) + pick(r, []string{"", "", " (CEST)", " (a (b) c)", "(x)", " ()", " (x"})
	zone := pick(r, []string{"+0000", "+0000", "+0200", "-0430", "+2400", "+0075", "+02"})
	return strings.Replace(text, "+0000", zone, 1)
}

// pickYear returns a year, often one of transcripts.
func pickYear(r *rand.Rand) int { return [...]int{2026, 2026, 1969, r.IntN(10000)}[r.IntN(4)] }

// mutate removes, doubles or replaces a character.
func mutate(r *rand.Rand, text string) string {
	runes := []rune(text)
	if len(runes) == 0 {
		return text
	}
	at := r.IntN(len(runes))
	switch r.IntN(3) {
	case 0:
		return string(runes[:at]) + string(runes[at+1:])
	case 1:
		return string(runes[:at+1]) + string(runes[at:])
	}
	return string(runes[:at]) + pick(r, dateFragments) + string(runes[at+1:])
}
