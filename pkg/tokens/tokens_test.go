package tokens

import "testing"

func TestHeuristic(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "日本語": 1, "👩\u200d👩\u200d👧": 2} {
		if got := (Heuristic{}).Count(text); got != want {
			t.Errorf("Count(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestWindow(t *testing.T) {
	for model, want := range map[string]int{"claude-opus-4-6": 200_000, "openrouter/anthropic/claude-sonnet-4-5": 200_000, "GPT-4o-mini": 128_000, "nobody": 0} {
		if got, known := Window(model); got != want || known != (want > 0) {
			t.Errorf("Window(%s) = %d, %v, want %d", model, got, known, want)
		}
	}
}
