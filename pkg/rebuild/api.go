package rebuild

import (
	"bytes"
	"strings"

	"clawctl/internal/failure"
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

// apis has what is known of each API: its name, as transcripts have it, and how people write it after "the".
//
// limits is what it accepts of what pi and OpenClaw send to it. They split the ids of the Responses API at "|", send no
// ids to Google, and hand every other id to the model that made it, as it is.
//
// tolerated is what it accepts although Anthropic's does not. Thinking without a signature is left out or sent as it
// is, and nobody else checks how a text ends. Google, too, expects the user to begin and to say something. Calls
// without results and results without calls are accepted nowhere.
var apis = [...]struct {
	name, title string
	limits      Limits
	tolerated   []failure.Code
}{
	NoAPI:             {"", "API", LimitsOf(FormAnthropic), nil},
	AnthropicMessages: {"anthropic-messages", "Anthropic Messages API", LimitsOf(FormAnthropic), nil},
	OpenAIResponses: {
		"openai-responses", "OpenAI Responses API",
		Limits{api: OpenAIResponses, ID: longestID, Name: 128, AnyID: true, PairedID: true, AnyImageSize: true},
		[]failure.Code{BadSignature, OtherThought, OpenEnd, NotUserFirst, NoContent},
	},
	OpenAICompletions: {
		"openai-completions", "OpenAI Completions API",
		Limits{api: OpenAICompletions, Name: 128, AnyID: true, AnyImageSize: true},
		[]failure.Code{BadSignature, OtherThought, OpenEnd, NotUserFirst, NoContent},
	},
	GoogleGenerative: {
		"google-generative-ai", "Google Generative AI API",
		Limits{api: GoogleGenerative, AnyID: true, AnyName: true, AnyImageSize: true},
		[]failure.Code{BadSignature, OtherThought, OpenEnd},
	},
	AnyAPI: {
		"other", "provider's API",
		Limits{api: AnyAPI, AnyID: true, AnyName: true, AnyImageSize: true},
		[]failure.Code{BadSignature, OtherThought, OpenEnd, NotUserFirst, NoContent},
	},
}

// APIs lists the names of the APIs, as transcripts have them.
func APIs() (names []string) {
	for _, a := range apis[1:] {
		names = append(names, a.name)
	}
	return names
}

// String returns the name of an API, as transcripts have it.
func (a API) String() string { return apis[a].name }

// Title returns the name of an API, as people write it after "the".
func (a API) Title() string { return apis[a].title }

// APINamed returns the API with a name, or NoAPI.
func APINamed(name string) API {
	for i, known := range apis {
		if known.name == name {
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

// API returns the API that the next request goes to: that of the last answer, unless JudgeBy chose another one. A
// transcript that does not say is taken for one of Anthropic's if nothing speaks against it.
func (c *Context) API() API {
	last := c.lastAnswer()
	switch {
	case c.judge != NoAPI:
		return c.judge
	case last == nil:
		return AnthropicMessages
	case last.api != NoAPI:
		return last.api
	case !c.ix.isOfAnthropic(last):
		return AnyAPI
	}
	return AnthropicMessages
}

// lastAnswer returns the last answer of a model, nil if there is none.
func (c *Context) lastAnswer() *entry {
	for i := len(c.items) - 1; i >= 0; i-- {
		if e := c.ix.at(c.items[i].entry); e.is(roleAssistant) && !e.isMirror() {
			return e
		}
	}
	return nil
}

// JudgeBy chooses the API whose rules are applied, whatever the session uses. NoAPI leaves that to the session.
func (c *Context) JudgeBy(api API) { c.judge = api }

// isOfAnthropic reports whether an answer may come from a model of Anthropic's.
func (ix *Index) isOfAnthropic(e *entry) bool {
	provider, model := ix.names.text(e.ref), strings.ToLower(ix.names.text(e.ref2))
	return provider == "" || strings.Contains(provider, "anthropic") || strings.Contains(model, "claude")
}

// isOfSameModel reports whether two answers come from the same model over the same API. pi and OpenClaw give the calls
// of every other model ids that the API accepts, whenever they send them.
func (e *entry) isOfSameModel(other *entry) bool {
	return e.ref == other.ref && e.ref2 == other.ref2 && e.api == other.api
}
