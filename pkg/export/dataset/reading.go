package dataset

import (
	"cmp"
	"context"
	"time"

	"clawctl/pkg/change/redact"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
	"clawctl/pkg/validate"
)

// A reader turns the sessions of a batch into rows. It is a stats.Preparer.
type reader struct {
	export *Export
	ctx    context.Context
	set    *partitionSet
	maker  parts.Maker
	parser jsonl.Parser
	redact *redact.Redactor // nil: nothing is redacted
	left   []redact.LeftName
	// checkpoints is how many checkpoints of providers were dropped.
	checkpoints int
	counts      Counts

	unread  []Unread
	failed  error // what went wrong where no error can be returned
	session sessionState
}

// A sessionState is the state of a reader for one session.
type sessionState struct {
	source  *source.Session
	row     sessionRow
	naming  source.Naming
	calls   openCalls
	checker *validate.Checker
}

// Begin starts a session.
func (r *reader) Begin(s *source.Session) error {
	o := origin{r.export.options.Host, r.clean(s.Key), s.ID, r.export.names[s]}
	r.session = sessionState{source: s, row: sessionRow{
		origin: o, kind: string(s.Kind), generation: s.Generation, channel: r.clean(stats.Channel(s.Key)), bytes: s.Bytes,
	}}
	r.counts.Sessions++
	r.keepNames(s)
	return r.ctx.Err()
}

// Prepare lets the session be checked while it is read.
func (r *reader) Prepare(s *source.Session, lines *jsonl.Reader) func() func(*jsonl.Record) any {
	r.session.checker = validate.NewChecker(lines, s, validate.Selection{Secrets: redact.NewFinder().Places})
	return r.session.checker.Prepare
}

// clean returns a text without secrets, if that is asked for.
func (r *reader) clean(text string) string {
	if r.redact == nil {
		return text
	}
	return r.redact.Text(text)
}

// keepNames notes the names of a session that its rows and their files have as they are.
func (r *reader) keepNames(s *source.Session) {
	if r.redact == nil {
		return
	}
	r.redact.KeepName(redact.ID, s.ID)
	r.redact.KeepName(redact.ID, s.Agent)
	r.redact.KeepName(redact.FileName, r.export.names[s])
}

// Visit adds the rows of a record.
func (r *reader) Visit(rec *jsonl.Record, c *stats.CountedRecord) error {
	r.session.checker.Take(rec, c.Prepared)
	r.countLine(rec, c)
	shown := r.redacted(rec)
	base := recordRow{origin: r.session.row.origin, line: rec.Line, at: c.At}
	if err := r.addLine(base, rec, shown, c); err != nil {
		return err
	}
	if c.Status != stats.Included && c.Status != stats.Mirror || shown == nil {
		return nil
	}
	entry := r.maker.Entry(shown)
	if entry == nil {
		return nil
	}
	base.entry, base.role, base.timestamp = entry.ID, entry.Role, entry.Time
	r.noteRecord(rec, c, entry)
	if c.Status == stats.Included {
		if err := r.addUsage(base, c); err != nil {
			return err
		}
	}
	return r.addEntry(base, entry, c)
}

func (r *reader) countLine(rec *jsonl.Record, c *stats.CountedRecord) {
	row := &r.session.row
	if !rec.Continued {
		row.lines++
	}
	if rec.Damage != nil && !rec.Continued {
		row.damaged++
		r.counts.Damaged++
	}
	switch c.Status {
	case stats.Copy:
		row.copies++
		r.counts.Copies++
	case stats.Mirror:
		row.mirrors++
	}
	if row.first.IsZero() {
		row.first = c.At
	}
	if !c.At.IsZero() {
		row.last = c.At // an earlier one if the clock was set back, as in sessions
	}
}

// noteRecord notes what a record says about its session.
func (r *reader) noteRecord(rec *jsonl.Record, c *stats.CountedRecord, entry *parts.Entry) {
	row := &r.session.row
	if header, ok := entry.Record.Header(); ok {
		row.parent = header.ParentSession
	}
	if !r.export.options.NoContent {
		r.noteNames(entry.Record)
	}
	if c.Kind == stats.Reply && c.Status == stats.Included {
		row.model = c.Model
	}
}

