package du

import (
	"cmp"
	"context"

	"clawctl/internal/textid"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// A reading is what the transcripts of one file hold.
type reading struct {
	ledger ledger
	isOnly bool    // there is no other transcript that could have the same records
	pieces []piece // otherwise
	unread []Unread
}

// A piece identifies a record by its text.
type piece struct {
	key   textid.ID
	bytes int64
}

// An examiner reads transcripts.
type examiner struct{ reader jsonl.Reader }

func newExaminer() *examiner { return &examiner{} }

// readFile reads the sessions of a file.
func (e *examiner) readFile(ctx context.Context, f *file, isOnly bool, jobs int) *reading {
	r := &reading{ledger: ledger{}, isOnly: isOnly}
	for _, s := range f.sessions {
		if err := e.readSession(ctx, s, jobs, r); err != nil && ctx.Err() == nil {
			r.unread = append(r.unread, Unread{s.Place(), err})
		}
	}
	return r
}

func (e *examiner) readSession(ctx context.Context, s *source.Session, jobs int, r *reading) error {
	in, err := s.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	e.reader.Reset(in, jsonl.Options{BeforeRead: ctx.Err, Jobs: jobs})
	var bytes int64
	for rec, err := range e.reader.All() {
		if err != nil {
			return err
		}
		bytes += int64(len(rec.Raw))
		r.addRecord(rec)
	}
	r.ledger.add(Session, s.Name(), bytes, 1)
	return nil
}

func (r *reading) addRecord(rec *jsonl.Record) {
	bytes := int64(len(rec.Raw))
	r.ledger.add(Type, typeOf(rec), bytes, 1)
	if r.isOnly {
		r.ledger.add(Copy, first, bytes, 1)
	} else {
		r.pieces = append(r.pieces, piece{textid.Of(rec.Text()), bytes})
	}
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
