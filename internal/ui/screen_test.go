package ui

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestNextKey(t *testing.T) {
	for _, test := range []struct {
		typed string
		isEnd bool
		want  Key
		n     int
	}{
		{"a", false, "a", 1},
		{"äb", false, "ä", 2},
		{"\xc3", false, KeyUnknown, 0},
		{"\xc3", true, KeyUnknown, 1},
		{"\xff", false, KeyUnknown, 1},
		{"日本", false, "日", 3},
		{"\r", false, KeyEnter, 1},
		{"\x7f", false, KeyBackspace, 1},
		{"\x03", false, KeyInterrupt, 1},
		{"\x00", false, KeyUnknown, 1},
		{"\x1b", false, KeyUnknown, 0},
		{"\x1b", true, KeyEscape, 1},
		{"\x1bx", false, KeyEscape, 1},
		{"\x1b[A", false, KeyUp, 3},
		{"\x1bOB", false, KeyDown, 3},
		{"\x1b[6~x", false, KeyPageDown, 4},
		{"\x1b[", false, KeyUnknown, 0},
		{"\x1b[1;5", true, KeyUnknown, 5},
		{"\x1b[1;5C", false, KeyUnknown, 6},
		{"", true, KeyUnknown, 0},
	} {
		if key, n := NextKey([]byte(test.typed), test.isEnd); key != test.want || n != test.n {
			t.Errorf("%q, %v: %q, %d, want %q, %d", test.typed, test.isEnd, key, n, test.want, test.n)
		}
	}
}

// A line has the width that was asked for, whatever is in it, and ends without a style.
func TestFitPainted(t *testing.T) {
	pieces := []string{"a", "word ", "日本", "👩‍👩‍👧", "é", string(Bold), string(Match), string(reset), "x", "·"}
	random := rand.New(rand.NewPCG(1, 1))
	for range 5000 {
		var b strings.Builder
		for range random.IntN(12) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		line, width := b.String(), random.IntN(20)
		fitted := FitPainted(line, width)
		if got := Width(Unpainted(fitted)); got != width {
			t.Fatalf("%q in %d columns: %q has %d", line, width, fitted, got)
		}
		rest := strings.TrimRight(fitted, " ")
		last := strings.LastIndex(rest, "\x1b")
		if last >= 0 && !strings.HasPrefix(rest[last:], string(reset)) {
			t.Fatalf("%q ends with a style: %q", line, fitted)
		}
	}
}
