// Package validate finds problems in transcripts and stores, by rules with stable codes.
//
// A session is read once: its lines are checked as they pass, and everything else is checked with the index that the
// reading builds. A store is checked by its session index and the files around it. Each problem is found by the package
// that knows it: line damage by jsonl, order, links, pairing and the rules of the API by rebuild, listings by source.
// This package adds the severity and the description.
//
// A [Checked] is a session or a place with its findings. It has the forms that people, programs and code scanners read,
// a [Summary] adds several up, and a [Baseline] leaves out what is known.
package validate

import (
	"cmp"
	"fmt"
	"slices"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

// Secret is the code of what Selection.Secrets finds.
const Secret failure.Code = "CL702"

// A Finding is one problem at one place.
type Finding struct {
	Rule     *Rule
	Severity Severity // of the rule, Info if it does not matter, or Error if the session is stuck because of it
	Line     int64    // 0 if it is about a complete file
	Offset   int64
	Entry    string
	Path     string // of the file it is about, "" for the session's own
	Session  string // its key, "" for the session's own
	Detail   string // never text of a transcript
	More     int    // how many further findings of the rule are not listed
	Old      bool   // it is no longer part of the context
	// CorrectedBy is the program that corrects it whenever it sends a request, "" if none does.
	CorrectedBy string

	isCopied bool // of a row of another session
}

// Stated is how bad the finding is if no program corrects it.
func (f *Finding) Stated() Severity {
	if f.Old || f.isCopied {
		return f.Severity
	}
	return max(f.Severity, f.Rule.Severity)
}

// maxListed is the maximum number of findings of one rule that a session lists. Further ones are counted. Without it, a
// file of ten million lines of two bytes would take gigabytes.
const maxListed = 10000

// Message describes the problem in one line.
func (f *Finding) Message() string {
	text := f.Rule.Words
	if f.Detail != "" {
		text += " (" + f.Detail + ")"
	}
	switch {
	case f.Old && f.Severity < f.Rule.Severity:
		text += "; no longer part of the context"
	case f.CorrectedBy != "" && f.Severity < f.Rule.Severity:
		text += "; " + f.CorrectedBy + " corrects it before it sends"
	}
	if f.More > 0 {
		text += fmt.Sprintf("; and %d more of this code", f.More)
	}
	return text
}

// A Result holds the findings of one session.
type Result struct {
	Findings []Finding // in the order of lines
	Verdict  Verdict   // regardless of the selection of rules
}

// Count is the number of findings, with those that are not listed.
func (r *Result) Count() int {
	count := len(r.Findings)
	for i := range r.Findings {
		count += r.Findings[i].More
	}
	return count
}

// Session checks one transcript. If it cannot be read to its end, the result holds the findings up to there and no
// verdict.
func Session(r *jsonl.Reader, s *source.Session, selection Selection) (Result, error) {
	c := NewChecker(r, s, selection)
	r.Prepare(c.Prepare)
	for rec, err := range r.All() {
		if err != nil {
			return c.Part(), err
		}
		c.Take(rec, rec.Prepared)
	}
	return c.Whole(), nil
}

// A Checker is Session for a caller that reads the transcript itself.
type Checker struct {
	inspector *rebuild.Inspector
	session   *source.Session
	list      findingList
}

// NewChecker returns a checker of the transcript that a reader is about to read.
func NewChecker(r *jsonl.Reader, s *source.Session, selection Selection) *Checker {
	list := findingList{selection: selection, rules: map[*Rule]*listedRule{}}
	return &Checker{inspector: rebuild.NewInspector(r), session: s, list: list}
}

// Prepare returns a function that makes of a record what Take needs. Each goroutine that reads records needs its own.
func (c *Checker) Prepare() func(*jsonl.Record) any {
	inspect, search := c.inspector.Prepare(), c.list.selection.secretSearch()
	if search == nil {
		return inspect
	}
	return func(rec *jsonl.Record) any {
		s := searched{prepared: inspect(rec), places: search(rec)}
		if s.places == 0 {
			return s.prepared
		}
		return s
	}
}

// A searched record has secrets.
type searched struct {
	prepared any // by the inspector
	places   int
}

// Take checks a record. Records must come in their order, with what Prepare made of them.
func (c *Checker) Take(rec *jsonl.Record, prepared any) {
	found, hasSecret := prepared.(searched)
	if hasSecret {
		prepared = found.prepared
	}
	c.inspector.Take(rec, prepared)
	if d := rec.Damage; d != nil && !rec.Continued {
		c.list.add(d.Code, rebuild.Place{Line: d.Line, Offset: d.Offset}, d.Detail)
	}
	if !hasSecret {
		return
	}
	place := rebuild.Place{Line: rec.Line, Offset: rec.Offset}
	if rec.Legible() {
		place = c.inspector.Place()
	}
	c.list.add(Secret, place, ui.Count(found.places, "place"))
}

// Whole returns the result after the last record.
func (c *Checker) Whole() Result {
	ix := c.inspector.Index(rebuild.Author{Forced: c.list.selection.Program, Folder: c.session.FolderOwner()})
	verdict := c.list.addIndex(ix)
	c.list.addIndexEntry(ix, c.session, &verdict)
	return Result{Findings: c.list.sorted(), Verdict: verdict}
}

// Part returns the result for a transcript that cannot be read to its end.
func (c *Checker) Part() Result { return Result{Findings: c.list.sorted()} }

// Index checks what an index knows about a transcript: everything but damaged lines and listings.
func Index(ix *rebuild.Index, selection Selection) Result {
	l := &findingList{selection: selection, rules: map[*Rule]*listedRule{}}
	verdict := l.addIndex(ix)
	return Result{Findings: l.sorted(), Verdict: verdict}
}

// addIndex adds the problems of the records and of what the model sees.
func (l *findingList) addIndex(ix *rebuild.Index) Verdict {
	var v Verdict
	l.program = ix.Program.Title
	check := func(f rebuild.Fault) {
		refused := !f.Old && ix.Refuses(f.Code)
		v.add(f, refused)
		l.addFault(f, refused)
	}
	ix.Check(check)
	context, err := ix.Context("")
	if err != nil {
		return Verdict{}
	}
	context.JudgeBy(l.selection.API)
	v.API, v.Program, v.Alone = context.API(), l.program, ix.Refusal
	context.Check(check)
	switch {
	case context.IsEmpty():
		return Verdict{API: v.API, Program: v.Program}
	case v.State == Empty:
		v.State = Continues
	}
	return v
}

// A findingList collects the findings of one session.
type findingList struct {
	selection Selection
	program   string // that sends requests, as people write it
	findings  []Finding
	rules     map[*Rule]*listedRule
}

// A listedRule counts the findings of one rule.
type listedRule struct {
	listed, more int
	last         int // the index of the last finding
	worst        Severity
}

// add adds a finding if its rule is selected.
func (l *findingList) add(code failure.Code, place rebuild.Place, detail string) {
	l.addFault(rebuild.Fault{Code: code, Place: place, Detail: detail}, false)
}

// addFault adds a fault of the records or of the context. A rule applies to a line once.
func (l *findingList) addFault(f rebuild.Fault, refused bool) {
	rule, ok := Lookup(f.Code)
	if !ok || !l.selection.Takes(rule) {
		return
	}
	finding := l.findingOf(rule, f, refused)
	count := l.rules[rule]
	if count == nil {
		count = &listedRule{}
		l.rules[rule] = count
	}
	isWorse := count.listed == 0 || finding.Severity > count.worst
	switch {
	case count.listed > 0 && f.Line > 0 && l.findings[count.last].Line == f.Line:
		if last := &l.findings[count.last]; finding.Severity > last.Severity {
			*last = finding
		}
	case count.listed >= maxListed && !isWorse:
		count.more++
	default:
		count.listed++
		count.last = len(l.findings)
		l.findings = append(l.findings, finding)
	}
	count.worst = max(count.worst, finding.Severity)
}

// findingOf returns the finding of a fault. What a program corrects by itself is a note, and what makes a session stuck
// is an error.
func (l *findingList) findingOf(rule *Rule, f rebuild.Fault, refused bool) Finding {
	finding := Finding{
		Rule: rule, Severity: rule.Severity, Line: f.Line, Offset: f.Offset, Entry: f.Entry, Detail: f.Detail, Old: f.Old,
		isCopied: f.Copied,
	}
	switch {
	case f.Old, f.Copied:
		finding.Severity = Info
	case refused || f.Fix != nil && !f.Fix.Corrected:
		finding.Severity = Error
	case isCorrection(f):
		finding.Severity, finding.CorrectedBy = Info, l.program
	}
	return finding
}

// IndexOf is Index for the transcript of a session, whose conversation may begin in another file.
func IndexOf(ix *rebuild.Index, s *source.Session, selection Selection) Result {
	result := Index(ix, selection)
	if f, ok := missingHistory(ix, s); ok {
		result.Verdict.add(f, true)
	}
	return result
}

// missingHistory returns the fault of a conversation that begins in a session whose file is missing. Only some programs
// divide conversations, and they do not resume such a session.
func missingHistory(ix *rebuild.Index, s *source.Session) (f rebuild.Fault, ok bool) {
	if ix.Dialect.CheckOwner() == nil {
		return f, false
	}
	err := s.CheckHistory()
	if err == nil {
		return f, false
	}
	return rebuild.Fault{Code: source.NoHistory, Place: rebuild.Place{Line: ix.HeaderLine()}, Detail: err.Session}, true
}

// addIndexEntry adds findings for differences between a transcript, its name and its index entry.
func (l *findingList) addIndexEntry(ix *rebuild.Index, s *source.Session, v *Verdict) {
	if id := ix.HeaderID(); id != "" && s.Kind == source.Live && s.NamedByID() && id != s.ID {
		l.add(source.IDMismatch, rebuild.Place{Line: ix.HeaderLine()}, "")
	}
	if f, ok := missingHistory(ix, s); ok {
		v.add(f, true)
		l.addFault(f, true)
	}
	if listed, last := s.Entry.TotalTokens, ix.LastTotal(); isStale(listed, last) {
		l.add(source.StaleTotal, rebuild.Place{}, staleDetail(listed, last))
	}
}

// sorted returns the findings in the order of lines, with one per rule and line. The last one of a rule says how many
// more there are.
func (l *findingList) sorted() []Finding {
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule.Code, b.Rule.Code))
	})
	findings := slices.CompactFunc(l.findings, func(a, b Finding) bool {
		return a.Rule == b.Rule && a.Line == b.Line && a.Line > 0
	})
	for i := len(findings) - 1; i >= 0; i-- {
		count := l.rules[findings[i].Rule]
		findings[i].More, count.more = count.more, 0
	}
	return findings
}
