package window

import "strings"

// models are the context windows of models, by the beginnings of their names, longer ones first.
var models = []struct {
	prefix string
	tokens int64
}{
	{"claude-", 200_000},
	{"gpt-4o", 128_000},
	{"gpt-4.1", 1_047_576},
	{"gpt-4", 128_000},
	{"gpt-5", 400_000},
	{"o1", 200_000},
	{"o3", 200_000},
	{"o4", 200_000},
	{"gemini-", 1_048_576},
	{"kimi-", 262_144},
	{"deepseek-", 128_000},
}

// OfModel returns the context window of a model. Its name may follow those of providers, as in
// openrouter/anthropic/claude-opus-4-6.
func OfModel(model string) (tokens int64, known bool) {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, m := range models {
		if strings.HasPrefix(name, m.prefix) {
			return m.tokens, true
		}
	}
	return 0, false
}
