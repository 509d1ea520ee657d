package rebuild

import (
	"crypto/sha256"
	"hash"
	"slices"
	"sort"
	"sync/atomic"

	"clawctl/pkg/jsonl"
)

// This file hashes messages while a transcript is read for the first time, so that Prove seldom has to read it again.
// Which rows form a message is known only after the last one. But nearly every message consists of rows that follow
// each other, and does not depend on others.

// A sentPiece is what a record adds to a message of a request, in the form whose hash is logged.
type sentPiece struct {
	role   string // of the message, "" if the piece is not known
	blocks []byte // sorted JSON, with commas between them
	space  []jsonl.Member
	// beginsText says that a text before the piece must end its line, and endsText that a piece after it may ask so.
	// Then after is what follows the text, if it can be made to end its line, and endsLine says that it does.
	beginsText, endsText, endsLine bool
	after                          string
}

// mostPiece is the size of pieces whose memory is used again.
const mostPiece = 64 << 10

// reset forgets a piece, but not its memory.
func (p *sentPiece) reset() { *p = sentPiece{blocks: p.blocks[:0], space: p.space[:0]} }

// release lets go of the text of the record, and of much memory.
func (p *sentPiece) release() {
	clear(p.space[:cap(p.space)])
	if cap(p.blocks) > mostPiece {
		p.blocks = nil
	}
	if cap(p.space) > mostKept {
		p.space = nil
	}
}

// A requestWatch decides whether messages are hashed. A transcript whose first messages have no log of requests
// probably has none later.
type requestWatch struct {
	messages atomic.Int32
	isLogged atomic.Bool // a request has been seen
}

// trialMessages is how many messages are hashed before a request is seen.
const trialMessages = 64

// expects reports whether another message is hashed.
func (w *requestWatch) expects() bool { return w.isLogged.Load() || w.messages.Add(1) <= trialMessages }

// piece reads what a record adds to a message of a request.
func (s *sketcher) piece(rec *jsonl.Record) {
	if !s.e.kind.isSaid() || s.watch == nil || rec.Translator() == nil || !s.watch.expects() {
		return
	}
	if rules := rulebooks[rec.Translator()]; rules != nil && rules.piece != nil {
		rules.piece(&s.sketch.sent, rec)
	}
}

// isSaid reports whether entries of a kind are messages, or take the place of some.
func (k kind) isSaid() bool { return k == kindMessage || k == kindCompaction }

// A knownSum is the hash of the message that some rows form, if they form one and nothing else does.
type knownSum struct {
	rows []int32
	role string
	sum  hashSum
}

// A summer hashes the messages of rows that follow each other.
type summer struct {
	state  hash.Hash
	rows   []int32 // of the message so far, none if there is none
	role   string
	answer sym        // whose part the rows are
	last   sentPiece  // without its blocks
	sums   []knownSum // in the order of their last rows
	space  []int32    // for rows of sums
	text   []byte     // used again and again
}

// take adds the piece of an entry to the message before it, or begins another one.
func (s *summer) take(i int32, answer sym, p *sentPiece) {
	if s.continues(answer, p) {
		if p.beginsText && s.last.endsText && !s.last.endsLine {
			s.write(`\n`)
		}
		s.write(s.last.after, ",")
	} else {
		s.finish()
		if p.role == "" {
			return
		}
		s.begin(p.role, answer)
	}
	s.rows = append(s.rows, i)
	_, _ = s.state.Write(p.blocks[:len(p.blocks)-len(p.after)])
	s.last = sentPiece{endsText: p.endsText, endsLine: p.endsLine, after: p.after}
}

// continues reports whether a piece continues the message so far.
func (s *summer) continues(answer sym, p *sentPiece) bool {
	isNext := len(s.rows) > 0 && p.role == s.role && answer == s.answer
	return isNext && (!p.beginsText || !s.last.endsText || s.last.after != "")
}

// write hashes a few bytes.
func (s *summer) write(texts ...string) {
	s.text = s.text[:0]
	for _, text := range texts {
		s.text = append(s.text, text...)
	}
	_, _ = s.state.Write(s.text)
}

// begin begins a message.
func (s *summer) begin(role string, answer sym) {
	if s.state == nil {
		s.state = sha256.New()
	}
	s.state.Reset()
	s.role, s.answer = role, answer
	s.write(`{"content":[`)
}

// finish notes the hash of a message.
func (s *summer) finish() {
	if len(s.rows) == 0 {
		return
	}
	s.write(s.last.after, `],"role":"`, s.role, `"}`)
	known := knownSum{role: s.role, rows: s.keep()}
	s.state.Sum(known.sum[:0])
	s.sums = append(s.sums, known)
	s.rows = s.rows[:0]
}

// keep returns a copy of the rows.
func (s *summer) keep() []int32 {
	if cap(s.space)-len(s.space) < len(s.rows) {
		s.space = make([]int32, 0, max(1024, len(s.rows)))
	}
	start := len(s.space)
	s.space = append(s.space, s.rows...)
	return s.space[start:len(s.space):len(s.space)]
}

// takePiece adds what a sketch adds to a message. Rows that are not messages may stand between those of one.
func (s *scanner) takePiece(e *entry, sk *sketch) {
	if !e.kind.isSaid() || s.studio.watch == nil {
		return
	}
	row := int32(s.ix.count - 1)
	answer := s.ix.answers[row]
	if sk.sent.role != "" && e.role == roleAssistant && !answer.isName() {
		sk.sent.role = ""
	}
	s.summer.take(row, answer, &sk.sent)
}

// sumOf returns the hash of the message that a group of entries forms, if it is known.
func (ix *Index) sumOf(g *group) (sum hashSum, ok bool) {
	role := ix.rules().plainRole(g)
	if role == "" || len(g.entries) == 0 || !slices.Equal(ix.groupSources(g), g.entries) {
		return sum, false
	}
	last := g.entries[len(g.entries)-1]
	at := sort.Search(len(ix.sums), func(i int) bool {
		rows := ix.sums[i].rows
		return rows[len(rows)-1] >= last
	})
	if at == len(ix.sums) || ix.sums[at].role != role || !slices.Equal(ix.sums[at].rows, g.entries) {
		return sum, false
	}
	return ix.sums[at].sum, true
}
