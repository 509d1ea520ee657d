package rebuild

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Plan is a conversation that the API accepts, made of references to the records it comes from, and every fix that was
// needed for it. It holds no text.
//
// Messages of one role that follow each other become one, as the API itself would make of them; that is no fix.
type Plan struct {
	Fixes []Fix

	ix       *Index
	messages []message
	tools    []string // names, in the order of their first use
}

// A message is one of the plan's.
type message struct {
	assistant bool
	parts     []part
}

// A part is one block of a message.
type part struct {
	what  partKind
	entry int32
	block int32
	id    sym // of a call or the call that a result answers
	alter *alteration
}

type partKind uint8

const (
	partText     partKind = iota // a text block
	partThinking                 // a thinking block
	partImage                    // an image block
	partCall                     // a tool call
	partResult                   // a tool result: a whole entry, or a block of one
	partTold                     // an entry that is told to the model as text: a summary, a command and its output
	partLine                     // a text of our own
)

// An alteration is what differs from the record.
type alteration struct {
	id, name string
	text     string // of a partLine; of a partResult, its whole content
	trimmed  bool   // without white space at its end
	trim     *trim  // how much is sent of a result
}

// The lines that are put in.
const (
	openingLine   = "(The beginning of this conversation is not part of it any more.)"
	closingLine   = "Continue."
	noResultLine  = "[clawctl] No result of this tool call was recorded."
	noOutputLine  = "(no output)"
	badImageLine  = "[An image was left out: the API does not take it.]"
	renamedPrefix = "call"
)

// Plan makes the context a conversation for the API.
func (c *Context) Plan(limits Limits) *Plan {
	p := &Plan{ix: c.ix}
	seen := map[string]bool{}
	pl := &planner{
		ix: c.ix, limits: limits,
		emit: func(m message) {
			p.messages = append(p.messages, m)
			for _, part := range m.parts {
				if part.what != partCall {
					continue
				}
				if name := toolName(c.ix.names.text(c.ix.blocksOf(part.entry)[part.block].name), limits.Name); !seen[name] {
					seen[name] = true
					p.tools = append(p.tools, name)
				}
			}
		},
		fix: func(f Fix) { p.Fixes = append(p.Fixes, f) },
	}
	pl.run(c.items)
	slices.SortStableFunc(p.Fixes, func(a, b Fix) int { return cmp.Compare(a.Line, b.Line) })
	return p
}

// EachFix calls report for every fix that a plan would need, without keeping one.
func (c *Context) EachFix(report func(Fix)) {
	pl := &planner{ix: c.ix, limits: LimitsOf("anthropic"), emit: func(message) {}, fix: report}
	pl.run(c.items)
}

// Limits are where APIs differ.
type Limits struct {
	ID         int  // how long the id of a call may be; 0: any length
	Name       int  // how long the name of a tool may be
	NoThinking bool // there is no place for thinking
}

// LimitsOf returns the limits of a form that rebuild writes.
func LimitsOf(form string) Limits {
	if form == "openai" {
		return Limits{ID: 40, Name: 64, NoThinking: true}
	}
	return Limits{Name: 128}
}

// Len returns how many messages there are.
func (p *Plan) Len() int { return len(p.messages) }

// A planner turns the items of a context into messages, one after the other.
type planner struct {
	ix     *Index
	limits Limits
	emit   func(message)
	fix    func(Fix)

	entries []int32 // the messages to be paired, mirrors left out
	pairs   *pairing
	fate    []fate // of each answer
	frameAt map[int]int
	spoken  []int32 // how many of the entries before each are no tool results

	due      []due
	current  message
	begun    bool
	lastText int32 // the entry whose bad text was reported last

	used    []bool // names of calls that have been sent
	renamed map[string]bool
	next    map[string]int // the number to try next for a text
}

// fate is what becomes of a tool result.
type fate uint8

const (
	unclaimed fate = iota
	claimed
	duplicate
)

func (pl *planner) report(code Code, entry int32) {
	pl.fix(Fix{code, pl.ix.placeOf(entry)})
}

func (pl *planner) run(items []item) {
	pl.used, pl.renamed, pl.lastText = make([]bool, pl.ix.names.len()), map[string]bool{}, -1
	pl.next = map[string]int{}
	for _, it := range items {
		if pl.ix.at(it.entry).isMirror() {
			pl.report(Mirror, it.entry)
			continue
		}
		pl.entries = append(pl.entries, it.entry)
	}
	pl.pair()
	for i, m := range pl.entries {
		e := pl.ix.at(m)
		switch {
		case e.role == roleAssistant:
			pl.assistant(i, m)
			continue
		case e.role == roleToolResult:
			pl.answer(i) // with all the results that are due
			continue
		}
		pl.answer(i)
		if e.kind != kindMessage && e.kind != kindCustomMessage || e.role == roleBash {
			pl.add(false, part{what: partTold, entry: m})
		} else {
			pl.user(m)
		}
	}
	pl.answer(len(pl.entries))
	pl.finish(true)
}

