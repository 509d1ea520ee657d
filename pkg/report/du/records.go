package du

import (
	"cmp"
	"context"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
)

// A reading is what the transcripts of one file hold.
type reading struct {
	ledger ledger
	copies copyRule
	pieces []piece // if copies may be in other sessions
	unread []Unread
}

// A copyRule says where the copies of a record are looked for.
type copyRule uint8

const (
	nowhere copyRule = iota
	withinSession
	amongSessions
)

// A piece identifies a record.
type piece struct {
	id      stats.RecordID
	bytes   int64
	session int32 // of the file
}

// An examiner reads transcripts.
type examiner struct {
	reader     jsonl.Reader
	identifier stats.Identifier
}

// readFile reads the sessions of a file.
func (e *examiner) readFile(ctx context.Context, f *file, copies copyRule, jobs int) *reading {
	r := &reading{ledger: ledger{}, copies: copies}
	for i, s := range f.sessions {
		if err := e.readSession(ctx, s, int32(i), jobs, r); err != nil && ctx.Err() == nil {
			r.unread = append(r.unread, Unread{s.Place(), err})
		}
	}
	return r
}

func (e *examiner) readSession(ctx context.Context, s *source.Session, number int32, jobs int, r *reading) error {
	in, err := s.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	e.reader.Reset(in, jsonl.Options{BeforeRead: ctx.Err, Jobs: jobs})
	var bytes int64
	counter := stats.NewCounter(s) // which looks for copies within the session
	for rec, err := range e.reader.All() {
		if err != nil {
			return err
		}
		bytes += int64(len(rec.Raw))
		r.addRecord(rec)
		switch r.copies {
		case withinSession:
			status, err := counter.Judge(ctx, rec)
			if err != nil {
				return err
			}
			r.addCopy(status == stats.Copy, int64(len(rec.Raw)))
		case amongSessions:
			r.pieces = append(r.pieces, piece{e.identifier.ID(rec), int64(len(rec.Raw)), number})
		}
	}
	r.ledger.add(Session, s.Name(), bytes, 1)
	return nil
}

// addCopy adds the bytes of a record, or of a copy.
func (r *reading) addCopy(isCopy bool, bytes int64) {
	name := first
	if isCopy {
		name = Again
	}
	r.ledger.add(Copy, name, bytes, 1)
}

func (r *reading) addRecord(rec *jsonl.Record) {
	bytes := int64(len(rec.Raw))
	r.ledger.add(Type, typeOf(rec), bytes, 1)
	tools, contents := splitter{r.ledger, Tool, bytes}, splitter{r.ledger, Content, bytes}
	if rec.Legible() {
		splitRecord(rec, &tools, &contents)
	}
	tools.finish("(no tool)")
	contents.finish(frameOf(rec))
}

// typeOf names the type of a record in the words of reports.
func typeOf(rec *jsonl.Record) string {
	switch {
	case rec.Blank:
		return "blank line"
	case !rec.Legible():
		return "damaged line"
	}
	if m, ok := rec.Message(); ok {
		return m.Role() + " message"
	}
	return cmp.Or(rec.StatedType(), "record without a type")
}

// frameOf names what remains of a record without the parts that are listed by themselves.
func frameOf(rec *jsonl.Record) string {
	if !rec.Legible() {
		return "damaged and blank lines"
	}
	if _, ok := rec.Message(); ok {
		return "ids, times and usage"
	}
	return "other records"
}

// A splitter divides the bytes of one record.
type splitter struct {
	ledger ledger
	view   View
	left   int64
}

func (s *splitter) take(name string, part jsonl.Value) {
	n := min(int64(len(part)), s.left)
	s.ledger.add(s.view, name, n, 1)
	s.left -= n
}

func (s *splitter) finish(name string) {
	if s.left > 0 {
		s.ledger.add(s.view, name, s.left, 1)
	}
}

// splitRecord divides a record by tool and by content.
func splitRecord(rec *jsonl.Record, tools, contents *splitter) {
	m, ok := rec.Message()
	if !ok {
		splitOther(rec, contents)
		return
	}
	isResult := m.ToolCallID() != ""
	var b jsonl.Block
	m.EachBlock(&b, func() {
		contents.take(blockName(b.Kind, isResult), b.Value)
		if b.Kind == jsonl.BlockToolCall {
			tools.take(cmp.Or(b.ToolName().String(), "(unnamed tool)"), b.Value)
		}
	})
	if isResult {
		if details := m.Get("details"); details.Exists() {
			contents.take(partNames["details"], details)
		}
		tools.take(cmp.Or(m.ToolName(), "(unnamed tool)"), rec.Raw)
	}
}

// splitOther divides a record that is no message.
func splitOther(rec *jsonl.Record, contents *splitter) {
	switch rec.Type() {
	case jsonl.TypeCompaction, jsonl.TypeBranchSummary, jsonl.TypeCustom, jsonl.TypeCustomMessage:
		for key, value := range rec.Stated().Members() {
			if name := partNames[key]; name != "" {
				contents.take(name, value)
			}
		}
	}
}

var partNames = map[string]string{"summary": "summaries", "details": "details of results", "data": "data of extensions"}

// blockName names a block of a message in the words of reports.
func blockName(kind jsonl.BlockKind, isResult bool) string {
	switch {
	case kind == jsonl.BlockImage:
		return "images"
	case kind == jsonl.BlockToolCall:
		return "tool calls"
	case kind == jsonl.BlockThinking || kind == jsonl.BlockRedacted:
		return "thinking"
	case isResult || kind == jsonl.BlockToolResult:
		return "tool results"
	case kind == jsonl.BlockText:
		return "text"
	}
	return "other blocks"
}
