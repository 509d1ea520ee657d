package models

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"
)

// makers are the providers that make models, with the beginnings of the models' plain names. Their own entry counts if
// the provider of a session is unknown.
const makers = `anthropic claude
openai gpt chatgpt codex o1 o3 o4
google gemini gemma
deepseek deepseek
moonshotai kimi
xai grok
zai glm
mistral mistral ministral magistral codestral devstral pixtral voxtral
minimax minimax
meta llama muse
xiaomi mimo
amazon-bedrock nova
ant-ling ling ring`

// makerOf returns the provider that makes a model, "" if it is unknown.
func makerOf(name string) string {
	for maker, beginnings := range eachWord(makers) {
		if slices.ContainsFunc(beginnings, func(start string) bool { return strings.HasPrefix(name, start) }) {
			return maker
		}
	}
	return ""
}

// eachWord returns the first word of each line of a text, with the others.
func eachWord(text string) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		for line := range strings.Lines(text) {
			if words := strings.Fields(line); !yield(words[0], words[1:]) {
				return
			}
		}
	}
}

// resellers are the providers to ask for a model whose maker does not offer it any more, the first one first.
var resellers = []string{"openrouter", "vercel-ai-gateway"}

// otherNames are the names of providers in the catalogue, with their other names.
const otherNames = `amazon-bedrock bedrock
anthropic anthropic-vertex claude-cli
azure azure-openai azure-openai-responses
github-copilot copilot
google gemini google-antigravity google-gemini-cli
google-vertex vertex vertex-ai
kimi-coding kimi kimi-code
mistral mistralai
moonshotai moonshot
openai-codex codex codex-cli
xai x-ai
zai z-ai z.ai`

var providerNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for name, others := range eachWord(otherNames) {
		for _, other := range others {
			names[other] = name
		}
	}
	return names
})

// providerName returns the name that the catalogue has for a provider.
func providerName(name string) string {
	name = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(name), "~"))
	return cmp.Or(providerNames()[name], name)
}

// formerNames maps names that models had to their present ones.
var formerNames = map[string]string{
	"kimi-code": "kimi-for-coding",
	"k2p5":      "kimi-for-coding",
}
