package failure

import (
	"cmp"
	"slices"
	"strings"
)

// An apiError is what an API, or a program before it sends a request, says about a conversation that it refuses.
type apiError struct {
	who   string // as people write it, after "error of"
	says  string // parts of the text in their order, with " … " between them, in the form of plainText
	codes []Code
}

// apiErrors are the errors of APIs that transcripts cause, and their findings. The texts are those of the APIs without
// quotes and in lower case. Where the words of two APIs are alike, both are listed.
var apiErrors = []apiError{
	{"Anthropic", "tool_use ids were found without tool_result", []Code{"CL301", "CL304"}},
	{"Anthropic", "unexpected tool_use_id found in tool_result", []Code{"CL302", "CL304", "CL307"}},
	{"Anthropic", "tool_result block must have a corresponding tool_use", []Code{"CL302", "CL304", "CL307"}},
	{"Anthropic", "each tool_use must have a single result", []Code{"CL303"}},
	{"Anthropic", "multiple tool_result blocks", []Code{"CL303"}},
	{"Anthropic", "tool_use ids must be unique", []Code{"CL404"}},
	{"Anthropic", "tool_use.id: string should", []Code{"CL404"}},
	{"Anthropic", "tool_use_id: string should", []Code{"CL404"}},
	{"Anthropic", "tool_use.name: string should", []Code{"CL405"}},
	{"Anthropic", "tool_use.input: input should be", []Code{"CL306"}},
	{"Anthropic", "first message must use the user role", []Code{"CL401"}},
	{"Anthropic", "roles must alternate", []Code{"CL401"}},
	{"Anthropic", "text content blocks must", []Code{"CL402"}},
	{"Anthropic", "must have non-empty content", []Code{"CL402"}},
	{"Anthropic", "content cannot be empty if is_error", []Code{"CL402"}},
	{"Anthropic", "invalid signature in thinking block", []Code{"CL403", "CL703"}},
	{"Anthropic", "thinking.signature: field required", []Code{"CL403"}},
	{"Anthropic", "expected thinking or redacted_thinking, but found", []Code{"CL403"}},
	{"Anthropic", "final block in an assistant message cannot be thinking", []Code{"CL403"}},
	{"Anthropic", "thinking or redacted_thinking blocks … cannot be modified", []Code{"CL403", "CL703"}},
	{"Anthropic", "image exceeds", []Code{"CL406"}},
	{"Anthropic", "could not process image", []Code{"CL406"}},
	{"Anthropic", "image was specified using the", []Code{"CL406"}},
	{"Anthropic", "image dimensions exceed", []Code{"CL406"}},
	{"Anthropic", "image.source.base64", []Code{"CL406"}},
	{"Anthropic", "low surrogate", []Code{"CL407", "CL014"}},
	{"Anthropic", "lone leading surrogate", []Code{"CL407", "CL014"}},
	{"Anthropic", "surrogates not allowed", []Code{"CL407", "CL014"}},
	{"Anthropic", "final assistant content cannot end with trailing whitespace", []Code{"CL410"}},
	{"Anthropic", "must end with a user message", []Code{"CL411"}},
	{"Anthropic", "does not match any of the expected tags", []Code{"CL409"}},
	{"Anthropic", "prompt is too long", []Code{TooLarge}},

	{"OpenAI", "tool_calls must be followed by tool messages", []Code{"CL301", "CL304"}},
	{"OpenAI", "did not have response messages", []Code{"CL301", "CL304"}},
	{"OpenAI", "no tool output found for function call", []Code{"CL301"}},
	{"OpenAI", "role tool must be a response to a prec", []Code{"CL302", "CL307"}},
	{"OpenAI", "no tool call found for function call output", []Code{"CL302", "CL307"}},
	{"OpenAI", "duplicate value for tool_call_id", []Code{"CL303", "CL404"}},
	{"OpenAI", "duplicate item found with id", []Code{"CL404"}},
	{"OpenAI", "call_id: string too long", []Code{"CL404"}},
	{"OpenAI", ".id: string too long", []Code{"CL404"}},
	{"OpenAI", "name: string does not match pattern", []Code{"CL405"}},
	{"OpenAI", "name: string too long", []Code{"CL405"}},
	{"OpenAI", "missing required parameter: … arguments", []Code{"CL306"}},
	{"OpenAI", "of type reasoning was provided without its required following item", []Code{"CL403", "CL305"}},
	{"OpenAI", "encrypted content … could not be", []Code{"CL403", "CL703"}},
	{"OpenAI", "content: expected a string, got null", []Code{"CL402", "CL013"}},
	{"OpenAI", "content … but got null", []Code{"CL402", "CL013"}},
	{"OpenAI", "you uploaded an unsupported image", []Code{"CL406"}},
	{"OpenAI", "invalid image", []Code{"CL406"}},
	{"OpenAI", "expected a base64-encoded data url", []Code{"CL406"}},
	{"OpenAI", "image data you provided does not represent a valid image", []Code{"CL406"}},
	{"OpenAI", "could not parse the json body", []Code{"CL407", "CL014"}},
	{"OpenAI", "maximum context length", []Code{TooLarge}},
	{"OpenAI", "context_length_exceeded", []Code{TooLarge}},
	{"OpenAI", "exceeds the context window", []Code{TooLarge}},

	{"Google", "number of function response parts is equal to the number of function call parts",
		[]Code{"CL301", "CL302", "CL303"}},
	{"Google", "function response turn comes immediately after a function call", []Code{"CL304", "CL302"}},
	{"Google", "function call turn comes immediately after a user turn", []Code{"CL401", "CL304"}},
	{"Google", "first content should be with role user", []Code{"CL401"}},
	{"Google", "parts must not be empty", []Code{"CL402"}},
	{"Google", "must include at least one parts field", []Code{"CL402"}},
	{"Google", "must have a text parameter", []Code{"CL402"}},
	{"Google", "thought_signature", []Code{"CL403"}},
	{"Google", "thought signature is not valid", []Code{"CL403", "CL703"}},
	{"Google", "invalid function name", []Code{"CL405"}},
	{"Google", "unable to process input image", []Code{"CL406"}},
	{"Google", "unsupported mime type", []Code{"CL406"}},
	{"Google", "input token count … exceeds the maximum", []Code{TooLarge}},

	{"Bedrock", "expected toolresult blocks at", []Code{"CL301", "CL304"}},
	{"Bedrock", "number of toolresult blocks at … exceeds the number of tooluse blocks", []Code{"CL302", "CL303"}},
	{"Bedrock", "toolresult … without a … tooluse", []Code{"CL302"}},
	{"Bedrock", "conversation must start with a user message", []Code{"CL401"}},
	{"Bedrock", "text field in the contentblock object … is blank", []Code{"CL402"}},
	{"Bedrock", "content field in the message object … is empty", []Code{"CL402"}},
	{"Bedrock", "tooluseid failed to satisfy constraint", []Code{"CL404"}},
	{"Bedrock", "tooluse.name failed to satisfy constraint", []Code{"CL405"}},
	{"Bedrock", "image format", []Code{"CL406"}},
	{"Bedrock", "input is too long for requested model", []Code{TooLarge}},

	{"Mistral", "not the same number of function calls and responses", []Code{"CL301", "CL302", "CL303"}},
	{"Mistral", "tool call id was … but must be", []Code{"CL404"}},
	{"Mistral", "unexpected role", []Code{"CL304", "CL401"}},
	{"Mistral", "expected last role user or tool", []Code{"CL411"}},

	{"OpenClaw", "invalid_replay_transcript … dangling_tool_call", []Code{"CL301"}},
	{"OpenClaw", "invalid_replay_transcript … orphan_tool_result", []Code{"CL302", "CL404"}},
	{"OpenClaw", "persisted legacy session transcripts require", []Code{"CL101"}},
	{"pi", "is not a valid pi session", []Code{"CL101", "CL102", "CL015"}},
}

