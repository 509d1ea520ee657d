package rebuild

import (
	"slices"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
)

// This file has what the programs correct by themselves before they send a request, and what they refuse to read. It
// was found by asking the real programs for their requests (scripts/difftest/request.mjs).

// A problem is something in the context that an API refuses.
type problem struct {
	code    failure.Code
	ix      *Index
	entry   int32
	block   int  // of the message, or -1
	api     API  // that the context is sent to
	isTaken bool // of BadID: another call has the id
}

func (p *problem) at() (b block) {
	if blocks := p.ix.blocksOf(p.entry); p.block >= 0 && p.block < len(blocks) {
		b = blocks[p.block]
	}
	return b
}

// isIn reports whether the problem is in a message with a role.
func (p *problem) isIn(r role) bool { return p.ix.at(p.entry).role == r }

// isEmptyError reports whether the problem is a result that reports an error and does not say which.
func (p *problem) isEmptyError() bool {
	isSaid := func(b block) bool { return b.kind != jsonl.BlockText || b.flags&blank == 0 }
	return p.ix.at(p.entry).has(errorResult) && !slices.ContainsFunc(p.ix.blocksOf(p.entry), isSaid)
}

// hasHalfInput reports whether half of a character is in the arguments of a call. Programs correct texts, and send
// arguments as they are. OpenAI's APIs take arguments as a text, in which such an escape does no harm.
func (p *problem) hasHalfInput() bool {
	if p.api == OpenAIResponses || p.api == OpenAICompletions {
		return false
	}
	return slices.ContainsFunc(p.ix.blocksOf(p.entry), func(b block) bool { return b.flags&halfInput != 0 })
}

// openClawCorrects reports whether OpenClaw corrects a problem before it sends a request. It does so for nearly all of
// them.
func openClawCorrects(p *problem) bool {
	switch p.code {
	case NotUserFirst:
		return p.api != AnthropicMessages
	case BadText:
		return !p.hasHalfInput()
	case BadID:
		return !p.isTaken || p.api != OpenAIResponses
	case OddBlock:
		if p.isIn(roleAssistant) {
			return p.api != OpenAICompletions || p.at().kind == jsonl.BlockImage
		}
		return !p.isIn(roleUser) || p.api == AnthropicMessages || p.api == AnyAPI
	}
	return true
}

// piCorrects reports whether pi corrects a problem before it sends a request. It answers open calls, leaves out failed
// answers, empty texts and unknown blocks of answers, and sends thinking without a signature as text.
func piCorrects(p *problem) bool {
	switch p.code {
	case NoResult, FailedCall, OtherThought, OpenEnd, Mirror:
		return true
	case NoContent:
		return !p.isEmptyError() || p.api != AnthropicMessages
	case BadSignature:
		return p.at().flags&(signed|wronglySigned) == 0
	case BadText:
		return !p.hasHalfInput()
	case BrokenCall:
		return p.sendsInput(p.at()) && (p.at().id.isName() || p.api == GoogleGenerative)
	case NoCall:
		return p.answersSentCall()
	case OddBlock:
		return !p.isIn(roleUser)
	case BadID:
		return p.api == GoogleGenerative // it sends no ids
	}
	return false
}

// sendsInput reports whether an API accepts what pi sends for the arguments of a call. Missing ones become an empty
// object, or nothing if the API takes a text. null becomes an empty object, or the text "null". Anything else is sent
// as it is, or as its text.
func (p *problem) sendsInput(call block) bool {
	isText := p.api == OpenAIResponses || p.api == OpenAICompletions
	switch {
	case call.flags&noInput == 0 || call.flags&nullArguments != 0:
		return true
	case call.flags&noArguments != 0:
		return !isText
	}
	return isText
}

// answersSentCall reports whether a result answers a call with odd arguments, which clawctl leaves out and pi sends.
func (p *problem) answersSentCall() bool {
	id := p.ix.at(p.entry).ref
	if p.block >= 0 {
		id = p.at().id
	}
	for at := p.entry - 1; id.isName() && at >= 0 && at >= p.entry-maxLate; at-- {
		for _, b := range p.ix.blocksOf(at) {
			if b.kind == jsonl.BlockToolCall && b.id == id && b.flags&noInput != 0 {
				return p.sendsInput(b)
			}
		}
	}
	return false
}

// claudeCorrects reports whether Claude Code corrects a problem before it sends a request. It leaves out calls without
// results, results without calls, second ones of either, and answers that say nothing, and replaces halves of
// characters. Ids, arguments, images, prompts and thinking are sent as they are. Blocks that clawctl does not know come
// from the API itself. Whether a signature is the API's own, only the API can tell.
func claudeCorrects(p *problem) bool {
	switch p.code {
	case NotUserFirst, BrokenCall, BadName, BadImage:
		return false
	case BadID:
		return p.isTaken
	case BadSignature:
		return p.at().kind != jsonl.BlockThinking || p.at().flags&(signed|wronglySigned) != 0
	case NoContent:
		return !p.isEmptyError() && (!p.isIn(roleUser) || len(p.ix.blocksOf(p.entry)) == 0)
	}
	return true
}

// claw0Corrects reports that claw0 sends what its transcript says. The next message of the user follows the last
// answer.
func claw0Corrects(p *problem) bool { return p.code == OpenEnd }

// openClawRefuses reports whether OpenClaw refuses to continue a transcript with a problem of its records.
func openClawRefuses(code failure.Code) bool { return code == NoHeader || code == RefusedDate }

// piRefuses reports whether pi refuses to continue a transcript with a problem of its records. It does not end if the
// parents form a cycle.
func piRefuses(code failure.Code) bool {
	return code == NoHeader || code == LateHeader || code == ByteOrderMark || code == Cycle || code == Unmetered
}

// Refuses reports whether the program refuses to continue the transcript because of a problem that Check reports.
func (ix *Index) Refuses(code failure.Code) bool { return ix.rules.refuses(code) }
