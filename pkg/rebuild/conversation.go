package rebuild

import (
	"cmp"
	"slices"
)

// A Conversation is what is sent to an API that accepts it: references to the records it comes from, and every fix that
// was needed. It holds no text.
//
// Messages of one role that follow each other become one, as the API itself would make of them; that is no fix.
type Conversation struct {
	Fixes []Fix

	ix       *Index
	messages []message
	tools    []string // names, in the order of their first use
}

// A message is one of a conversation.
type message struct {
	assistant bool
	pieces    []piece
}

// A piece is one block of a message.
type piece struct {
	kind  pieceKind
	entry int32
	block int32
	id    sym // of a call or the call that a result answers
	alter *alteration
}

type pieceKind uint8

const (
	pieceText      pieceKind = iota // a text block
	pieceThinking                   // a thinking block
	pieceImage                      // an image block
	pieceCall                       // a tool call
	pieceResult                     // a tool result: a whole entry, or a block of one
	pieceNarration                  // an entry that the model gets as text: a summary, a command and its output
	pieceLine                       // a text of our own
)

// An alteration is what differs from the record.
type alteration struct {
	id, name string
	text     string   // of a pieceLine; of a pieceResult, its whole content
	trimmed  bool     // without white space at its end
	trim     *trimmer // how much is sent of a result
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

// Conversation makes the context a conversation for the API.
func (c *Context) Conversation(limits Limits) *Conversation {
	p := &Conversation{ix: c.ix}
	seen := map[string]bool{}
	cm := &composer{
		ix: c.ix, limits: limits,
		emit: func(m message) {
			p.messages = append(p.messages, m)
			for _, piece := range m.pieces {
				if piece.kind != pieceCall {
					continue
				}
				if name := toolName(c.ix.names.text(c.ix.blocksOf(piece.entry)[piece.block].name), limits.Name); !seen[name] {
					seen[name] = true
					p.tools = append(p.tools, name)
				}
			}
		},
		fix: func(f Fix) { p.Fixes = append(p.Fixes, f) },
	}
	cm.run(c.items)
	slices.SortStableFunc(p.Fixes, func(a, b Fix) int { return cmp.Compare(a.Line, b.Line) })
	return p
}

// EachFix calls report for every fix that a conversation would need, without keeping one.
func (c *Context) EachFix(report func(Fix)) {
	cm := &composer{ix: c.ix, limits: LimitsOf("anthropic"), emit: func(message) {}, fix: report}
	cm.run(c.items)
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
func (p *Conversation) Len() int { return len(p.messages) }
