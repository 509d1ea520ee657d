package rebuild

import (
	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
)

// A composer turns the items of a context into messages, one after another.
type composer struct {
	ix     *Index
	limits Limits
	target *entry // an answer of the model that the conversation is sent to; nil if ids are judged as they are
	apart  bool   // messages are sent as they are, so answers do not share the results after them
	emit   func(message)
	fix    func(Fix)

	entries []int32 // the messages to pair, without mirrors
	resumed int32   // the entry whose checkpoint stands for everything before it, or -1
	skipped int     // its first blocks, for which the checkpoint stands too
	pairs   *pairing
	fate    []fate // of each answer
	frameAt map[int]int
	spoken  []int32 // number of entries before each that are not tool results

	openCalls []openCall
	current   message
	begun     bool
	lastText  int32 // the entry whose bad text was reported last

	used    []int32 // the entry in which a call of this name was sent last, plus one
	renamed map[string]bool
	next    map[string]int // the next number to try for a text
	later   map[sym][]int  // messages with unanswered calls, by the ids of the calls; made when needed
}

// A fate says what happens to a tool result.
type fate uint8

const (
	unclaimed fate = iota
	claimed
	duplicate
)

func (cm *composer) report(code failure.Code, entry int32) { cm.reportBlock(code, entry, -1) }

// reportBlock reports a fix of one block of an entry.
func (cm *composer) reportBlock(code failure.Code, entry int32, block int) {
	cm.reportFix(Fix{Code: code, Remedy: Remedy{Block: block}}, entry)
}

func (cm *composer) reportFix(f Fix, entry int32) {
	p := problem{code: f.Code, ix: cm.ix, entry: entry, block: f.Block, api: cm.limits.api}
	if f.Code == BadID {
		p.isTaken = cm.isTaken(cm.ix.blocksOf(entry)[f.Block].id, entry)
	}
	f.Place, f.Corrected = cm.ix.placeOf(entry), cm.ix.rules.corrects(&p)
	cm.fix(f)
}

func (cm *composer) run(items []item) {
	cm.used, cm.renamed, cm.lastText = make([]int32, cm.ix.names.len()), map[string]bool{}, -1
	cm.resumed = -1
	cm.next = map[string]int{}
	for _, it := range items {
		e := cm.ix.at(it.entry)
		if it.prompt || e.isSystem() {
			continue // a request has another place for it
		}
		if e.isMirror() {
			cm.report(Mirror, it.entry)
			continue
		}
		if it.resumed {
			cm.resumed, cm.skipped = it.entry, int(cm.ix.replayOf(it.entry).skipped)
		}
		cm.entries = append(cm.entries, it.entry)
	}
	cm.pair()
	for i, m := range cm.entries {
		e := cm.ix.at(m)
		switch {
		case e.role == roleAssistant:
			cm.addAssistant(i, m)
			continue
		case e.role == roleToolResult:
			cm.addResults(i) // with the results of the open calls
			continue
		}
		cm.addResults(i)
		if e.kind != kindMessage && e.kind != kindCustomMessage || e.role == roleBash {
			cm.add(false, piece{kind: pieceNarration, entry: m})
		} else {
			cm.addUser(m)
		}
	}
	cm.addResults(len(cm.entries))
	cm.finish(true)
}

// isSendable reports whether a call can be sent.
func isSendable(b *block) bool { return b.id.isName() && b.flags&(noInput|unfinished) == 0 }

// pair pairs calls with results, and reports the results that match no call.
func (cm *composer) pair() {
	cm.pairs = cm.ix.pair(cm.entries, isSendable, true)
	cm.fate = make([]fate, len(cm.pairs.answers))
	cm.frameAt = make(map[int]int, len(cm.pairs.frames))
	for at, f := range cm.pairs.frames {
		cm.frameAt[f.message] = at
	}
	for _, c := range cm.pairs.calls() {
		if c.answer >= 0 {
			cm.fate[c.answer] = claimed
		}
	}
	for _, at := range cm.pairs.dropped {
		cm.fate[at] = duplicate
	}
	cm.spoken = make([]int32, len(cm.entries)+1)
	for i, m := range cm.entries {
		cm.spoken[i+1] = cm.spoken[i]
		if cm.ix.at(m).role != roleToolResult {
			cm.spoken[i+1]++
		}
	}
	for at, a := range cm.pairs.answers {
		switch cm.fate[at] {
		case unclaimed:
			cm.reportOrphan(at, a)
		case duplicate:
			cm.reportBlock(SecondReply, cm.entries[a.message], a.block)
		}
	}
}

