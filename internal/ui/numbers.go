package ui

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Bytes formats a size: "1.2 GB".
func Bytes(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 999_950:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 999_950_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.2f GB", float64(n)/1e9)
}

// Thousands formats a number with separators: "3,204".
func Thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Short formats a large number in few characters: "1.2M".
func Short(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 999_950:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// Count formats a number with its noun: "1 file", "2 boxes", "3,204 messages".
func Count[T int | int64](n T, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Thousands(int64(n)) + " " + plural(noun)
}

func plural(noun string) string {
	switch {
	case strings.HasSuffix(noun, "x"):
		return noun + "es"
	case strings.HasSuffix(noun, "y") && !strings.ContainsAny(noun[len(noun)-2:], "aeo"):
		return strings.TrimSuffix(noun, "y") + "ies"
	}
	return noun + "s"
}

// Are is Count with the matching verb: "1 file is", "2 files are".
func Are[T int | int64](n T, noun string) string {
	if n == 1 {
		return Count(n, noun) + " is"
	}
	return Count(n, noun) + " are"
}

// Dollars formats an amount of money: "$1,234.50". An amount other than zero never looks like zero.
func Dollars(usd float64) string {
	sign := ""
	if usd < 0 {
		sign, usd = "-", -usd
	}
	if usd > 0 && usd < 0.005 {
		return sign + "<$0.01"
	}
	cents := int64(math.Round(usd * 100))
	return fmt.Sprintf("%s$%s.%02d", sign, Thousands(cents/100), cents%100)
}

// Percent formats a share: "31.4%".
func Percent(share float64) string {
	return strconv.FormatFloat(100*share, 'f', 1, 64) + "%"
}

// List joins words as a sentence does: "a, b and c".
func List(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Bar draws a share as a bar of at most width columns, with the signs that the terminal shows.
func (t Terminal) Bar(share float64, width int) string {
	share = max(0, min(1, share))
	if t.ASCII {
		return strings.Repeat("#", int(share*float64(width)+0.5))
	}
	eighths := int(share*float64(width)*8 + 0.5)
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune(" ▏▎▍▌▋▊▉")[rest])
	}
	return text
}

// Sparkline draws values in a width against a full scale, with the signs that the terminal shows; of several values in
// one place, the highest.
func (t Terminal) Sparkline(values []int64, width int, full int64) string {
	levels := []rune("▁▁▂▃▄▅▆▇█")
	if t.ASCII {
		levels = []rune("__.:-=+*#")
	}
	width = min(width, len(values))
	var b strings.Builder
	for i := range width {
		from, to := i*len(values)/width, (i+1)*len(values)/width
		level := int(float64(slices.Max(values[from:to]))/float64(max(1, full))*8 + 0.5)
		b.WriteRune(levels[max(0, min(8, level))])
	}
	return b.String()
}
