package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
)

// A proofRow is the JSON form of a proof.
type proofRow struct {
	SchemaVersion int              `json:"schema_version"`
	Verdict       migrate.Relation `json:"verdict"`
	Safe          bool             `json:"safe"`
	InUse         bool             `json:"in_use,omitempty"`
	Source        string           `json:"source"`
	Session       string           `json:"session"`
	Kind          source.Kind      `json:"kind"`
	Target        string           `json:"target,omitempty"`
	Line          int64            `json:"line,omitempty"`
	Lines         int64            `json:"lines"`
	OnlyHere      int64            `json:"only_here"`
	OnlyHereLines []int64          `json:"only_here_lines,omitempty"`
	Error         string           `json:"error,omitempty"`
	Against       string           `json:"against"`
}

// proofSums is the last object of --json.
type proofSums struct {
	SchemaVersion int                      `json:"schema_version"`
	Summary       bool                     `json:"summary"`
	Sources       int                      `json:"sources"`
	Safe          int                      `json:"safe"`
	InUse         int                      `json:"in_use"` // of these, those that a gateway may still use
	OnlyHere      int64                    `json:"only_here"`
	Verdicts      map[migrate.Relation]int `json:"verdicts"`
	Against       string                   `json:"against"`
}

func (s *proofSums) add(p *migrate.Proof, inUse bool) {
	s.Sources++
	s.Verdicts[p.Relation]++
	s.OnlyHere += p.Missing
	if p.Safe() {
		s.Safe++
		if inUse {
			s.InUse++
		}
	}
}

// print prints the proofs, or the paths of --list-safe, and the summary.
func (v *verifying) print(proofs []migrate.Proof) error {
	v.sums = proofSums{SchemaVersion: 1, Summary: true, Verdicts: map[migrate.Relation]int{}, Against: v.target.Path}
	r := newProofReport()
	var safe strings.Builder
	registered := source.Registrations{}
	for i := range proofs {
		p := &proofs[i]
		inUse := registered.MayList(p.Session)
		v.sums.add(p, inUse)
		if p.Safe() && !inUse && isFile(p.Session) {
			safe.WriteString(p.Session.Path + pathEnds[v.options.null])
		}
		if v.options.lists(p) {
			r.addCells(v.row(p, inUse), v.cells(p, inUse)...)
		}
	}
	if err := v.printAnswer(r, safe.String()); err != nil {
		return err
	}
	v.note("%s", v.sums.summary(v.target.Location))
	if v.other.Path != "" {
		v.note("compared with the %s; to compare with OpenClaw's databases: %s",
			v.target.Location, v.commandLine("--against", v.other.Path))
	}
	return nil
}

// lists reports whether --only wants a proof to be listed.
func (o *verifyOptions) lists(p *migrate.Proof) bool {
	return o.only == "" || p.Safe() == (o.only == "safe")
}

func (v *verifying) printAnswer(r *report, safe string) error {
	if v.options.listSafe {
		return v.app.print(safe)
	}
	r.cut(v.options.excerpt)
	if v.json {
		r.addObject(v.sums)
	}
	return v.printReport(r)
}

// isFile reports whether a session can be deleted: it is no part of a database, and did not come through a pipe.
func isFile(s *source.Session) bool { return !s.InDatabase && opensAgain(s) }

// pathEnds end the paths of a list.
var pathEnds = map[bool]string{false: "\n", true: "\x00"}

// newProofReport keeps the answer whole on a terminal: only the name of the file is cut.
func newProofReport() *report {
	return newReport(
		ui.Column{Name: "verdict", Cut: ui.AtEnd, Min: 9},
		ui.Column{Name: "lines", Right: true, Rank: 2},
		ui.Column{Name: "source", Cut: ui.InMiddle, Min: 24},
		ui.Column{Name: "what it means"},
		ui.Column{Name: "against", Cut: ui.InMiddle, Rank: 3},
	)
}

