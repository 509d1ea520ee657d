package rebuild

// A Code identifies a rule of the Messages API and the fix for a conversation that breaks it. Codes are stable.
type Code string

// The rules. CL3nn are about tool calls and their results, CL4nn about everything else that the API rejects.
const (
	NoResult    Code = "CL301"
	NoCall      Code = "CL302"
	SecondReply Code = "CL303"
	ResultAway  Code = "CL304"
	FailedCall  Code = "CL305"
	BrokenCall  Code = "CL306"
	ResultFirst Code = "CL307"

	NotUserFirst Code = "CL401"
	NoContent    Code = "CL402"
	BadSignature Code = "CL403"
	BadID        Code = "CL404"
	BadName      Code = "CL405"
	BadImage     Code = "CL406"
	BadText      Code = "CL407"
	Mirror       Code = "CL408"
	OddBlock     Code = "CL409"
	OpenEnd      Code = "CL410"
	NotUserLast  Code = "CL411"
	OtherThought Code = "CL412"
	TooLong      Code = "CL413"
)

// RefusedDate is the code of a summary whose date makes OpenClaw refuse the session. It is not a rule of the API.
const RefusedDate Code = "CL109"

// Codes lists the codes of all fixes in order.
var Codes = []Code{
	NoResult, NoCall, SecondReply, ResultAway, FailedCall, BrokenCall, ResultFirst,
	NotUserFirst, NoContent, BadSignature, BadID, BadName, BadImage, BadText, Mirror, OddBlock, OpenEnd, NotUserLast,
	OtherThought, TooLong,
}

// codeWords describe the problem of each code and what rebuild does about it.
var codeWords = map[Code]struct{ wrong, done string }{
	NoResult:     {"tool call without a result", "added an error result"},
	NoCall:       {"tool result without a matching call", "removed"},
	SecondReply:  {"second result for the same tool call", "removed"},
	ResultAway:   {"tool result does not follow its call", "moved after the call"},
	FailedCall:   {"tool call without a result in an answer that failed", "removed"},
	BrokenCall:   {"tool call without an id or arguments, or incomplete", "removed"},
	ResultFirst:  {"tool result before its call", "removed"},
	NotUserFirst: {"the conversation does not start with a user message", "added a line before it"},
	NoContent:    {"blank message or text block", "removed"},
	BadSignature: {"thinking block with a missing or truncated signature, or at the end of an answer", "removed"},
	OtherThought: {"thinking block from another provider's model", "removed"},
	BadID:        {"the tool call's id is already used or has characters that are not allowed", "renamed"},
	BadName:      {"the tool's name is too long or has characters that are not allowed", "renamed"},
	BadImage:     {"image that is too large, cannot be decoded, or is not of the type it states", "corrected or replaced"},
	BadText:      {"lone surrogate or invalid UTF-8 in the text", "replaced with U+FFFD"},
	Mirror:       {"message that no model sent", "removed"},
	OddBlock:     {"block of a type that is not allowed there", "removed"},
	OpenEnd:      {"the last answer ends with white space", "trimmed"},
	TooLong:      {"tool result that takes more than 30% of the budget", "shortened"},
	NotUserLast:  {"the request does not end with a user message", "added a line after it"},
}

// Problem describes what breaks the rule.
func (c Code) Problem() string { return codeWords[c].wrong }

// Words describes what breaks the rule and what rebuild does about it.
func (c Code) Words() string { return codeWords[c].wrong + ": " + codeWords[c].done }

// A Fix is one change that makes the API accept a conversation.
type Fix struct {
	Code Code
	Place
	Remedy
}

// A Remedy says what a fix changes, for whoever makes the same change to the transcript itself. Which fields are set
// depends on the code.
type Remedy struct {
	Block int // of the message; -1 if the fix is about all of it, or about a tool result that is not a block
	// Call and Result are the lines of the call and of the result that belong together, or 0.
	Call, Result int64
	ID, Name     string // of the call and its tool, as they should be
}
