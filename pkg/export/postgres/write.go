package postgres

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// A Result says what was written.
type Result struct {
	Sessions, Lines, Damaged int64
	Unread                   []stats.Failure // sessions that could not be read to their end
}

// Write writes the sessions of a host as a stream for psql. It holds one line at a time. A session that cannot be read
// to its end is written as far as that goes, and lines of it that an earlier push wrote stay.
func Write(ctx context.Context, dst io.Writer, host string, sessions []*source.Session) (*Result, error) {
	w := &writer{out: bufio.NewWriterSize(dst, 256<<10), names: map[string]bool{}}
	w.row.out = w.out
	w.out.WriteString(opening())
	walker := stats.NewWalker(stats.Options{Jobs: 1}, source.TotalBytes(sessions))
	for _, f := range stats.Families(ctx, sessions, 1) {
		if err := walker.Family(ctx, f, w); err != nil {
			return &w.result, err // without a COMMIT, nothing happens
		}
	}
	if err := ctx.Err(); err != nil {
		return &w.result, err
	}
	w.out.WriteString("\\.\n" + copyFrom("clawctl_sessions", sessionColumns))
	for i := range w.pushed {
		w.writeSession(&w.pushed[i])
	}
	w.out.WriteString("\\.\n" + merge(host))
	return &w.result, w.out.Flush()
}

// A writer is a visitor that writes what it sees.
type writer struct {
	result Result
	out    *bufio.Writer
	row    rowWriter
	names  map[string]bool
	pushed []pushedSession // the last one is being read
}

// A pushedSession is a session whose lines have been written.
type pushedSession struct {
	session     *source.Session
	key         string
	first, last time.Time
	lines       int64
	complete    bool
	naming      source.Naming
}

// Begin starts a session.
func (w *writer) Begin(s *source.Session) error {
	w.pushed = append(w.pushed, pushedSession{session: s, key: w.nameOf(s), complete: true})
	return nil
}

// nameOf returns the name of a session in the database. Of several with one name, the first gets it.
func (w *writer) nameOf(s *source.Session) string {
	name := clean(s.Name())
	for i := 1; w.names[name]; i++ {
		name = clean(s.Name()) + "@" + digest(s.Root+"\x00"+s.Below+"\x00"+s.Place()+strconv.Itoa(i))
	}
	w.names[name] = true
	return name
}

// End ends a session.
func (w *writer) End(*source.Session, *stats.Tally, error) error {
	w.result.Sessions++
	return nil
}

// Unreadable notes that lines of a session are missing.
func (w *writer) Unreadable(s *source.Session, err error) {
	w.result.Unread = append(w.result.Unread, stats.Failure{Session: s, Err: err})
	if n := len(w.pushed); n > 0 && w.pushed[n-1].session == s {
		w.pushed[n-1].complete = false
	}
}

// statusWords are the values of the column status.
var statusWords = map[stats.Status]string{
	stats.Illegible: "illegible", stats.Copy: "copy", stats.Mirror: "mirror", stats.Included: "counted",
}

// Visit writes the row of a line.
func (w *writer) Visit(rec *jsonl.Record, c *stats.CountedRecord) error {
	s := &w.pushed[len(w.pushed)-1]
	s.lines++
	s.extend(c.At)
	s.naming.Take(rec)
	w.result.Lines++
	if rec.Damage != nil && !rec.Continued {
		w.result.Damaged++
	}
	w.row.text(s.key)
	w.row.int(s.lines)
	w.writeRecord(rec, c.At)
	w.row.text(statusWords[c.Status])
	w.writeGroups(rec, c)
	w.writeFigures(&c.Tally)
	w.row.end()
	_, err := w.out.Write(nil) // the first error of the row
	return err
}

// extend makes the times of a session include one.
func (s *pushedSession) extend(at time.Time) {
	if at.IsZero() {
		return
	}
	if s.first.IsZero() || at.Before(s.first) {
		s.first = at
	}
	if at.After(s.last) {
		s.last = at
	}
}

// writeRecord writes the columns that say what a line is.
func (w *writer) writeRecord(rec *jsonl.Record, at time.Time) {
	if rec.Legible() && !rec.Continued {
		w.row.text(clean(rec.ID()))
		parent, _ := rec.ParentID()
		w.row.textOrNull(clean(parent))
		w.row.text(clean(rec.StatedType()))
	} else {
		w.row.text("")
		w.row.null()
		w.row.text("")
	}
	w.row.int(millis(at))
	data, raw := columnsOf(rec)
	w.row.textOrNull(string(data))
	w.row.bytea(raw)
}

// millis returns a time as the tables have it: 0 if it is not known.
func millis(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMilli()
}

// writeGroups writes the names by which views group.
func (w *writer) writeGroups(rec *jsonl.Record, c *stats.CountedRecord) {
	w.row.textOrNull(clean(c.Kind))
	w.row.textOrNull(clean(c.Provider))
	w.row.textOrNull(clean(c.Model))
	w.row.textOrNull(clean(c.Tool))
	if c.Tool != "" || c.Tally.ToolCalls == 0 {
		w.row.null()
		return
	}
	w.row.array(calledTools(rec))
}

func calledTools(rec *jsonl.Record) []string {
	var names []string
	m, ok := rec.Message()
	if !ok {
		return nil
	}
	for b := range m.Blocks() {
		if call, ok := b.ToolCall(); ok {
			names = append(names, clean(cmp.Or(call.Name, "unknown")))
		}
	}
	return names
}

// writeFigures writes the columns that views add up.
func (w *writer) writeFigures(t *stats.Tally) {
	u := &t.Recorded
	for _, n := range []int64{t.Messages, t.Turns, t.ToolCalls, t.ToolErrors,
		u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Total} {
		w.row.int(n)
	}
	if u.HasCost {
		w.row.text(strconv.FormatFloat(u.Cost, 'f', -1, 64))
	} else {
		w.row.null()
	}
	w.row.int(t.Answers)
	w.row.int(t.Failed)
	w.writeKnown(t, t.UsageStated)
	w.writeKnown(t, t.CostStated)
}

// writeKnown writes whether the paid work of a record states something, and null for a record without paid work.
func (w *writer) writeKnown(t *stats.Tally, stated int64) {
	if t.Work == 0 {
		w.row.null()
		return
	}
	w.row.bool(stated > 0)
}

// Metadata is the column metadata of sessions.
type Metadata struct {
	Key string `json:"key"` // without the generation
	store.Metadata
}

// writeSession writes the row of a session.
func (w *writer) writeSession(p *pushedSession) {
	w.row.text(p.key)
	w.row.int(millis(p.first))
	w.row.int(millis(p.last))
	w.row.text(string(metadataOf(p.session, cmp.Or(p.naming.Name(), p.session.Title()))))
	w.row.int(p.lines)
	w.row.bool(p.complete)
	w.row.end()
}

// metadataOf returns the metadata of a session, without its registration if PostgreSQL cannot hold that.
func metadataOf(s *source.Session, title string) []byte {
	m := Metadata{Key: s.Key, Metadata: store.Metadata{
		Agent: s.Agent, SessionID: s.ID, Kind: string(s.Kind), Generation: s.Generation, Title: title,
		Source: s.Place(), Entry: json.RawMessage(s.Entry.Raw),
	}}
	if text, err := json.Marshal(m); err == nil {
		if text = expressible(text); text != nil {
			return text
		}
	}
	m.Entry = nil
	text, _ := json.Marshal(m) // strings alone always marshal
	return expressible(text)
}
