// Package validate finds what is wrong with transcripts and stores, by rules with stable codes.
//
// A session is read once: its lines are judged as they pass, everything else from the index that the reading leaves
// behind. A store is judged by its registration and the files around it. Rules come from where their facts are known,
// line damage from jsonl, order, links, pairing and the API's rules from rebuild, registration from source; this package
// gives each its severity and its words.
package validate

import (
	"cmp"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

// A Finding is one thing that is wrong at one place.
type Finding struct {
	Rule     *Rule
	Severity Severity // of the rule, or less where it does not matter any more
	Line     int64    // 0 where it is about a whole file
	Offset   int64
	Entry    string
	Path     string // of the file it is about, "" for the session's own
	Session  string // its key, "" for the session's own
	Detail   string // never text of a transcript
}

// Message says what is wrong, in one line.
func (f *Finding) Message() string {
	text := f.Rule.Title
	if f.Detail != "" {
		text += " (" + f.Detail + ")"
	}
	if f.Severity < f.Rule.Severity {
		text += "; not part of the context any more"
	}
	return text
}

// Session judges one transcript. The findings come in the order of lines.
func Session(r *jsonl.Reader, s *source.Session, selection Selection) ([]Finding, error) {
	var findings []Finding
	add := func(code string, place rebuild.Place, detail string, old bool) {
		rule := rulesByCode[code]
		if rule == nil || !selection.Takes(rule) {
			return
		}
		f := Finding{Rule: rule, Severity: rule.Severity, Line: place.Line, Offset: place.Offset, Entry: place.Entry, Detail: detail}
		if old {
			f.Severity = Info
		}
		findings = append(findings, f)
	}
	ix, err := rebuild.Scan(r, func(rec *jsonl.Record) {
		if d := rec.Damage; d != nil && !rec.Continued {
			add(string(d.Code), rebuild.Place{Line: d.Line, Offset: d.Offset}, d.Detail, false)
		}
	})
	if err != nil {
		return findings, err
	}
	report := func(f rebuild.Fault) { add(string(f.Code), f.Place, f.Detail, f.Old) }
	ix.Check(report)
	if context, err := ix.Context(""); err == nil {
		context.Check(report)
	}
	if id := ix.HeaderID(); id != "" && s.Kind == source.Live && s.NamedByID() && id != s.ID {
		add(string(source.IDMismatch), rebuild.Place{Line: ix.HeaderLine()}, "", false)
	}
	if listed, last := s.Entry.TotalTokens, ix.LastTotal(); isStale(listed, last) {
		add(string(source.StaleTotal), rebuild.Place{}, staleDetail(listed, last), false)
	}
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule.Code, b.Rule.Code))
	})
	return slices.CompactFunc(findings, func(a, b Finding) bool { return a.Rule == b.Rule && a.Line == b.Line && a.Line > 0 }), nil
}