// addAssistant adds an answer. The results of its calls must follow before anything but another answer.
func (cm *composer) addAssistant(i int, m int32) {
	var calls []call // the calls that can be sent, in order
	if at, ok := cm.frameAt[i]; ok {
		calls = cm.pairs.frames[at].calls
	}
	pieces := cm.roomFor(m)
	if m == cm.resumed {
		pieces, calls = []piece{{kind: pieceCheckpoint, entry: m}}, cm.unskipped(calls)
	}
	reported, empty := false, false
	drop := func(code failure.Code, block int32) { cm.reportBlock(code, m, int(block)); reported = true }
	for at, b := range cm.ix.blocksOf(m) {
		if m == cm.resumed && at < cm.skipped {
			continue
		}
		p := piece{entry: m, block: int32(at)}
		switch b.kind {
		case jsonl.BlockText:
			if b.flags&blank != 0 {
				empty = true
				continue
			}
			pieces = append(pieces, p)
		case jsonl.BlockThinking:
			if cm.failsOn(m, b) {
				cm.reportFix(Fix{Code: BadSignature, Remedy: Remedy{Block: at}, isFatal: true}, m)
				continue
			}
			if code := cm.thinkingCode(m); b.flags&signed == 0 || code == OtherThought || cm.limits.NoThinking {
				drop(code, p.block)
				continue
			}
			p.kind = pieceThinking
			pieces = append(pieces, p)
		case jsonl.BlockToolCall:
			if len(calls) == 0 || calls[0].block != at {
				drop(BrokenCall, p.block)
				continue
			}
			c := calls[0]
			calls = calls[1:]
			if c.answer < 0 && cm.ix.at(m).has(failed) {
				drop(FailedCall, p.block)
				continue
			}
			p.kind, p.id, p.alter = pieceCall, c.id, cm.rename(c, m)
			pieces = append(pieces, p)
			cm.openCalls = append(cm.openCalls, openCall{c, i, m, p.alter})
		default:
			drop(OddBlock, p.block)
		}
	}
	for len(pieces) > 0 && pieces[len(pieces)-1].kind == pieceThinking && !cm.goesOn(i) {
		drop(BadSignature, pieces[len(pieces)-1].block)
		pieces = pieces[:len(pieces)-1]
	}
	if empty || len(pieces) == 0 && !reported && !cm.ix.at(m).has(deferred) {
		cm.report(NoContent, m)
	}
	cm.addAll(pieces)
}

// goesOn reports whether the next entry is a part of the same answer.
func (cm *composer) goesOn(i int) bool {
	answer, ok := cm.ix.answers[cm.entries[i]]
	if !ok || i+1 == len(cm.entries) {
		return false
	}
	next, ok := cm.ix.answers[cm.entries[i+1]]
	return ok && next == answer
}

// unskipped returns the calls that a checkpoint does not stand for. The results of the others have no call.
func (cm *composer) unskipped(calls []call) []call {
	for len(calls) > 0 && calls[0].block < cm.skipped {
		if at := calls[0].answer; at >= 0 {
			a := cm.pairs.answers[at]
			cm.reportBlock(NoCall, cm.entries[a.message], a.block)
		}
		calls = calls[1:]
	}
	return calls
}

// failsOn reports whether a program that sends messages as they are fails on thinking for the Responses API. It expects
// the signatures of the model that it sends to to be JSON.
func (cm *composer) failsOn(m int32, b block) bool {
	return cm.apart && cm.limits.api == OpenAIResponses && b.flags&(signed|wronglySigned) != 0 && cm.target != nil &&
		cm.ix.at(m).isOfSameModel(cm.target)
}

// thinkingCode distinguishes thinking of Claude that lost its signature from thinking of other models, which never had
// one.
func (cm *composer) thinkingCode(m int32) failure.Code {
	if cm.ix.isOfAnthropic(cm.ix.at(m)) {
		return BadSignature
	}
	return OtherThought
}

// An openCall is a call that was sent and whose result was not sent yet.
type openCall struct {
	call
	message int // index into the messages to pair
	entry   int32
	renamed *alteration
}

// addResults adds the results of the open calls before entry i.
func (cm *composer) addResults(i int) {
	for _, d := range cm.openCalls {
		cm.add(false, cm.result(i, d))
	}
	cm.openCalls = cm.openCalls[:0]
}

// result returns the answer to a call.
func (cm *composer) result(i int, d openCall) piece {
	p := piece{kind: pieceResult, id: d.id, entry: d.entry, block: -1}
	var alter alteration
	if d.renamed != nil {
		alter.id = d.renamed.id
	}
	if d.call.answer < 0 {
		cm.reportPair(NoResult, d.entry, d.call, alteration{})
		alter.text = noResultLine
	} else {
		a := cm.pairs.answers[d.call.answer]
		p.entry, p.block = cm.entries[a.message], int32(a.block)
		if cm.spoken[a.message] > cm.spoken[min(i, a.message)] || cm.isApart(d, a) {
			cm.reportFix(Fix{Code: ResultAway, Remedy: Remedy{Block: a.block, Call: cm.ix.placeOf(d.entry).Line}}, p.entry)
		}
		if cm.apart && cm.ix.at(d.entry).has(failed) { // the answer with the call is not sent
			cm.reportBlock(NoCall, p.entry, a.block)
		}
		cm.checkResult(&p, &alter)
	}
	p.alter = orNil(alter)
	return p
}

