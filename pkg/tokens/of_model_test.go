package tokens

import "testing"

func TestEncodingOf(t *testing.T) {
	for model, want := range map[string]string{
		"gpt-5.5": "o200k_base", "openai/gpt-4o-mini": "o200k_base", "openai-codex/gpt-5.3-codex": "o200k_base",
		"o3-mini": "o200k_base", "gpt-4-turbo": "cl100k_base", "gpt-3.5-turbo": "cl100k_base",
		"anthropic/claude-opus-5-5": "cl100k_base", "": "cl100k_base",
	} {
		if got := EncodingOf(model); got != want {
			t.Errorf("%s: got %s, want %s", model, got, want)
		}
	}
}
