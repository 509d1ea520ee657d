package failure

import (
	"cmp"
	"slices"
	"strings"
)

// An apiError is what an API, or a program before it sends a request, says about a conversation that it refuses.
type apiError struct {
	says  string // parts of the text in their order, with " … " between them, in the form of plainText
	codes string
}

// apiErrors are the errors of APIs that transcripts cause, and their findings. The texts are those of the APIs without
// quotes and in lower case. Where the words of two APIs are alike, both are listed.
var apiErrors = []struct {
	who    string // as people write it, after "error of"
	errors []apiError
}{
	{"Anthropic", []apiError{
		{"tool_use ids were found without tool_result", "CL301 CL304"},
		{"unexpected tool_use_id found in tool_result", "CL302 CL304 CL307"},
		{"tool_result block must have a corresponding tool_use", "CL302 CL304 CL307"},
		{"each tool_use must have a single result", "CL303"},
		{"multiple tool_result blocks", "CL303"},
		{"tool_use ids must be unique", "CL404"},
		{"tool_use.id: string should", "CL404"},
		{"tool_use_id: string should", "CL404"},
		{"tool_use.name: string should", "CL405"},
		{"tool_use.input: input should be", "CL306"},
		{"first message must use the user role", "CL401"},
		{"roles must alternate", "CL401"},
		{"text content blocks must", "CL402"},
		{"must have non-empty content", "CL402"},
		{"content cannot be empty if is_error", "CL402"},
		{"invalid signature in thinking block", "CL403 CL703"},
		{"thinking.signature: field required", "CL403"},
		{"expected thinking or redacted_thinking, but found", "CL403"},
		{"final block in an assistant message cannot be thinking", "CL403"},
		{"thinking or redacted_thinking blocks … cannot be modified", "CL403 CL703"},
		{"image exceeds", "CL406"},
		{"could not process image", "CL406"},
		{"image was specified using the", "CL406"},
		{"image dimensions exceed", "CL406"},
		{"image.source.base64", "CL406"},
		{"low surrogate", "CL407 CL014"},
		{"lone leading surrogate", "CL407 CL014"},
		{"surrogates not allowed", "CL407 CL014"},
		{"final assistant content cannot end with trailing whitespace", "CL410"},
		{"must end with a user message", "CL411"},
		{"does not match any of the expected tags", "CL409"},
		{"prompt is too long", "CL916"},
	}},
	{"OpenAI", []apiError{
		{"tool_calls must be followed by tool messages", "CL301 CL304"},
		{"did not have response messages", "CL301 CL304"},
		{"no tool output found for function call", "CL301"},
		{"role tool must be a response to a prec", "CL302 CL307"},
		{"no tool call found for function call output", "CL302 CL307"},
		{"duplicate value for tool_call_id", "CL303 CL404"},
		{"duplicate item found with id", "CL404"},
		{"call_id: string too long", "CL404"},
		{".id: string too long", "CL404"},
		{"name: string does not match pattern", "CL405"},
		{"name: string too long", "CL405"},
		{"missing required parameter: … arguments", "CL306"},
		{"of type reasoning was provided without its required following item", "CL403 CL305"},
		{"encrypted content … could not be", "CL403 CL703"},
		{"content: expected a string, got null", "CL402 CL013"},
		{"content … but got null", "CL402 CL013"},
		{"you uploaded an unsupported image", "CL406"},
		{"invalid image", "CL406"},
		{"expected a base64-encoded data url", "CL406"},
		{"image data you provided does not represent a valid image", "CL406"},
		{"could not parse the json body", "CL407 CL014"},
		{"maximum context length", "CL916"},
		{"context_length_exceeded", "CL916"},
		{"exceeds the context window", "CL916"},
	}},
	{"Google", []apiError{
		{"number of function response parts is equal to the number of function call parts", "CL301 CL302 CL303"},
		{"function response turn comes immediately after a function call", "CL304 CL302"},
		{"function call turn comes immediately after a user turn", "CL401 CL304"},
		{"first content should be with role user", "CL401"},
		{"parts must not be empty", "CL402"},
		{"must include at least one parts field", "CL402"},
		{"must have a text parameter", "CL402"},
		{"thought_signature", "CL403"},
		{"thought signature is not valid", "CL403 CL703"},
		{"invalid function name", "CL405"},
		{"unable to process input image", "CL406"},
		{"unsupported mime type", "CL406"},
		{"input token count … exceeds the maximum", "CL916"},
	}},
	{"Bedrock", []apiError{
		{"expected toolresult blocks at", "CL301 CL304"},
		{"number of toolresult blocks at … exceeds the number of tooluse blocks", "CL302 CL303"},
		{"toolresult … without a … tooluse", "CL302"},
		{"conversation must start with a user message", "CL401"},
		{"text field in the contentblock object … is blank", "CL402"},
		{"content field in the message object … is empty", "CL402"},
		{"tooluseid failed to satisfy constraint", "CL404"},
		{"tooluse.name failed to satisfy constraint", "CL405"},
		{"image format", "CL406"},
		{"input is too long for requested model", "CL916"},
	}},
	{"Mistral", []apiError{
		{"not the same number of function calls and responses", "CL301 CL302 CL303"},
		{"tool call id was … but must be", "CL404"},
		{"unexpected role", "CL304 CL401"},
		{"expected last role user or tool", "CL411"},
	}},
	{"OpenClaw", []apiError{
		{"invalid_replay_transcript … dangling_tool_call", "CL301"},
		{"invalid_replay_transcript … orphan_tool_result", "CL302 CL404"},
		{"persisted legacy session transcripts require", "CL101"},
	}},
	{"pi", []apiError{
		{"is not a valid pi session", "CL101 CL102 CL015"},
	}},
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
	for _, api := range apiErrors {
		for _, e := range api.errors {
			if hasParts(text, e.says) {
				d.Who = cmp.Or(d.Who, api.who)
				d.add(strings.Fields(e.codes)...)
			}
		}
	}
	if d.Codes == nil && isRefusal(text) {
		for _, e := range Rules() {
			if e.Fix != "" {
				d.add(string(e.Code))
			}
		}
	}
	d.Run = "clawctl validate --brief"
	switch {
	case slices.Contains(d.Codes, TooLarge):
		d.Run = "clawctl context --session @last"
	case d.Who != "":
		d.Run = "clawctl validate -v --all --select " + joinCodes(d.Codes)
	}
	return d, d.Codes != nil
}

// add lists codes, each of them once.
func (d *Diagnosis) add(codes ...string) {
	for _, code := range codes {
		if !slices.Contains(d.Codes, Code(code)) {
			d.Codes = append(d.Codes, Code(code))
		}
	}
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
