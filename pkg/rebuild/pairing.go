package rebuild

import "strings"

// A frame is an assistant message with calls, and the results that answer them, as OpenClaw pairs them: by the id and
// the order in which it was called, in the messages up to the next such message. A result that fits nothing there
// belongs to the one call before with its id that is still open.
type frame struct {
	message int // index into the messages
	calls   []call
}

// A call is a tool call of a message and the message that answers it.
type call struct {
	block  int // index into the blocks of the message
	id     sym
	name   sym
	result int // index into the messages, -1 where there is none
}

// A pairing is which results answer which calls.
type pairing struct {
	frames   []frame
	dropped  []int // results that answer a call which another result answers
	orphaned []int // results that answer no call
}

// pair pairs the calls and results of messages in order. counts decides which calls take part.
func (ix *Index) pair(messages []int32, counts func(*block) bool) *pairing {
	p := &pairing{}
	f := &framer{ix: ix, messages: messages, p: p, open: map[sym][]*call{}, late: map[sym][]*call{}}
	for i, m := range messages {
		e := &ix.entries[m]
		switch {
		case e.kind != kindMessage:
		case e.role == roleAssistant:
			f.begin(i, m, counts)
		case e.role == roleToolResult && len(p.frames) > 0:
			f.answer(i, e)
		case e.role == roleToolResult:
			p.orphaned = append(p.orphaned, i)
		}
	}
	f.settle()
	return p
}

// A framer pairs as it goes.
type framer struct {
	ix       *Index
	messages []int32
	p        *pairing
	open     map[sym][]*call // unanswered calls of the current frame
	own      map[sym]bool    // ids of the current frame
	fake     map[sym][]*call // calls of the current frame that a synthetic result answers
	loose    []loose         // results that fitted nothing in their frame
	late     map[sym][]*call // calls of all frames so far that are still open
}

// loose is a result that answers no call of its frame.
type loose struct {
	message int
	frame   int
}

// begin opens a frame, if the message has calls.
func (f *framer) begin(i int, m int32, counts func(*block) bool) {
	var calls []call
	for at, b := range f.ix.blocksOf(m) {
		if b.kind == blockCall && counts(&b) {
			calls = append(calls, call{at, b.id, b.name, -1})
		}
	}
	if len(calls) == 0 {
		return
	}
	f.p.frames = append(f.p.frames, frame{i, calls})
	f.open, f.own, f.fake = map[sym][]*call{}, map[sym]bool{}, map[sym][]*call{}
	for k := range calls {
		c := &calls[k]
		f.open[c.id] = append(f.open[c.id], c)
		f.own[c.id] = true
	}
}

// answer gives a result to the first open call of its id.
func (f *framer) answer(i int, e *entry) {
	id := f.idOf(e)
	switch open := f.open[id]; {
	case len(open) > 0:
		open[0].result = i
		f.open[id] = open[1:]
		if e.has(synthetic) {
			f.fake[id] = append(f.fake[id], open[0])
		}
	case !f.own[id]:
		f.loose = append(f.loose, loose{i, len(f.p.frames) - 1})
	case !e.has(synthetic) && len(f.fake[id]) > 0:
		c := f.fake[id][0]
		f.fake[id] = f.fake[id][1:]
		f.p.dropped = append(f.p.dropped, c.result)
		c.result = i
	default:
		f.p.dropped = append(f.p.dropped, i)
	}
}

// idOf returns the call that a result names. One without any id belongs to the only call of its frame, unless that is of
// another tool.
func (f *framer) idOf(e *entry) sym {
	calls := f.p.frames[len(f.p.frames)-1].calls
	if e.ref != missing || len(calls) != 1 {
		return e.ref
	}
	result, tool := trimmed(f.ix.names.text(e.ref2)), trimmed(f.ix.names.text(calls[0].name))
	if result != "" && tool != "" && result != tool {
		return missing
	}
	return calls[0].id
}

// settle gives loose results to the one call before them that is still open.
func (f *framer) settle() {
	next := 0
	for at := range f.p.frames {
		for k := range f.p.frames[at].calls {
			c := &f.p.frames[at].calls[k]
			if f.isOpen(c, true) {
				f.late[c.id] = append(f.late[c.id], c)
			}
		}
		for ; next < len(f.loose) && f.loose[next].frame == at; next++ {
			f.adopt(f.loose[next].message)
		}
	}
}

// isOpen reports whether a call has no result yet, or only a synthetic one where that may be replaced.
func (f *framer) isOpen(c *call, replaceable bool) bool {
	return c.result < 0 || replaceable && f.entryOf(c.result).has(synthetic)
}

func (f *framer) entryOf(message int) *entry { return &f.ix.entries[f.messages[message]] }

func (f *framer) adopt(message int) {
	e := f.entryOf(message)
	var fit *call
	for _, c := range f.late[e.ref] {
		if !f.isOpen(c, !e.has(synthetic)) {
			continue
		}
		if fit != nil {
			fit = nil // more than one: nobody can tell which
			break
		}
		fit = c
	}
	if fit == nil || e.ref == missing {
		f.p.orphaned = append(f.p.orphaned, message)
		return
	}
	if fit.result >= 0 {
		f.p.dropped = append(f.p.dropped, fit.result)
	}
	fit.result = message
}

func trimmed(text string) string { return strings.TrimFunc(text, isSpace) }

// blocksOf returns the blocks of an entry.
func (ix *Index) blocksOf(i int32) []block {
	end := len(ix.blocks)
	if int(i)+1 < len(ix.entries) {
		end = int(ix.entries[i+1].blocks)
	}
	return ix.blocks[ix.entries[i].blocks:end]
}

// resetKeeps picks what a reset keeps of the entries before it: users, assistants, and results that answer a call.
func (ix *Index) resetKeeps(path []row) map[int32]bool {
	var messages []int32
	keeps := map[int32]bool{}
	for _, r := range path {
		e := &ix.entries[r.entry]
		if e.kind != kindMessage {
			continue
		}
		messages = append(messages, r.entry)
		if e.role == roleUser || e.role == roleAssistant {
			keeps[r.entry] = true
		}
	}
	for _, f := range ix.pair(messages, func(b *block) bool { return b.flags&pairs != 0 }).frames {
		for _, c := range f.calls {
			if c.result >= 0 {
				keeps[messages[c.result]] = true
			}
		}
	}
	return keeps
}