// A Diagnosis is what an error of an API means.
type Diagnosis struct {
	Who   string // whose error it is; "" if it does not say more than that a request was refused
	Codes []Code // the findings that it may mean, the likeliest first
	Run   string // a command that shows which sessions have them
}

// Diagnose returns what an error of an API means. The text may be a part of the error. An error that only says that a
// request was refused, such as 400, means every finding that an API refuses. ok is false if the text is not known.
func Diagnose(text string) (d Diagnosis, ok bool) {
	text = plainText(text)
	for _, e := range apiErrors {
		if hasParts(text, e.says) {
			d.Who = cmp.Or(d.Who, e.who)
			d.Codes = append(d.Codes, e.codes...)
		}
	}
	if d.Codes == nil && isRefusal(text) {
		for _, e := range Rules() {
			if e.Fix != "" {
				d.Codes = append(d.Codes, e.Code)
			}
		}
	}
	d.Codes = unique(d.Codes)
	d.Run = "clawctl validate --brief"
	switch {
	case slices.Contains(d.Codes, TooLarge):
		d.Run = "clawctl context --session @last"
	case d.Who != "":
		d.Run = "clawctl validate -v --all --select " + joinCodes(d.Codes)
	}
	return d, d.Codes != nil
}

// unique removes what comes a second time.
func unique(codes []Code) (list []Code) {
	for _, code := range codes {
		if !slices.Contains(list, code) {
			list = append(list, code)
		}
	}
	return list
}

func joinCodes(codes []Code) string {
	words := make([]string, len(codes))
	for i, code := range codes {
		words[i] = string(code)
	}
	return strings.Join(words, ",")
}

// refusals are the words with which APIs say that they refused a request.
var refusals = []string{"400", "invalid_request_error", "invalid_argument", "validationexception"}

// isRefusal reports whether a text says that a request was refused, and not why.
func isRefusal(text string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" :,{}[]()", r) })
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(refusals, word) })
}

// plainText returns a text in lower case, without quotes and backslashes, and with one space between words.
func plainText(text string) string {
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("`'\"\\“”‘’", r) {
			return -1
		}
		return r
	}, strings.ToLower(text))
	return strings.Join(strings.Fields(text), " ")
}

// hasParts reports whether a text has parts in their order.
func hasParts(text, parts string) bool {
	for part := range strings.SplitSeq(parts, " … ") {
		_, rest, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = rest
	}
	return true
}