// sendable reports whether a call can be sent.
func isSendable(b *block) bool { return b.id.isName() && b.flags&(noInput|unfinished) == 0 }

// pair pairs calls and results, and reports the results that have no place.
func (pl *planner) pair() {
	pl.pairs = pl.ix.pair(pl.entries, isSendable, true)
	pl.fate = make([]fate, len(pl.pairs.answers))
	pl.frameAt = make(map[int]int, len(pl.pairs.frames))
	for at, f := range pl.pairs.frames {
		pl.frameAt[f.message] = at
		for _, c := range f.calls {
			if c.answer >= 0 {
				pl.fate[c.answer] = claimed
			}
		}
	}
	for _, at := range pl.pairs.dropped {
		pl.fate[at] = duplicate
	}
	pl.spoken = make([]int32, len(pl.entries)+1)
	for i, m := range pl.entries {
		pl.spoken[i+1] = pl.spoken[i]
		if pl.ix.at(m).role != roleToolResult {
			pl.spoken[i+1]++
		}
	}
	for at, a := range pl.pairs.answers {
		switch pl.fate[at] {
		case unclaimed:
			pl.report(pl.pairs.orphanCode(at), pl.entries[a.message])
		case duplicate:
			pl.report(SecondReply, pl.entries[a.message])
		}
	}
}

// assistant adds an answer. The results of its calls are due before anything but another answer.
func (pl *planner) assistant(i int, m int32) {
	var calls []call // those that can be sent, in order
	if at, ok := pl.frameAt[i]; ok {
		calls = pl.pairs.frames[at].calls
	}
	var parts []part
	reported, empty := false, false
	drop := func(code Code) { pl.report(code, m); reported = true }
	for at, b := range pl.ix.blocksOf(m) {
		p := part{entry: m, block: int32(at)}
		switch b.kind {
		case blockText:
			if b.flags&blank != 0 {
				empty = true
				continue
			}
			parts = append(parts, p)
		case blockThinking:
			if code := pl.thinkingCode(m); b.flags&signed == 0 || code == OtherThought || pl.limits.NoThinking {
				drop(code)
				continue
			}
			p.what = partThinking
			parts = append(parts, p)
		case blockCall:
			if len(calls) == 0 || calls[0].block != at {
				drop(BrokenCall)
				continue
			}
			c := calls[0]
			calls = calls[1:]
			if c.answer < 0 && pl.ix.at(m).has(failed) {
				drop(FailedCall)
				continue
			}
			p.what, p.id, p.alter = partCall, c.id, pl.rename(c, m)
			parts = append(parts, p)
			pl.due = append(pl.due, due{c, m, p.alter})
		default:
			drop(OddBlock)
		}
	}
	for len(parts) > 0 && parts[len(parts)-1].what == partThinking {
		parts = parts[:len(parts)-1]
		drop(BadSignature)
	}
	if empty || len(parts) == 0 && !reported {
		pl.report(NoContent, m)
	}
	for _, p := range parts {
		pl.add(true, p)
	}
}

// thinkingCode tells thinking of Claude's that lost its signature from that of other models, which never had one.
func (pl *planner) thinkingCode(m int32) Code {
	e := pl.ix.at(m)
	provider, model := pl.ix.names.text(e.ref), strings.ToLower(pl.ix.names.text(e.ref2))
	if provider == "" || strings.Contains(provider, "anthropic") || strings.Contains(model, "claude") {
		return BadSignature
	}
	return OtherThought
}

// A due is a call that was sent and whose result was not yet.
type due struct {
	call
	entry   int32
	renamed *alteration
}

// answer adds the results that are due when entry i comes up.
func (pl *planner) answer(i int) {
	for _, d := range pl.due {
		pl.add(false, pl.result(i, d))
	}
	pl.due = pl.due[:0]
}

// result is the answer to a call.
func (pl *planner) result(i int, d due) part {
	p := part{what: partResult, id: d.id, entry: d.entry, block: -1}
	var alter alteration
	if d.renamed != nil {
		alter.id = d.renamed.id
	}
	if d.call.answer < 0 {
		pl.report(NoResult, d.entry)
		alter.text = noResultLine
	} else {
		a := pl.pairs.answers[d.call.answer]
		p.entry, p.block = pl.entries[a.message], int32(a.block)
		if pl.spoken[a.message] > pl.spoken[min(i, a.message)] {
			pl.report(ResultAway, p.entry)
		}
		pl.checkResult(&p, &alter)
	}
	if alter != (alteration{}) {
		p.alter = &alter
	}
	return p
}

// checkResult looks at the content of a result.
func (pl *planner) checkResult(p *part, alter *alteration) {
	if p.block >= 0 {
		pl.checkInnerResult(p, alter)
		return
	}
	filled, empty := false, false
	for _, b := range pl.ix.blocksOf(p.entry) {
		switch b.kind {
		case blockText:
			filled = filled || b.flags&blank == 0
			empty = empty || b.flags&blank != 0
		case blockImage:
			filled = true
			if b.flags&sendable == 0 || b.flags&mistyped != 0 {
				pl.report(BadImage, p.entry)
			}
		default:
			if !pl.ix.Dialect.IsClaw0() {
				pl.report(OddBlock, p.entry)
			}
			filled = filled || pl.ix.Dialect.IsClaw0()
		}
	}
	if !filled && pl.ix.at(p.entry).has(errorResult) {
		empty = true
		alter.text = noOutputLine
	}
	if empty {
		pl.report(NoContent, p.entry)
	}
}

