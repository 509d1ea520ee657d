package rebuild

import (
	"iter"
	"slices"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext/javascript"
)

// A pairing says which results answer which calls, as OpenClaw pairs them: by id, in the order of the calls, among the
// results up to the next message with calls. A result that matches nothing there belongs to the only earlier call with
// its id that is still open.
type pairing struct {
	frames   []frame
	answers  []answer
	dropped  []int // answers to a call that has another answer
	orphaned []int // answers to no call

	lastCall map[sym]int // the last message that has a call with an id; made when needed
}

// A frame is an assistant message with calls.
type frame struct {
	message int // index into the messages
	calls   []call
}

// A call is a tool call of a message.
type call struct {
	block  int // index into the blocks of the message
	id     sym
	name   sym
	answer int // -1 if none
}

// An answer is a tool result: a message of its own, or a block of one.
type answer struct {
	message int
	block   int // -1 for a message of its own
	id      sym
	fake    bool // OpenClaw inserted it for a missing one
}

// pair pairs the calls and results of messages in order. counts decides which calls take part. OpenClaw itself ignores
// results inside user messages.
func (ix *Index) pair(messages []int32, counts func(*block) bool, inUsers bool) *pairing {
	f := &framer{
		ix: ix, pairing: ix.roomForPairs(messages),
		open: map[sym][]*call{}, own: map[sym]bool{}, fakes: map[sym][]*call{}, late: map[sym][]*call{},
	}
	for i, m := range messages {
		e := ix.at(m)
		switch {
		case e.kind != kindMessage:
		case e.role == roleAssistant:
			f.begin(i, m, counts)
		case e.role == roleToolResult:
			f.answer(answer{i, -1, f.idOf(e), e.has(synthetic)})
		case e.role == roleUser && inUsers:
			for at, b := range ix.blocksOf(m) {
				if b.kind == jsonl.BlockToolResult {
					f.answer(answer{i, at, b.id, false})
				}
			}
		}
	}
	f.settle()
	return f.pairing
}

// roomForPairs returns a pairing with room for the calls and results of messages. Slices that grow would take twice as
// much memory as a long path needs.
func (ix *Index) roomForPairs(messages []int32) *pairing {
	frames, answers := 0, 0
	for _, m := range messages {
		switch e := ix.at(m); {
		case e.role == roleToolResult:
			answers++
		case e.role == roleAssistant && slices.ContainsFunc(ix.blocksOf(m), isCall):
			frames++
		}
	}
	return &pairing{frames: make([]frame, 0, frames), answers: make([]answer, 0, answers)}
}

// calls yields the calls of all messages, each with those of its message.
func (p *pairing) calls() iter.Seq2[*frame, *call] {
	return func(yield func(*frame, *call) bool) {
		for at := range p.frames {
			f := &p.frames[at]
			for i := range f.calls {
				if !yield(f, &f.calls[i]) {
					return
				}
			}
		}
	}
}

// orphanCode distinguishes a result whose call comes later from one that has no call.
func (p *pairing) orphanCode(at int) failure.Code {
	if p.lastCall == nil {
		p.lastCall = map[sym]int{}
		for f, c := range p.calls() {
			p.lastCall[c.id] = f.message
		}
	}
	if last, called := p.lastCall[p.answers[at].id]; called && last > p.answers[at].message {
		return ResultFirst
	}
	return NoCall
}

// A framer pairs calls and results one message at a time.
type framer struct {
	pairing *pairing
	ix      *Index
	open    map[sym][]*call // unanswered calls of the current frame
	own     map[sym]bool    // ids of the current frame
	fakes   map[sym][]*call // calls of the current frame that a synthetic result answers
	loose   []looseAnswer   // answers that matched nothing in their frame
	late    map[sym][]*call // calls of all frames up to now that are still open
}

// A looseAnswer is an answer that matches no call of its frame.
type looseAnswer struct{ answer, frame int }

// begin starts a frame if the message has calls.
func (f *framer) begin(i int, m int32, counts func(*block) bool) {
	var calls []call
	blocks := f.ix.blocksOf(m)
	for at := range blocks { // a copy of each block would be allocated
		if b := &blocks[at]; b.kind == jsonl.BlockToolCall && counts(b) {
			calls = append(calls, call{at, b.id, b.name, -1})
		}
	}
	if len(calls) == 0 {
		return
	}
	f.pairing.frames = append(f.pairing.frames, frame{i, calls})
	clear(f.open)
	clear(f.own)
	clear(f.fakes)
	for k := range calls {
		c := &calls[k]
		f.open[c.id] = append(f.open[c.id], c)
		f.own[c.id] = true
	}
}

