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
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

// A Finding is one problem at one place.
type Finding struct {
	Rule     *Rule
	Severity Severity // of the rule, or Info if it no longer matters
	Line     int64    // 0 if it is about a complete file
	Offset   int64
	Entry    string
	Path     string // of the file it is about, "" for the session's own
	Session  string // its key, "" for the session's own
	Detail   string // never text of a transcript
	More     int    // how many further findings of the rule are not listed
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
	if f.Severity < f.Rule.Severity {
		text += "; no longer part of the context"
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
	*rebuild.Inspector
	session *source.Session
	list    findingList
}

// NewChecker returns a checker of the transcript that a reader is about to read.
func NewChecker(r *jsonl.Reader, s *source.Session, selection Selection) *Checker {
	return &Checker{rebuild.NewInspector(r), s, findingList{selection: selection, rules: map[*Rule]*listedRule{}}}
}

// Take checks a record. Records must come in their order, with what Prepare made of them.
func (c *Checker) Take(rec *jsonl.Record, prepared any) {
	c.Inspector.Take(rec, prepared)
	if d := rec.Damage; d != nil && !rec.Continued {
		c.list.add(d.Code, rebuild.Place{Line: d.Line, Offset: d.Offset}, d.Detail)
	}
}

// Whole returns the result after the last record.
func (c *Checker) Whole() Result {
	ix := c.Index(rebuild.Author{Forced: c.list.selection.Program, Folder: c.session.FolderOwner()})
	verdict := c.list.addIndex(ix)
	c.list.addIndexEntry(ix, c.session)
	return Result{c.list.sorted(), verdict}
}

// Part returns the result for a transcript that cannot be read to its end.
func (c *Checker) Part() Result { return Result{Findings: c.list.sorted()} }

// Index checks what an index knows about a transcript: everything but damaged lines and listings.
func Index(ix *rebuild.Index, selection Selection) Result {
	l := &findingList{selection: selection, rules: map[*Rule]*listedRule{}}
	verdict := l.addIndex(ix)
	return Result{l.sorted(), verdict}
}

// addIndex adds the problems of the records and of what the model sees.
func (l *findingList) addIndex(ix *rebuild.Index) Verdict {
	ix.Check(l.addFault)
	return l.addContext(ix)
}

// A findingList collects the findings of one session.
type findingList struct {
	selection Selection
	findings  []Finding
	rules     map[*Rule]*listedRule
}

// A listedRule counts the findings of one rule.
type listedRule struct {
	listed, more int
	line         int64 // of the last finding
}

// add adds a finding if its rule is selected.
func (l *findingList) add(code failure.Code, place rebuild.Place, detail string) {
	l.addAs(code, place, detail, Error)
}

// addFault adds a fault of the records or of the context.
func (l *findingList) addFault(f rebuild.Fault) {
	most := Error
	if f.Old {
		most = Info
	}
	l.addAs(f.Code, f.Place, f.Detail, most)
}

// addAs adds a finding that is at most this severe. A rule applies to a line once.
func (l *findingList) addAs(code failure.Code, place rebuild.Place, detail string, most Severity) {
	rule, ok := Lookup(code)
	if !ok || !l.selection.Takes(rule) {
		return
	}
	count := l.rules[rule]
	if count == nil {
		count = &listedRule{}
		l.rules[rule] = count
	}
	switch {
	case count.line == place.Line && place.Line > 0:
		return
	case count.listed == maxListed:
		count.more++
	default:
		count.listed++
		l.findings = append(l.findings, Finding{
			Rule: rule, Severity: min(rule.Severity, most), Line: place.Line, Offset: place.Offset, Entry: place.Entry,
			Detail: detail,
		})
	}
	count.line = place.Line
}

// addContext adds the problems of what the model sees, and returns whether it could be sent.
func (l *findingList) addContext(ix *rebuild.Index) (v Verdict) {
	context, err := ix.Context("")
	if err != nil {
		return v
	}
	context.JudgeBy(l.selection.API)
	v.API = context.API()
	context.Check(func(f rebuild.Fault) {
		l.addFault(f)
		v.add(f)
	})
	switch {
	case context.IsEmpty():
		return Verdict{API: v.API}
	case v.State == Empty:
		v.State = Accepted
	}
	return v
}

// addIndexEntry adds findings for differences between a transcript, its name and its index entry.
func (l *findingList) addIndexEntry(ix *rebuild.Index, s *source.Session) {
	if id := ix.HeaderID(); id != "" && s.Kind == source.Live && s.NamedByID() && id != s.ID {
		l.add(source.IDMismatch, rebuild.Place{Line: ix.HeaderLine()}, "")
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
