package stats

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"clawctl/internal/longtest"
)

// rememberFew makes sessions forget records soon.
func rememberFew(t *testing.T, n int) {
	before := recentCount
	recentCount = n
	t.Cleanup(func() { recentCount = before })
}

// paidAnswer returns an answer that costs a cent.
func paidAnswer(second int, text string) string {
	const form = `{"type":"message","id":"%d","timestamp":"2026-05-01T10:%02d:%02d.000Z","message":{"role":"assistant",` +
		`"content":[{"type":"text","text":%q}],"usage":{"input":1,"output":1,"totalTokens":2,"cost":{"total":0.01}}}}`
	return fmt.Sprintf(form, second, second/60, second%60, text)
}

// Lines that a session repeats count once, however far apart they are, and whether or not it can be read again.
func TestRepeatedLinesCountOnce(t *testing.T) {
	rememberFew(t, 8)
	long := strings.Repeat("long ", 100)
	var lines []string
	for i := range 100 {
		lines = append(lines, paidAnswer(i, fmt.Sprint("answer ", long[:i%2*500], i)))
	}
	lines = append(lines, lines...)
	for _, isStream := range []bool{false, true} {
		s := transcript(t, t.TempDir(), "s.jsonl", append([]string{header("s", "")}, lines...)...)
		if isStream {
			s.Bytes = 0
		}
		r := collect(t, Options{}, s)
		if cost := *roundDollars(r.Total.Recorded.Cost); r.Total.Records != 101 || r.Coverage.Copies != 100 || cost != 1 {
			t.Errorf("stream %v: %d records, %d copies, $%v", isStream, r.Total.Records, r.Coverage.Copies, cost)
		}
	}
}

// Records of the same moment that differ only in the middle of a long text are different.
func TestLongTextsAreComparedAsAWhole(t *testing.T) {
	side := strings.Repeat("x", 1000)
	a, b := paidAnswer(1, side+"a"+side), paidAnswer(1, side+"b"+side)
	r := collect(t, Options{}, transcript(t, t.TempDir(), "s.jsonl", header("s", ""), a, b, b, a))
	if r.Total.Records != 3 || r.Coverage.Copies != 2 {
		t.Errorf("%d records, %d copies", r.Total.Records, r.Coverage.Copies)
	}
}

// Whatever the order of the times, the same records are copies as if all of them were remembered.
func TestCopiesOfRandomSessions(t *testing.T) {
	rememberFew(t, 4)
	random := rand.New(rand.NewPCG(1, 2))
	for round := range longtest.Rounds(t, "CLAWCTL_COPIES", 200, 5000) {
		lines, distinct, copies := []string{header("s", "")}, map[string]bool{}, int64(0)
		reach := 1 + random.IntN(40)
		since := Options{}
		if round%3 == 0 {
			since.Since = mustParse("2026-05-01T10:00:30Z")
		}
		for i := range 100 {
			at := max(0, i-random.IntN(reach))
			line := paidAnswer(at, fmt.Sprint(strings.Repeat("x", random.IntN(2)*400), random.IntN(2)))
			if lines = append(lines, line); at < 30 && round%3 == 0 {
				continue
			}
			if distinct[line] {
				copies++
			}
			distinct[line] = true
		}
		r := collect(t, since, transcript(t, t.TempDir(), "s.jsonl", lines...))
		if r.Total.Answers != int64(len(distinct)) || r.Coverage.Copies != copies {
			t.Fatalf("round %d: %d answers and %d copies, want %d and %d", round, r.Total.Answers, r.Coverage.Copies,
				len(distinct), copies)
		}
	}
}