// isApart reports whether a program that sends messages as they are has something between a call and its result.
func (cm *composer) isApart(d openCall, a answer) bool {
	return cm.apart && cm.spoken[a.message] > cm.spoken[min(d.message+1, a.message)]
}

// checkResult checks the content of a result.
func (cm *composer) checkResult(p *piece, alter *alteration) {
	if p.block >= 0 {
		cm.checkInnerResult(p, alter)
		return
	}
	filled, empty := false, false
	for at, b := range cm.ix.blocksOf(p.entry) {
		switch b.kind {
		case jsonl.BlockText:
			filled = filled || b.flags&blank == 0
			empty = empty || b.flags&blank != 0
		case jsonl.BlockImage:
			filled = true
			if !cm.acceptsImage(b.flags) {
				cm.report(BadImage, p.entry)
			}
		default:
			isValue := cm.ix.rules.sendsValues
			if !isValue {
				cm.reportBlock(OddBlock, p.entry, at)
			}
			filled = filled || isValue
		}
	}
	if !filled && cm.ix.at(p.entry).has(errorResult) {
		empty = true
		alter.text = noOutputLine
	}
	if empty {
		cm.report(NoContent, p.entry)
	}
}

// acceptsImage reports whether the API accepts an image as it is.
func (cm *composer) acceptsImage(flags blockFlags) bool {
	isAccepted := flags&sendable != 0 || cm.limits.AnyImageSize && flags&oversized != 0
	return isAccepted && flags&mistyped == 0
}

// checkInnerResult checks the content of a result that is a block of a message.
func (cm *composer) checkInnerResult(p *piece, alter *alteration) {
	flags := cm.ix.blocksOf(p.entry)[p.block].flags
	if flags&oddResult != 0 {
		cm.report(OddBlock, p.entry)
	}
	if flags&badImageIn != 0 {
		cm.report(BadImage, p.entry)
	}
	if flags&emptyResult != 0 && flags&failedResult != 0 {
		cm.report(NoContent, p.entry)
		alter.text = noOutputLine
	}
}

// addUser adds an entry that does not come from the model.
func (cm *composer) addUser(m int32) {
	sent, reported, empty := false, false, false
	for at, b := range cm.ix.blocksOf(m) {
		p := piece{entry: m, block: int32(at)}
		switch {
		case b.kind == jsonl.BlockText && b.flags&blank == 0:
		case b.kind == jsonl.BlockText:
			empty = true
			continue
		case b.kind == jsonl.BlockImage:
			p.kind = pieceImage
			if b.flags&sendable == 0 {
				p.kind, p.alter = pieceLine, &alteration{text: badImageLine}
			}
			if !cm.acceptsImage(b.flags) {
				cm.report(BadImage, m)
			}
		case b.kind == jsonl.BlockToolResult:
			reported = true // sent with its call, or reported as having none
			continue
		default:
			cm.reportBlock(OddBlock, m, at)
			reported = true
			continue
		}
		cm.add(false, p)
		sent = true
	}
	if empty || !sent && !reported {
		cm.report(NoContent, m)
	}
}

// add appends a piece.
func (cm *composer) add(assistant bool, p piece) {
	if e := cm.ix.at(p.entry); e.has(loneSurrogate|badText) && p.kind != pieceLine && cm.lastText != p.entry {
		cm.report(BadText, p.entry)
		cm.lastText = p.entry
	}
	if len(cm.current.pieces) > 0 && cm.current.assistant != assistant {
		cm.finish(false)
	}
	if !cm.begun && assistant && p.kind != pieceCheckpoint {
		cm.report(NotUserFirst, p.entry)
		cm.emit(message{pieces: []piece{{kind: pieceLine, entry: p.entry, alter: &alteration{text: OpeningLine}}}})
	}
	cm.begun = true
	cm.current.assistant = assistant
	cm.current.pieces = append(cm.current.pieces, p)
}

// addAll appends the pieces of an answer.
func (cm *composer) addAll(pieces []piece) {
	if len(pieces) == 0 {
		return
	}
	cm.add(true, pieces[0])
	if rest := pieces[1:]; len(cm.current.pieces) > 1 || len(rest) == 0 {
		cm.current.pieces = append(cm.current.pieces, rest...)
	} else { // they begin the message, and a copy of millions would be too much
		pieces[0] = cm.current.pieces[0]
		cm.current.pieces = pieces
	}
}

// roomFor returns room for the pieces of an answer. A list that grows to millions would leave much behind.
func (cm *composer) roomFor(m int32) []piece {
	if n := len(cm.ix.blocksOf(m)); n > mostKept {
		return make([]piece, 0, n)
	}
	return nil
}

// finish emits the current message.
func (cm *composer) finish(last bool) {
	m := cm.current
	if len(m.pieces) == 0 {
		return
	}
	if p := &m.pieces[len(m.pieces)-1]; last && m.assistant && p.kind == pieceText &&
		cm.ix.blocksOf(p.entry)[p.block].flags&openEnded != 0 {
		cm.report(OpenEnd, p.entry)
		p.alter = &alteration{trimmed: true}
	}
	cm.emit(m)
	cm.current = message{}
}
