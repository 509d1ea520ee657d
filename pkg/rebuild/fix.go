package rebuild

// A Code names a rule of the Messages API, and what is done to a conversation that breaks it. Codes are stable.
type Code string

// The rules. Those of CL3nn are about calls and results, those of CL4nn about everything else that a request is refused
// for.
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

// RefusedDate is the code of a summary whose date makes OpenClaw refuse the session; no rule of the API's.
const RefusedDate Code = "CL109"

// Codes lists the code of every fix in order.
var Codes = []Code{
	NoResult, NoCall, SecondReply, ResultAway, FailedCall, BrokenCall, ResultFirst,
	NotUserFirst, NoContent, BadSignature, BadID, BadName, BadImage, BadText, Mirror, OddBlock, OpenEnd, NotUserLast, OtherThought, TooLong,
}

// codeWords are what is wrong, and what is done about it.
var codeWords = map[Code]struct{ wrong, done string }{
	NoResult:     {"a tool call has no result", "an error result was put in"},
	NoCall:       {"a tool result answers no call", "left out"},
	SecondReply:  {"a second result of the same tool call", "left out"},
	ResultAway:   {"a tool result does not follow its call", "moved there"},
	FailedCall:   {"a tool call of an answer that failed has no result", "left out"},
	BrokenCall:   {"a tool call without id, without arguments or unfinished", "left out"},
	ResultFirst:  {"a tool result stands before its call", "left out"},
	NotUserFirst: {"the conversation does not begin with the user", "a line was put before it"},
	NoContent:    {"nothing but white space", "left out"},
	BadSignature: {"thinking without a whole signature of Anthropic's, or at the end of an answer", "left out"},
	OtherThought: {"thinking of another provider's model", "left out"},
	BadID:        {"the id of a tool call is used before or has characters that are not allowed", "renamed"},
	BadName:      {"a tool's name has characters that are not allowed", "renamed"},
	BadImage:     {"an image that is too large, not base64, or not of the type it says", "set right or replaced by a line"},
	BadText:      {"half of a character, or bytes that are not UTF-8", "replaced by U+FFFD"},
	Mirror:       {"a message that no model sent", "left out"},
	OddBlock:     {"a block that cannot stand there", "left out"},
	OpenEnd:      {"the last answer ends with white space", "cut off"},
	TooLong:      {"a tool result takes more than 30 % of the budget", "cut"},
	NotUserLast:  {"the request does not end with the user", "a line was put behind it"},
}

// Wrong says what breaks the rule.
func (c Code) Wrong() string { return codeWords[c].wrong }

// Words says what breaks the rule and what is done about it.
func (c Code) Words() string { return codeWords[c].wrong + ": " + codeWords[c].done }

// A Fix is one change that was made so that the API accepts a conversation.
type Fix struct {
	Code Code
	Place
}
