package rebuild

import (
	"cmp"
	"slices"
)

// A Conversation is a list of messages that an API accepts: references to the records they come from, and every fix
// that was needed. It holds no text.
//
// Consecutive messages of one role become one, as the API itself would join them. That is not a fix.
type Conversation struct {
	API   API // that accepts it
	Fixes []Fix

	ix       *Index
	messages []message
	tools    []string // names, in the order of their first use
}

// A message is one message of a conversation.
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
	pieceText       pieceKind = iota // a text block
	pieceThinking                    // a thinking block
	pieceImage                       // an image block
	pieceCall                        // a tool call
	pieceResult                      // a tool result: a complete entry, or a block of one
	pieceNarration                   // an entry that the model gets as text: a summary, or a command and its output
	pieceLine                        // a text written by clawctl
	pieceCheckpoint                  // the checkpoint of a provider
)

// An alteration is a difference between a piece and its record.
type alteration struct {
	id, name string
	text     string   // the text of a pieceLine, or the complete content of a pieceResult
	trimmed  bool     // white space at the end is removed
	trim     *trimmer // limits how much of a result is sent
}

// OpeningLine is what the user says before a conversation that does not start with a user message.
const OpeningLine = "(The beginning of this conversation is no longer part of it.)"

// ClosingLine is what the user says after a conversation that ends with an answer.
const ClosingLine = "Continue."

// The other texts that clawctl adds to a conversation.
const (
	noResultLine  = "[clawctl] No result of this tool call was recorded."
	noOutputLine  = "(no output)"
	badImageLine  = "[An image was left out: the API does not accept it.]"
	renamedPrefix = "call"
)

// Conversation turns the context into a conversation for the API.
func (c *Context) Conversation(limits Limits) *Conversation {
	p := &Conversation{API: limits.api, ix: c.ix}
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

// EachFix calls report for every fix that a conversation would need for the API that it is sent to, without storing the
// fixes.
func (c *Context) EachFix(report func(Fix)) {
	api := c.API()
	cm := &composer{ix: c.ix, limits: apis[api].limits, emit: func(message) {}, fix: func(f Fix) {
		if f.isFatal || !slices.Contains(apis[api].tolerated, f.Code) {
			report(f)
		}
	}}
	if c.judge == NoAPI {
		cm.target = c.lastAnswer()
	}
	cm.apart = c.ix.rules.sendsApart
	cm.run(c.items)
}

// Limits are the differences between APIs.
type Limits struct {
	api        API
	ID         int  // maximum length of the id of a call; 0 means any length
	Name       int  // maximum length of the name of a tool
	NoThinking bool // the API does not accept thinking
	AnyID      bool // the API accepts every id that it has given itself, also if an earlier answer had it
	PairedID   bool // an id is that of a call and that of an item, with "|" between them
	AnyName    bool // the names that the API accepts are not known

	AnyImageSize bool // the API accepts images that are too large for Anthropic's
}

// LimitsOf returns the limits of a format that rebuild writes.
func LimitsOf(form string) Limits {
	if form == FormOpenAI {
		return Limits{api: OpenAICompletions, ID: 40, Name: 64, NoThinking: true}
	}
	return Limits{api: AnthropicMessages, Name: 128}
}

// Len returns the number of messages.
func (p *Conversation) Len() int { return len(p.messages) }
