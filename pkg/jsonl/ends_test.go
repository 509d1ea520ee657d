package jsonl

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// The starts, ends and numbers of lines are those that a search in the whole text finds.
func TestEnds(t *testing.T) {
	piece, first := searchPiece, FirstEnd
	searchPiece, FirstEnd = 5, 3
	defer func() { searchPiece, FirstEnd = piece, first }()
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		text := randomLines(random)
		size := int64(len(text))
		from := random.Int64N(size + 1)
		start, _ := lineStart(strings.NewReader(text), from, size)
		if want := startOf(text, int(from)); start != want {
			t.Fatalf("%q from %d: a line starts at %d, want %d", text, from, start, want)
		}
		end, _ := LineEnd(strings.NewReader(text), 0, from)
		if want := strings.LastIndexByte(text[:from], '\n') + 1; end != int64(want) {
			t.Fatalf("%q up to %d: a line ends at %d, want %d", text, from, end, want)
		}
		lines, err := CountLines(strings.NewReader(text), from)
		if want := strings.Count(text[:from], "\n"); err != nil || lines != int64(want) {
			t.Fatalf("%q up to %d: %d lines, want %d: %v", text, from, lines, want, err)
		}
		last := size + 1
		for start, err := range Ends(strings.NewReader(text), size) {
			if err != nil || start > last || start == size && size > 0 || start != startOf(text, int(start)) {
				t.Fatalf("%q: an end starts at %d after %d: %v", text, start, last, err)
			}
			last = start
		}
		if last != 0 {
			t.Fatalf("%q: the last end starts at %d", text, last)
		}
	}
}

// startOf returns where the first line begins at or after an offset.
func startOf(text string, from int) int64 {
	for at := from; at < len(text); at++ {
		if at == 0 || text[at-1] == '\n' {
			return int64(at)
		}
	}
	if from == 0 {
		return 0
	}
	return int64(len(text))
}

func randomLines(random *rand.Rand) string {
	var b strings.Builder
	for range random.IntN(40) {
		b.WriteString([]string{"a", "bc", "\n"}[random.IntN(3)])
	}
	return b.String()
}

func TestLastNewline(t *testing.T) {
	for _, n := range []int{0, 1, 4095, 4096, 4097, 10_000} {
		before, after := strings.Repeat("x", n), strings.Repeat("y", n)
		for text, want := range map[string]int{
			before: -1, before + "\n": n, before + "\n" + after: n, "\n" + before + "\n" + after: n + 1,
		} {
			if got := LastNewline([]byte(text)); got != want {
				t.Errorf("%d bytes: got %d instead of %d", len(text), got, want)
			}
		}
	}
}
