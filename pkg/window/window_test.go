package window

import "testing"

func TestOfModel(t *testing.T) {
	for model, want := range map[string]int64{
		"claude-opus-4-6":                        200_000,
		"openrouter/anthropic/claude-sonnet-4-5": 200_000, "GPT-4o-mini": 128_000, "nobody": 0,
	} {
		if got, known := OfModel(model); got != want || known != (want > 0) {
			t.Errorf("OfModel(%s) = %d, %v, want %d", model, got, known, want)
		}
	}
}

func TestFillString(t *testing.T) {
	for _, test := range []struct {
		tokens, window int64
		want           string
	}{
		{156_000, 200_000, "[Context: 156k/200k tokens (78%)]"},
		{0, 200_000, "[Context: 0/200k tokens (0%)]"},
		{999, 1000, "[Context: 999/1k tokens (100%)]"},
		{5, 0, "[Context: 5/0 tokens (500%)]"},
	} {
		if got := (Fill{Window: test.window, Counted: test.tokens}).String(); got != test.want {
			t.Errorf("%s, not %s", got, test.want)
		}
	}
}
