package models

import (
	"strings"
)

// makers are the providers that make models, by the beginnings of the models' plain names. Their own entry counts if
// the provider of a session is unknown.
var makers = []struct{ prefix, provider string }{
	{"claude", "anthropic"},
	{"gpt", "openai"}, {"chatgpt", "openai"}, {"codex", "openai"}, {"o1", "openai"}, {"o3", "openai"}, {"o4", "openai"},
	{"gemini", "google"}, {"gemma", "google"},
	{"deepseek", "deepseek"},
	{"kimi", "moonshotai"},
	{"grok", "xai"},
	{"glm", "zai"},
	{"mistral", "mistral"}, {"ministral", "mistral"}, {"magistral", "mistral"}, {"codestral", "mistral"},
	{"devstral", "mistral"}, {"pixtral", "mistral"}, {"voxtral", "mistral"},
	{"minimax", "minimax"},
	{"llama", "meta"}, {"muse", "meta"},
	{"mimo", "xiaomi"},
	{"nova", "amazon-bedrock"},
	{"ling", "ant-ling"}, {"ring", "ant-ling"},
}

// makerOf returns the provider that makes a model, "" if it is unknown.
func makerOf(name string) string {
	for _, m := range makers {
		if strings.HasPrefix(name, m.prefix) {
			return m.provider
		}
	}
	return ""
}

// resellers are the providers to ask for a model whose maker does not offer it any more, the first one first.
var resellers = []string{"openrouter", "vercel-ai-gateway"}

// providerNames maps other names of providers to those of the catalogue.
var providerNames = map[string]string{
	"anthropic-vertex":       "anthropic",
	"azure-openai":           "azure",
	"azure-openai-responses": "azure",
	"bedrock":                "amazon-bedrock",
	"claude-cli":             "anthropic",
	"codex":                  "openai-codex",
	"codex-cli":              "openai-codex",
	"copilot":                "github-copilot",
	"gemini":                 "google",
	"google-antigravity":     "google",
	"google-gemini-cli":      "google",
	"kimi":                   "kimi-coding",
	"kimi-code":              "kimi-coding",
	"mistralai":              "mistral",
	"moonshot":               "moonshotai",
	"vertex":                 "google-vertex",
	"vertex-ai":              "google-vertex",
	"x-ai":                   "xai",
	"z-ai":                   "zai",
	"z.ai":                   "zai",
}

// providerName returns the name that the catalogue has for a provider.
func providerName(name string) string {
	name = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(name), "~"))
	if known, ok := providerNames[name]; ok {
		return known
	}
	return name
}

// formerNames maps names that models had to their present ones.
var formerNames = map[string]string{
	"kimi-code": "kimi-for-coding",
	"k2p5":      "kimi-for-coding",
}
