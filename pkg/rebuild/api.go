package rebuild

import (
	"bytes"
	"strings"

	"clawctl/pkg/jsonl"
)

// An API is the interface of a provider that a conversation is sent to. What is accepted differs between them, so what
// one of them refuses is no fault of a session that uses another.
type API uint8

// The APIs. AnyAPI stands for those whose rules are not known, so that nothing is wrong with ids and names there.
const (
	NoAPI API = iota
	AnthropicMessages
	OpenAIResponses
	OpenAICompletions
	GoogleGenerative
	AnyAPI
)

var apiNames = [...]string{
	"", "anthropic-messages", "openai-responses", "openai-completions", "google-generative-ai", "other",
}

// APIs lists the names of the APIs, as transcripts have them.
var APIs = apiNames[1:]

// String returns the name of an API.
func (a API) String() string { return apiNames[a] }

// APINamed returns the API with a name, or NoAPI.
func APINamed(name string) API {
	for i, known := range apiNames {
		if known == name {
			return API(i)
		}
	}
	return NoAPI
}

// apiOf returns the API of an answer. Programs have names of their own for some variants.
func apiOf(field jsonl.Value) API {
	switch {
	case !field.IsString() || len(field) == len(`""`):
		return NoAPI
	case string(field) == `"anthropic-messages"`:
		return AnthropicMessages
	case bytes.HasSuffix(field, []byte(`responses"`)): // also of Azure and of Codex
		return OpenAIResponses
	case bytes.HasSuffix(field, []byte(`completions"`)):
		return OpenAICompletions
	case bytes.HasPrefix(field, []byte(`"google-`)): // Gemini and Vertex
		return GoogleGenerative
	}
	return AnyAPI
}

// limits returns what an API accepts of what a program sends to it by itself. pi and OpenClaw split the ids of the
// Responses API at "|", and hand every other id to the API that made it, as it is.
func (a API) limits() Limits {
	switch a {
	case OpenAIResponses, OpenAICompletions:
		return Limits{Name: 128, AnyID: true}
	case GoogleGenerative, AnyAPI:
		return Limits{AnyID: true, AnyName: true}
	}
	return LimitsOf("anthropic")
}

// API returns the API that the next request goes to: that of the last answer, unless JudgeBy chose another one. A
// transcript that does not say is taken for one of Anthropic's if nothing speaks against it.
func (c *Context) API() API {
	if c.judge != NoAPI {
		return c.judge
	}
	for i := len(c.items) - 1; i >= 0; i-- {
		e := c.ix.at(c.items[i].entry)
		if e.kind != kindMessage || e.role != roleAssistant || e.isMirror() {
			continue
		}
		if e.api != NoAPI {
			return e.api
		}
		if !c.ix.isOfAnthropic(e) {
			return AnyAPI
		}
		break
	}
	return AnthropicMessages
}

// JudgeBy chooses the API whose rules are applied, whatever the session uses. NoAPI leaves that to the session.
func (c *Context) JudgeBy(api API) { c.judge = api }

// isOfAnthropic reports whether an answer may come from a model of Anthropic's.
func (ix *Index) isOfAnthropic(e *entry) bool {
	provider, model := ix.names.text(e.ref), strings.ToLower(ix.names.text(e.ref2))
	return provider == "" || strings.Contains(provider, "anthropic") || strings.Contains(model, "claude")
}