// answer assigns a result to the first open call with its id.
func (f *framer) answer(a answer) {
	at := len(f.pairing.answers)
	f.pairing.answers = append(f.pairing.answers, a)
	switch open := f.open[a.id]; {
	case len(f.pairing.frames) == 0:
		f.pairing.orphaned = append(f.pairing.orphaned, at)
	case len(open) > 0:
		open[0].answer = at
		f.open[a.id] = open[1:]
		if a.fake {
			f.fakes[a.id] = append(f.fakes[a.id], open[0])
		}
	case !f.own[a.id]:
		f.loose = append(f.loose, looseAnswer{at, len(f.pairing.frames) - 1})
	case !a.fake && len(f.fakes[a.id]) > 0:
		c := f.fakes[a.id][0]
		f.fakes[a.id] = f.fakes[a.id][1:]
		f.pairing.dropped = append(f.pairing.dropped, c.answer)
		c.answer = at
	default:
		f.pairing.dropped = append(f.pairing.dropped, at)
	}
}

// idOf returns the id of the call that a result names. A result without an id belongs to the only call of its frame,
// unless that call uses another tool.
func (f *framer) idOf(e *entry) sym {
	if e.ref != missing || len(f.pairing.frames) == 0 || len(f.pairing.frames[len(f.pairing.frames)-1].calls) != 1 {
		return e.ref
	}
	only := f.pairing.frames[len(f.pairing.frames)-1].calls[0]
	result, tool := javascript.Trim(f.ix.names.text(e.ref2)), javascript.Trim(f.ix.names.text(only.name))
	if result != "" && tool != "" && result != tool {
		return missing
	}
	return only.id
}

// settle assigns loose results to the only earlier call that is still open.
func (f *framer) settle() {
	next := 0
	for at := range f.pairing.frames {
		for k := range f.pairing.frames[at].calls {
			if c := &f.pairing.frames[at].calls[k]; f.isOpen(c, true) {
				f.late[c.id] = append(f.late[c.id], c)
			}
		}
		for ; next < len(f.loose) && f.loose[next].frame == at; next++ {
			f.adopt(f.loose[next].answer)
		}
	}
}

// isOpen reports whether a call has no result yet, or only a synthetic one that may be replaced.
func (f *framer) isOpen(c *call, replaceable bool) bool {
	return c.answer < 0 || replaceable && f.pairing.answers[c.answer].fake
}

func (f *framer) adopt(at int) {
	a := f.pairing.answers[at]
	late := f.late[a.id]
	for len(late) > 0 && !f.isOpen(late[len(late)-1], true) {
		late = late[:len(late)-1]
	}
	for len(late) > 0 && !f.isOpen(late[0], true) {
		late = late[1:] // answered, and not needed again
	}
	f.late[a.id] = late
	var fit *call
	for _, c := range late {
		if !f.isOpen(c, !a.fake) {
			continue
		}
		if fit != nil {
			fit = nil // more than one: ambiguous
			break
		}
		fit = c
	}
	if fit == nil || a.id == missing {
		f.pairing.orphaned = append(f.pairing.orphaned, at)
		return
	}
	if fit.answer >= 0 {
		f.pairing.dropped = append(f.pairing.dropped, fit.answer)
	}
	fit.answer = at
}

// blocksOf returns the blocks of an entry.
func (ix *Index) blocksOf(i int32) []block {
	i = ix.contentEntry(i)
	end := ix.blocks.end()
	if int(i)+1 < ix.len()+len(ix.inner) {
		end = ix.at(i + 1).blocks
	}
	return ix.blocks.between(ix.at(i).blocks, end)
}

// resetKeeps selects the entries before a reset that it keeps: user messages, answers, and results that answer a call.
func (ix *Index) resetKeeps(path []int32) map[int32]bool {
	var messages []int32
	keeps := map[int32]bool{}
	for _, i := range path {
		e := ix.at(i)
		if e.kind != kindMessage {
			continue
		}
		messages = append(messages, i)
		if e.role == roleUser || e.role == roleAssistant {
			keeps[i] = true
		}
	}
	p := ix.pair(messages, func(b *block) bool { return b.flags&pairs != 0 }, false)
	for _, c := range p.calls() {
		if c.answer >= 0 {
			keeps[messages[p.answers[c.answer].message]] = true
		}
	}
	return keeps
}
