package answering

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"clawctl/internal/ui"
	"clawctl/pkg/export/handoff"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/mcp"
	"clawctl/pkg/read/parts"
	finder "clawctl/pkg/read/search"
	"clawctl/pkg/source"
	"clawctl/pkg/window/summary"
)

// An output takes what a command prints, and makes the body of an answer from it that has room.
type output interface {
	io.Writer
	body(room int) string
	remark() string // what clawctl says if the body is empty and the command does not say why, or ""
}

// A silent output has no remark.
type silent struct{}

func (silent) remark() string { return "" }

// whole takes the output of a command that knows the room.
type whole struct {
	silent
	bytes.Buffer
}

func newWhole(mcp.Values) output { return &whole{} }

// body is all of it, without the head of an answer, because a label says the same.
func (w *whole) body(int) string { return strings.TrimPrefix(w.String(), finder.AnswerHead+"\n") }

// lines takes a report of which any number of lines makes sense.
type lines struct {
	silent
	bytes.Buffer
}

func newLines(mcp.Values) output { return &lines{} }

func (l *lines) body(room int) string {
	return fitLines(slices.Collect(strings.Lines(l.String())), room)
}

// fields takes a JSON object, of which every field becomes a line.
type fields struct {
	silent
	bytes.Buffer
}

func newFields(mcp.Values) output { return &fields{} }

func (f *fields) body(room int) string {
	var list []string
	text := f.Bytes()
	if at := bytes.IndexByte(text, '{'); at >= 0 {
		for m := range jsontext.Members(text, at) {
			if m.Key != "schema_version" {
				list = append(list, m.Key+": "+string(text[m.Value:m.End])+"\n")
			}
		}
	}
	return fitLines(list, room)
}

// objects takes a line of JSON after the other.
type objects struct {
	rest []byte
	take func(line []byte)
	fit  func(room int) string // the body of what was taken
	none func() string         // the remark if nothing was taken
}

func (o *objects) body(room int) string { return o.fit(room) }

func (o *objects) remark() string { return o.none() }

func (o *objects) Write(p []byte) (int, error) {
	o.rest = append(o.rest, p...)
	for {
		end := bytes.IndexByte(o.rest, '\n')
		if end < 0 {
			return len(p), nil
		}
		o.take(o.rest[:end])
		o.rest = append(o.rest[:0], o.rest[end+1:]...)
	}
}

// list takes the rows of sessions.
type list struct{ rows []string }

func newList(mcp.Values) output {
	l := &list{}
	return &objects{take: l.row, fit: l.body, none: func() string { return "no sessions found" }}
}

func (l *list) row(line []byte) {
	var r struct {
		Key, Generation, Kind, Title, Last string
		Messages                           *int64
	}
	if json.Unmarshal(line, &r) != nil {
		return
	}
	words := []string{r.Kind}
	if r.Messages != nil {
		words = append(words, ui.Count(*r.Messages, "message"))
	}
	if r.Last != "" {
		words = append(words, "last used "+r.Last)
	}
	name := (&source.Session{Key: r.Key, Generation: r.Generation}).Name()
	l.rows = append(l.rows, fmt.Sprintf("- %s (%s): %s\n", ui.EscapeLine(name), strings.Join(words, ", "),
		ui.EscapeLine(r.Title)))
}

func (l *list) body(room int) string { return fitLines(l.rows, room) }

// newAnswer returns an answer of cited messages.
func newAnswer(room int) *finder.Answer {
	return &finder.Answer{Budget: room, Count: count, Write: finder.Citation.Markdown}
}

// hits takes the hits of a search.
type hits struct{ found []finder.Citation }

func newHits(mcp.Values) output {
	h := &hits{}
	return &objects{take: h.row, fit: h.body, none: silent{}.remark} // the command says it
}

