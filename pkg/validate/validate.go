// Package validate finds problems in transcripts and stores, by rules with stable codes.
//
// A session is read once: its lines are checked as they pass, and everything else is checked with the index that the
// reading builds. A store is checked by its session index and the files around it. Each problem is found by the package
// that knows it: line damage by jsonl, order, links, pairing and the rules of the API by rebuild, listings by source.
// This package adds the severity and the description.
package validate

import (
	"cmp"
	"slices"

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
}

// Message describes the problem in one line.
func (f *Finding) Message() string {
	text := f.Rule.Title
	if f.Detail != "" {
		text += " (" + f.Detail + ")"
	}
	if f.Severity < f.Rule.Severity {
		text += "; no longer part of the context"
	}
	return text
}

// A Result holds the findings of one session.
type Result struct {
	Findings []Finding // in the order of lines
	Verdict  Verdict   // regardless of the selection of rules
}

// Session checks one transcript. If it cannot be read to its end, the result holds the findings up to there and no
// verdict.
func Session(r *jsonl.Reader, s *source.Session, selection Selection) (Result, error) {
	l := &findingList{selection: selection}
	ix, err := rebuild.Scan(r, func(rec *jsonl.Record) {
		if d := rec.Damage; d != nil && !rec.Continued {
			l.add(string(d.Code), rebuild.Place{Line: d.Line, Offset: d.Offset}, d.Detail)
		}
	})
	if err != nil {
		return Result{Findings: l.findings}, err
	}
	ix.Check(l.addFault)
	verdict := l.addContext(ix)
	l.addIndexEntry(ix, s)
	return Result{l.sorted(), verdict}, nil
}

// A findingList collects the findings of one session.
type findingList struct {
	selection Selection
	findings  []Finding
}

// add adds a finding if its rule is selected.
func (l *findingList) add(code string, place rebuild.Place, detail string) {
	rule := rulesByCode[code]
	if rule == nil || !l.selection.Takes(rule) {
		return
	}
	l.findings = append(l.findings, Finding{
		Rule: rule, Severity: rule.Severity, Line: place.Line, Offset: place.Offset, Entry: place.Entry, Detail: detail,
	})
}

// addFault adds a fault of the records or of the context.
func (l *findingList) addFault(f rebuild.Fault) {
	before := len(l.findings)
	l.add(string(f.Code), f.Place, f.Detail)
	if f.Old && len(l.findings) > before {
		l.findings[before].Severity = Info
	}
}

// addContext adds the problems of what the model sees, and returns whether it could be sent.
func (l *findingList) addContext(ix *rebuild.Index) (v Verdict) {
	context, err := ix.Context("")
	if err != nil {
		return v
	}
	context.Check(func(f rebuild.Fault) {
		l.addFault(f)
		v.add(f)
	})
	switch {
	case context.IsEmpty():
		return Verdict{}
	case v.State == Empty:
		v.State = Accepted
	}
	return v
}

// addIndexEntry adds findings for differences between a transcript, its name and its index entry.
func (l *findingList) addIndexEntry(ix *rebuild.Index, s *source.Session) {
	if id := ix.HeaderID(); id != "" && s.Kind == source.Live && s.NamedByID() && id != s.ID {
		l.add(string(source.IDMismatch), rebuild.Place{Line: ix.HeaderLine()}, "")
	}
	if listed, last := s.Entry.TotalTokens, ix.LastTotal(); isStale(listed, last) {
		l.add(string(source.StaleTotal), rebuild.Place{}, staleDetail(listed, last))
	}
}

// sorted returns the findings in the order of lines, with one per rule and line.
func (l *findingList) sorted() []Finding {
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule.Code, b.Rule.Code))
	})
	return slices.CompactFunc(l.findings, func(a, b Finding) bool {
		return a.Rule == b.Rule && a.Line == b.Line && a.Line > 0
	})
}