// checkInnerResult does the same for one that is a block of a message.
func (pl *planner) checkInnerResult(p *part, alter *alteration) {
	flags := pl.ix.blocksOf(p.entry)[p.block].flags
	if flags&oddResult != 0 {
		pl.report(OddBlock, p.entry)
	}
	if flags&emptyResult != 0 && flags&failedResult != 0 {
		pl.report(NoContent, p.entry)
		alter.text = noOutputLine
	}
}

// user adds what is not the model's own.
func (pl *planner) user(m int32) {
	sent, reported, empty := false, false, false
	for at, b := range pl.ix.blocksOf(m) {
		p := part{entry: m, block: int32(at)}
		switch {
		case b.kind == blockText && b.flags&blank == 0:
		case b.kind == blockText:
			empty = true
			continue
		case b.kind == blockImage:
			p.what = partImage
			if b.flags&sendable == 0 {
				p.what, p.alter = partLine, &alteration{text: badImageLine}
			}
			if b.flags&sendable == 0 || b.flags&mistyped != 0 {
				pl.report(BadImage, m)
			}
		case b.kind == blockResult:
			reported = true // sent with its call, or reported as one without
			continue
		default:
			pl.report(OddBlock, m)
			reported = true
			continue
		}
		pl.add(false, p)
		sent = true
	}
	if empty || !sent && !reported {
		pl.report(NoContent, m)
	}
}

// add puts a part behind those before it.
func (pl *planner) add(assistant bool, p part) {
	if e := pl.ix.at(p.entry); e.has(loneSurrogate|badText) && p.what != partLine && pl.lastText != p.entry {
		pl.report(BadText, p.entry)
		pl.lastText = p.entry
	}
	if len(pl.current.parts) > 0 && pl.current.assistant != assistant {
		pl.finish(false)
	}
	if !pl.begun && assistant {
		pl.report(NotUserFirst, p.entry)
		pl.emit(message{parts: []part{{what: partLine, entry: p.entry, alter: &alteration{text: openingLine}}}})
	}
	pl.begun = true
	pl.current.assistant = assistant
	pl.current.parts = append(pl.current.parts, p)
}

// finish emits the current message.
func (pl *planner) finish(last bool) {
	m := pl.current
	if len(m.parts) == 0 {
		return
	}
	if p := &m.parts[len(m.parts)-1]; last && m.assistant && p.what == partText && pl.ix.blocksOf(p.entry)[p.block].flags&openEnded != 0 {
		pl.report(OpenEnd, p.entry)
		p.alter = &alteration{trimmed: true}
	}
	pl.emit(m)
	pl.current = message{}
}

var allowedID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// rename gives a call another id or name where it needs one.
func (pl *planner) rename(c call, m int32) *alteration {
	id, name := pl.ix.names.text(c.id), pl.ix.names.text(c.name)
	alter := alteration{}
	fits := isAllowed(id) && (pl.limits.ID == 0 || len(id) <= pl.limits.ID)
	if !fits || pl.used[c.id] || pl.renamed[id] {
		alter.id = pl.freeID(id)
		pl.report(BadID, m)
	}
	pl.used[c.id] = true
	if allowed := toolName(name, pl.limits.Name); allowed != name {
		alter.name = allowed
		pl.report(BadName, m)
	}
	if alter == (alteration{}) {
		return nil
	}
	return &alter
}

// isAllowed reports whether the API takes an id.
func isAllowed(id string) bool { return id != "" && allowedID.MatchString(id) }

// freeID makes an id that is allowed and not used yet.
func (pl *planner) freeID(id string) string {
	base := allowedText(id)
	if pl.limits.ID > 0 && len(base) > pl.limits.ID-8 {
		base = base[:pl.limits.ID-8]
	}
	if base == "" {
		base = renamedPrefix
	}
	for {
		free := base
		if n := pl.next[base]; n > 0 {
			free = fmt.Sprintf("%s_%d", base, n+1)
		}
		pl.next[base]++
		s, known := pl.ix.names.find([]byte(free))
		if !pl.renamed[free] && !(known && pl.used[s]) {
			pl.renamed[free] = true
			return free
		}
	}
}

// allowedText replaces what the API does not allow in ids and names.
func allowedText(text string) string {
	b := []byte(text)
	for i, c := range b {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			b[i] = '_'
		}
	}
	return string(b)
}

// toolName is a tool's name as the API allows it.
func toolName(name string, limit int) string {
	allowed := allowedText(name)
	switch {
	case allowed == "":
		return "unknown"
	case limit > 0 && len(allowed) > limit:
		return allowed[:limit]
	}
	return allowed
}
