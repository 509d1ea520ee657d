package tokens

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"clawctl/pkg/jsonl"
)

// A Dimension is a way to divide a Tally.
type Dimension string

// The dimensions.
const (
	BySession Dimension = "session"
	ByMessage Dimension = "message"
	ByRole    Dimension = "role"
	ByTool    Dimension = "tool"
	ByBlock   Dimension = "block"
)

// Dimensions lists every dimension.
var Dimensions = []Dimension{BySession, ByMessage, ByRole, ByTool, ByBlock}

// A Tally adds up the tokens of texts and messages. With a dimension, it also divides them into parts.
type Tally struct {
	Counter  Counter
	By       Dimension // "" for the sum alone
	Total    int64
	Messages int64 // all of them
	Mirrors  int64 // those among them that no model sent
	Copies   int64 // those that say what another says

	parts map[string]int64
}

// A Share is one part of a Tally.
type Share struct {
	Name   string  `json:"name"`
	Tokens int64   `json:"tokens"`
	Share  float64 `json:"share"` // of the total
}

// A Report is the JSON form of a Tally. Fields are added, never renamed.
type Report struct {
	SchemaVersion int     `json:"schema_version"`
	Tokens        int64   `json:"tokens"`
	Encoding      string  `json:"encoding"`
	Messages      *int64  `json:"messages,omitempty"`
	By            string  `json:"by,omitempty"`
	Parts         []Share `json:"parts,omitempty"`
	Mirrors       *int64  `json:"mirrors,omitempty"`         // of the messages
	Copies        *int64  `json:"copied_messages,omitempty"` // of the messages
}

// Report describes the count of an encoding with the given parts.
func (t *Tally) Report(encoding string, parts []Share) *Report {
	r := &Report{SchemaVersion: 1, Tokens: t.Total, Encoding: encoding, By: string(t.By), Parts: parts}
	if t.Messages > 0 {
		r.Messages, r.Mirrors, r.Copies = &t.Messages, &t.Mirrors, &t.Copies
	}
	return r
}

// Sniffed is how much of an input is searched for a record.
const Sniffed = 64 << 10

// HasRecord reports whether the beginning of an input, at most Sniffed bytes, has a record of a transcript. A line that
// is cut off there counts if it begins like one. The reader may have been used before.
func HasRecord(reader *jsonl.Reader, head []byte) bool {
	reader.Reset(bytes.NewReader(head), jsonl.Options{})
	for range reader.All() {
		if reader.Dialect().IsKnown() {
			return true
		}
	}
	found, _ := reader.Recognize(bytes.NewReader(head), nil)
	return len(head) == Sniffed && found.IsTranscript
}

// Add adds tokens to the total and to a part.
func (t *Tally) Add(n int64, part string) {
	t.Total += n
	if t.By == "" {
		return
	}
	if t.parts == nil {
		t.parts = map[string]int64{}
	}
	t.parts[cmp.Or(part, "unknown")] += n
}

// Join adds another tally.
func (t *Tally) Join(other *Tally) {
	t.Total += other.Total
	t.Messages += other.Messages
	t.Mirrors += other.Mirrors
	t.Copies += other.Copies
	if t.parts == nil {
		t.parts = map[string]int64{}
	}
	for part, n := range other.parts {
		t.parts[part] += n
	}
}

// CostsOf returns the costs of the blocks of a record's message. For a record without a message it returns nil. It is
// safe for concurrent use.
func (t *Tally) CostsOf(rec *jsonl.Record) (costs []BlockCost) {
	if m, ok := rec.Message(); ok {
		EachCost(m, t.Counter, func(c BlockCost) { costs = append(costs, c) })
	}
	return costs
}

// AddMessage adds the message of a record with the costs of its blocks. place is the location of its session.
func (t *Tally) AddMessage(m jsonl.Message, rec *jsonl.Record, costs []BlockCost, session, place string) {
	t.Messages++
	if t.By == ByTool || t.By == ByBlock {
		t.addBlocks(m, costs)
		return
	}
	part := m.Role()
	switch t.By {
	case BySession:
		part = session
	case ByMessage:
		part = fmt.Sprintf("%s:%d %s %s", place, rec.Line, m.Role(), rec.ID())
	}
	tokens := int64(MessageOverhead)
	for _, c := range costs {
		tokens += int64(c.Tokens)
	}
	t.Add(tokens, part)
}

func (t *Tally) addBlocks(m jsonl.Message, costs []BlockCost) {
	t.Add(MessageOverhead, "message overhead")
	for _, c := range costs {
		name := c.Type
		if t.By == ByTool {
			name = cmp.Or(c.Tool, m.ToolName(), "no tool")
		}
		t.Add(int64(c.Tokens), name)
	}
}

// Largest returns the n largest parts, largest first, or all of them if n is 0.
func (t *Tally) Largest(n int) []Share {
	var shares []Share
	for name, tokens := range t.parts {
		s := Share{Name: name, Tokens: tokens}
		if t.Total > 0 {
			s.Share = float64(tokens) / float64(t.Total)
		}
		shares = append(shares, s)
	}
	slices.SortFunc(shares, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), strings.Compare(a.Name, b.Name))
	})
	if n > 0 && len(shares) > n {
		shares = shares[:n]
	}
	return shares
}
