package javascript

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// randomDate returns a text that is a date, is nearly one, or consists of the parts of dates in any order.
func randomDate(r *rand.Rand) string {
	text := ""
	switch r.IntN(4) {
	case 0:
		text = randomISO(r)
	case 1:
		text = randomLegacy(r)
	case 2:
		for range 1 + r.IntN(8) {
			text += pick(r, dateFragments) + pick(r, dateGaps)
		}
	default:
		text = mutate(r, randomISO(r)+pick(r, dateGaps)+pick(r, dateFragments))
	}
	if r.IntN(8) == 0 {
		text = mutate(r, text)
	}
	return text
}

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

var dateGaps = []string{"", "", " ", " ", "-", "/", ":", ".", ", ", "\t", "\u00a0", "\ufeff", "+", "(x)", "\n"}

var dateFragments = []string{
	"2026", "26", "1", "5", "05", "12", "31", "32", "13", "0", "00", "24", "49", "50", "99", "100", "999",
	"1970", "275760",
	"002026", "1000000", "999999999", "1234567890", "000000000123456789012", "4294967296", "59", "60", "10:00",
	"10:00:00",
	"10:00:00.5", "24:00", "24:00:00.000", "24:00:01", "25:00", "1:2:3.4567", "10::5", "10:", "12:30 PM", "0:30am",
	"13:00 PM", "Jan", "January", "Sept", "mayhem", "JUNE", "jul", "Dezember", "Fri", "Mon,", "GMT", "UTC", "UT",
	"Z", "z", "T",
	"t", "EST", "PDT", "cst", "CEST", "GMTX", "am", "PM", "AM", "noon", "GMT+2", "GMT+0200", "GMT-02:30",
	"+02:00", "-0800",
	"+24:00", "+2400", "+1", "+123", "+12345", "-", "+", "+:30", "-99:99", "+596523:14", "(comment)",
	"(a (b) c)", "(open", ")",
	"\x00", "é", "\U0001f600", "\u0130", "\u212a", "[", "_", "@", "#", "~", "2026-05-01", "5/1/2026", "1.5.2026",
	"1-May-2026",
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

func randomLegacy(r *rand.Rand) string {
	month := pick(r, []string{"Jan", "Feb", "March", "apr", "MAY", "June", "July", "Aug", "September", "Oct",
		"Nov", "Dec", "Xyz"})
	day, year := fmt.Sprint(r.IntN(34)), pick(r, []string{"2026", "26", "1999", "99", "50", "49", "12026", "0",
		fmt.Sprint(r.IntN(300000))})
	dates := []string{month + " " + day + " " + year, day + " " + month + " " + year, day + "-" + month + "-" + year,
		year + " " + month + " " + day, month + " " + day, month + " " + year,
		fmt.Sprint(r.IntN(14), "/", day, "/", year), year + "/" + fmt.Sprint(r.IntN(14)) + "/" + day, year + "-" + day,
		month + " " + day + ", " + year, day + "." + fmt.Sprint(r.IntN(14)) + "." + year}
	clock := fmt.Sprintf("%d:%02d", r.IntN(26), r.IntN(61))
	if r.IntN(2) == 0 {
		clock += fmt.Sprintf(":%02d", r.IntN(61))
	}
	clock += pick(r, []string{"", "", "", " AM", " PM", "pm", ".5", ".1234567", " p.m.", "."})
	zone := pick(r, []string{"", "", " GMT", " Z", "Z", " UTC", " EST", " PDT", " CEST",
		" GMT+0200 (Central European Time)", " +0200",
		" GMT+2", "+02:30", " -5", " UTC-0530", " +02", " GMT+123", " +12345", " (x)", " (a (b) c", " )",
		" GMT +02:00", " UTC+5:5"})
	parts := []string{pick(r, []string{"", "", "Fri ", "Fri, ", "on ", "Friday1 ", "(x) "}), pick(r, dates),
		pick(r, []string{" ", " ", ", ", "T", " at ", "  "}),
		clock + zone}
	if r.IntN(6) == 0 {
		parts = []string{clock + zone, " ", pick(r, dates)}
	}
	return strings.Join(parts[:1+r.IntN(len(parts))], "")
}

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
