package dataset

import (
	"cmp"
	"io"
	"time"

	"clawctl/internal/ui"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
)

// A Sheet writes messages as CSV, a row each: the columns of the table messages, then agent and month, which the table
// has in the names of its folders, and the text.
type Sheet struct {
	out    *ui.CSV
	masker *redact.Masker
	names  map[*source.Session]string // of their transcripts, if there are several sessions
	cells  cells
	text   []byte
}

// NewSheet returns a sheet that has its header. The masker says what is masked, nil for nothing. The sessions are those
// whose messages are written, as far as they are known.
func NewSheet(w io.Writer, masker *redact.Masker, sessions ...*source.Session) *Sheet {
	if masker == nil {
		masker = &redact.Masker{Raw: true}
	}
	s := &Sheet{out: ui.NewCSV(w), masker: masker, names: nameTranscripts(sessions)}
	var names []string
	for _, c := range columnsOf(&messageRow{}) {
		names = append(names, c.Name)
	}
	_ = s.out.Row(append(names, "agent", "month", "text")) // Flush returns the error
	return s
}

// Flush passes on the rows that were written so far. It returns the first error of the output.
func (s *Sheet) Flush() error { return s.out.Flush() }

// A SheetSession writes the messages of one session.
type SheetSession struct {
	sheet  *Sheet
	of     *source.Session
	agent  string
	origin origin
	maker  parts.Maker
	at     time.Time // of the last record that has one
}

// Session begins a session.
func (s *Sheet) Session(of *source.Session) *SheetSession {
	name, ok := s.names[of]
	if !ok {
		name = nameTranscripts([]*source.Session{of})[of]
	}
	return &SheetSession{sheet: s, of: of, agent: s.masker.Text(of.Agent), origin: origin{
		session: s.masker.Text(of.Key), sessionID: of.ID, file: name,
	}}
}

// Record takes the next record of the session, and writes it if it is wanted and a message. It must see all records,
// because time and usage of a message may depend on those before it.
func (s *SheetSession) Record(rec *jsonl.Record, isWanted bool) (isMessage bool, err error) {
	if s.maker.Mask = nil; isWanted {
		s.maker.Mask = s.sheet.masker.Record
	}
	e := s.maker.Entry(rec)
	if e == nil {
		return false, nil
	}
	if !isWanted {
		s.note(e)
		return false, nil
	}
	at := s.of.Origin(e.Line, e.Offset)
	if e.Line = at.Line; e.Harness != "" {
		e.Path = at.Path
	}
	return s.Entry(e)
}

// note notes the time of an entry.
func (s *SheetSession) note(e *parts.Entry) {
	if !e.Time.IsZero() {
		s.at = e.Time
	}
}

// Entry writes the next entry of the session, masked already, if it is a message.
func (s *SheetSession) Entry(e *parts.Entry) (isMessage bool, err error) {
	s.note(e)
	if _, ok := e.Record.Message(); !ok {
		return false, nil
	}
	base := recordRow{origin: s.origin, line: e.Line, entry: e.ID, at: s.at, role: e.Role, timestamp: e.Time}
	base.file = cmp.Or(e.Path, base.file)
	row := newMessageRow(base, e)
	row.isMirror = e.IsMirror()
	text := s.sheet.textOf(e, row)
	return true, s.sheet.add(row, s.agent, text)
}

// textOf returns the texts of a message, with an empty line between them, and counts their bytes.
func (s *Sheet) textOf(e *parts.Entry, row *messageRow) string {
	s.text = s.text[:0]
	for i := range e.Parts {
		p := &e.Parts[i]
		if p.Kind == parts.Image || p.Body == nil {
			continue
		}
		if len(s.text) > 0 {
			s.text = append(s.text, "\n\n"...)
		}
		start := len(s.text)
		s.text = appendBody(s.text, p.Body)
		row.textBytes += int64(len(s.text) - start)
	}
	return string(s.text)
}

func (s *Sheet) add(row *messageRow, agent, text string) error {
	s.cells = cells{columns: s.cells.columns[:0], texts: s.cells.texts[:0]}
	row.columns(&s.cells)
	return s.out.Row(append(s.cells.texts, agent, stats.Month(row.at), text))
}