func (v *verifying) row(p *migrate.Proof, inUse bool) proofRow {
	row := proofRow{
		SchemaVersion: 1, Verdict: p.Relation, Safe: p.Safe(), InUse: inUse, Source: p.Session.Place(),
		Session: p.Session.Name(), Kind: p.Session.Kind, Line: p.Line, Lines: p.Lines, OnlyHere: p.Missing,
		OnlyHereLines: p.OnlyHere, Error: proofError(p), Against: v.target.Path,
	}
	if p.Target != nil {
		row.Target = p.Target.Name()
	}
	return row
}

// proofError says why a source could not be compared.
func proofError(p *migrate.Proof) string {
	if p.Err == nil {
		return ""
	}
	return inputError(p.Session.Place(), p.Err).Text
}

func (v *verifying) cells(p *migrate.Proof, inUse bool) []ui.Cell {
	style := ui.Error
	if p.Safe() {
		style = ui.Good
	}
	meaning := proofMeaning(p, inUse)
	meaning.Style = style
	return []ui.Cell{
		{Text: proofVerdict(p), Short: string(p.Relation), Style: style},
		{Text: fmt.Sprint(p.Lines)},
		{Text: sourceName(v.app, p.Session)},
		meaning,
		{Text: v.target.Path, Short: filepath.Base(v.target.Path)},
	}
}

func proofVerdict(p *migrate.Proof) string {
	if p.Line > 0 {
		return fmt.Sprintf("%s at line %d", p.Relation, p.Line)
	}
	return string(p.Relation)
}

// proofMeaning says what a proof means to somebody who wants to delete the source, in full and in short.
func proofMeaning(p *migrate.Proof, inUse bool) ui.Cell {
	switch {
	case p.Err != nil:
		return ui.Cell{Text: "not compared: " + proofError(p), Short: "not compared"}
	case p.Lines == 0:
		return ui.Cell{Text: "empty: there is nothing to compare", Short: "empty"}
	case p.Safe() && inUse:
		return ui.Cell{Text: "in use, and every record is in the database", Short: "in use"}
	case p.Safe():
		return ui.Cell{Text: "safe to delete: every record is in the database", Short: "safe to delete"}
	case p.Missing == 0:
		const short = "in another form or order"
		return ui.Cell{Text: "every record is in the database, but not in the same form or order", Short: short}
	}
	return ui.Cell{
		Text:  "only here: " + lineList(p.OnlyHere, p.Missing, 5),
		Short: "only here: " + lineList(p.OnlyHere, p.Missing, 3),
	}
}

// lineList names lines in at most so many parts: lines 3, 7-9 and 12 more.
func lineList(lines []int64, total int64, most int) string {
	var parts []string
	shown := int64(0)
	for i := 0; i < len(lines) && len(parts) < most; {
		j := i
		for j+1 < len(lines) && lines[j+1] == lines[j]+1 {
			j++
		}
		part := fmt.Sprint(lines[i])
		if j > i {
			part = fmt.Sprintf("%d-%d", lines[i], lines[j])
		}
		parts = append(parts, part)
		shown += int64(j - i + 1)
		i = j + 1
	}
	text := "line " + strings.Join(parts, ", ")
	if total > 1 {
		text = "lines " + strings.Join(parts, ", ")
	}
	if total > shown {
		text += fmt.Sprintf(" and %d more", total-shown)
	}
	return text
}

// summary is the result in plain words.
func (s *proofSums) summary(against migrate.Location) string {
	var parts []string
	add := func(n int, words string) {
		if n > 0 {
			parts = append(parts, ui.Thousands(int64(n))+" "+words)
		}
	}
	add(s.Safe-s.InUse, "safe to delete")
	add(s.InUse, "in use and complete")
	add(s.Sources-s.Safe, "not safe to delete")
	text := fmt.Sprintf("Compared %s with the %s: %s.",
		ui.Count(s.Sources, "transcript"), against, strings.Join(parts, ", "))
	switch {
	case s.OnlyHere > 0:
		text += " " + ui.Are(s.OnlyHere, "record") + " only in these files."
	case s.Safe == s.Sources:
		text += " Every record was found."
	}
	return text
}