func (h *hits) row(line []byte) {
	var r finder.HitRow
	if json.Unmarshal(line, &r) != nil {
		return
	}
	c := finder.Citation{Number: len(h.found) + 1, Name: r.Session, RankedHit: finder.RankedHit{Whole: r.Snippet}}
	c.Hit = finder.Hit{Entry: r.Entry, Place: r.In, Tool: r.Tool, Time: parseTime(r.Time)}
	h.found = append(h.found, c)
}

func (h *hits) body(room int) string {
	a := newAnswer(room)
	for i, c := range h.found {
		a.AddAt(i, c)
	}
	return strings.TrimPrefix(a.Text()+a.Note(), "\n")
}

// How much is kept of the messages of a session, until it is known what has room.
const (
	maxParts = 5_000
	maxText  = 200_000 // characters of one part
)

// messages takes the parts of a session. Those next to an entry, or next to the end, get the room.
type messages struct {
	entry string
	found []finder.Citation
	other map[parts.Kind]int // how many parts are not read
}

func newMessages(values mcp.Values) output {
	m := &messages{entry: values["entry"], other: map[parts.Kind]int{}}
	return &objects{take: m.part, fit: m.body, none: m.nothing}
}

// A partRow is a part as show prints it.
type partRow struct {
	Kind             parts.Kind
	Entry, Time      string
	Tool, Text       string
	Arguments, Value json.RawMessage
}

func (m *messages) part(line []byte) {
	var r partRow
	if json.Unmarshal(line, &r) != nil {
		return
	}
	if !isRead(r.Kind) {
		m.other[r.Kind]++
		return
	}
	whole, most := r.Text+string(r.Arguments)+string(r.Value), maxText
	if r.Kind == parts.Call || r.Kind == parts.Result {
		most = handoff.ToolLength
	}
	text := summary.Beginning(whole, most)
	c := finder.Citation{RankedHit: finder.RankedHit{Whole: text}, IsCut: len(text) < len(whole)}
	c.Hit = finder.Hit{Entry: r.Entry, Place: string(r.Kind), Tool: r.Tool, Time: parseTime(r.Time)}
	if m.found = append(m.found, c); len(m.found) > maxParts && m.entry == "" {
		m.found = slices.Delete(m.found, 0, len(m.found)-maxParts)
	}
}

// isRead reports whether a part is something that people read.
func isRead(kind parts.Kind) bool {
	switch kind {
	case parts.User, parts.Assistant, parts.Call, parts.Result, parts.Failure, parts.Compaction, parts.Checkpoint,
		parts.BranchSummary, parts.Reset:
		return true
	}
	return false
}

func (m *messages) body(room int) string {
	a := newAnswer(room)
	for _, i := range m.nearest() {
		a.AddAt(i, m.found[i])
	}
	return strings.TrimPrefix(a.Text()+a.Note(), "\n")
}

// nothing says that there are no messages, and what there is.
func (m *messages) nothing() string {
	var list []string
	for _, kind := range parts.Kinds {
		if n := m.other[kind]; n > 0 {
			list = append(list, fmt.Sprintf("%s (%d)", strings.ReplaceAll(string(kind), "_", " "), n))
		}
	}
	if list == nil {
		return "the session has no messages and no other records"
	}
	return "the session has no messages to read, only other records: " + strings.Join(list, ", ")
}

// nearest returns the order in which parts get room: those of the entry, and then those after and before it in turn.
// Without an entry, the last one comes first.
func (m *messages) nearest() []int {
	var order []int
	at := len(m.found) - 1
	if m.entry != "" {
		isIt := func(c finder.Citation) bool { return strings.HasPrefix(c.Hit.Entry, m.entry) }
		at = max(0, slices.IndexFunc(m.found, isIt))
	}
	for distance := range len(m.found) {
		if distance == 0 {
			order = append(order, at)
			continue
		}
		if at+distance < len(m.found) {
			order = append(order, at+distance)
		}
		if at-distance >= 0 {
			order = append(order, at-distance)
		}
	}
	return order
}

// parseTime reads a time that clawctl wrote, zero if there is none.
func parseTime(text string) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, text)
	return t
}
