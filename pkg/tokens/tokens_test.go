package tokens

import "testing"

func TestHeuristic(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "日本語": 1, "👩\u200d👩\u200d👧": 2} {
		if got := (Heuristic{}).Count(text); got != want {
			t.Errorf("Count(%q) = %d, want %d", text, got, want)
		}
	}
}