// noteNames notes what a record says about the name of its session and the folder in which it ran.
func (r *reader) noteNames(rec *jsonl.Record) {
	s := &r.session
	s.naming.Take(rec)
	s.row.title = s.naming.Name()
	if s.row.folder == "" {
		s.row.folder = rec.Origin().Folder
	}
}

// redacted returns the record without secrets, or nil if it cannot be searched for them.
func (r *reader) redacted(rec *jsonl.Record) *jsonl.Record {
	if r.redact == nil || rec.Blank {
		return rec
	}
	text := r.redact.Record(rec)
	switch {
	case text == nil:
		return nil
	case len(text) == len(rec.Raw) && &text[0] == &rec.Raw[0]:
		return rec
	}
	return r.parser.Parse(text, rec.Line, rec.Offset)
}

// addLine adds the line to the table of raw lines, if there is one.
func (r *reader) addLine(base recordRow, rec, shown *jsonl.Record, c *stats.CountedRecord) error {
	if !r.export.options.RawLines || shown == nil {
		return nil
	}
	row := lineRow{
		recordRow: base, offset: rec.Offset, isCopy: c.Status == stats.Copy, isBroken: rec.Damage != nil, raw: shown.Raw,
	}
	if rec.Legible() && !rec.Continued {
		row.kind, row.entry = rec.StatedType(), rec.ID()
	}
	return r.put("records", base.at, len(row.raw), &row)
}

// addUsage adds what the record adds to the totals.
func (r *reader) addUsage(base recordRow, c *stats.CountedRecord) error {
	r.counts.Records++
	return r.put("usage", base.at, 0, &usageRow{
		recordRow: base, channel: r.session.row.channel, kind: c.Kind, provider: c.Provider, model: c.Model, tool: c.Tool,
		tally: c.Tally,
	})
}

// End adds the session itself and what is wrong with it.
func (r *reader) End(_ *source.Session, total *stats.Tally, err error) error {
	row := &r.session.row
	row.tally = *total
	if err := r.session.calls.flush(r.addCall); err != nil {
		return err
	}
	if err := r.addFindings(err); err != nil {
		return err
	}
	return r.put("sessions", row.first, 0, row)
}

// addFindings adds what is wrong with the session. err says why it could not be read to its end.
func (r *reader) addFindings(err error) error {
	var result validate.Result
	if err == nil {
		result = r.session.checker.Whole()
	} else {
		result = r.session.checker.Part()
	}
	row := &r.session.row
	row.state, row.reason = result.Verdict.Answer(), string(result.Verdict.Refusal.Code)
	for i := range result.Findings {
		if err := r.addFinding(&result.Findings[i]); err != nil {
			return err
		}
	}
	return r.ctx.Err()
}

// addFinding adds a finding and counts it by its severity.
func (r *reader) addFinding(f *validate.Finding) error {
	row := findingRow{
		origin: r.session.row.origin, code: string(f.Rule.Code), severity: f.Severity.String(), level: f.Rule.Level,
		message: f.Message(), entry: f.Entry, line: f.Line, offset: f.Offset, more: int64(f.More),
	}
	r.session.row.count(f.Severity, 1+int64(f.More))
	return r.putFinding(&row)
}

func (r *reader) putFinding(row *findingRow) error {
	r.counts.Findings++
	return r.put("findings", r.session.row.first, 0, row)
}

// count counts findings.
func (r *sessionRow) count(severity validate.Severity, n int64) {
	switch severity {
	case validate.Error:
		r.errors += n
	case validate.Warn:
		r.warnings += n
	case validate.Info:
		r.notes += n
	}
}

// Unreadable adds a finding about a session that cannot be read to its end.
func (r *reader) Unreadable(s *source.Session, err error) {
	if r.session.source != s { // it could not even be opened
		_ = r.Begin(s) // which fails only if the run has been interrupted
		r.session.row.first = time.Time{}
	}
	code, message := r.export.options.Describe(s, err)
	r.unread = append(r.unread, Unread{s, err})
	r.failed = cmp.Or(r.failed, r.putFinding(&findingRow{
		origin: r.session.row.origin, code: code, severity: validate.Error.String(), level: "file", message: message,
	}))
}
