package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"clawctl/internal/cli"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
)

// A proofRow is the JSON form of a proof.
type proofRow struct {
	SchemaVersion int              `json:"schema_version"`
	Verdict       migrate.Relation `json:"verdict"`
	Complete      bool             `json:"complete"`
	Safe          bool             `json:"safe"`
	InUse         bool             `json:"in_use,omitempty"`
	Keep          string           `json:"keep,omitempty"`
	KeepBy        string           `json:"keep_by,omitempty"`
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
	Complete      int                      `json:"complete"`
	Safe          int                      `json:"safe"`
	InUse         int                      `json:"in_use"` // complete, and a program may still use them
	OnlyHere      int64                    `json:"only_here"`
	Verdicts      map[migrate.Relation]int `json:"verdicts"`
	Against       string                   `json:"against"`
}

func (s *proofSums) add(p *migrate.Proof) {
	s.Sources++
	s.Verdicts[p.Relation]++
	s.OnlyHere += p.Missing
	if p.Complete() {
		s.Complete++
	}
	if p.Safe() {
		s.Safe++
	}
	if p.Keep.InUse() {
		s.InUse++
	}
}

// print prints the proofs, or the paths of --list-safe, and the summary.
func (v *verifying) print(proofs []migrate.Proof) error {
	v.sums = proofSums{SchemaVersion: 1, Summary: true, Verdicts: map[migrate.Relation]int{}, Against: v.target.Path}
	r := newProofReport()
	safe := safeList{null: v.options.null}
	for i := range proofs {
		p := &proofs[i]
		v.sums.add(p)
		if p.Safe() {
			safe.add(p.Session.Path)
		}
		if v.options.lists(p) {
			r.AddCells(v.row(p), v.cells(p)...)
		}
	}
	if err := v.printAnswer(r, safe.text.String()); err != nil {
		return err
	}
	if safe.refused > 0 && v.options.listSafe {
		v.app.Note("%s not listed because a shell would misread the name; to list every file: %s",
			ui.Are(safe.refused, "safe file"), v.app.CommandLine("--null"))
	}
	v.app.Note("%s", v.sums.summary(v.target.Location))
	if v.other.Path != "" {
		v.app.Note("compared with the %s; to compare with OpenClaw's databases: %s",
			v.target.Location, v.app.CommandLine("--against", v.other.Path))
	}
	return nil
}

// lists reports whether --only wants a proof to be listed.
func (o *verifyOptions) lists(p *migrate.Proof) bool {
	switch o.only {
	case "safe":
		return p.Safe()
	case "problems":
		return !p.Complete()
	}
	return true
}

func (v *verifying) printAnswer(r *cli.Report, safe string) error {
	if v.options.listSafe {
		return v.app.Print(safe)
	}
	cli.Cut(r, v.options.excerpt)
	if v.app.JSON {
		r.AddObject(v.sums)
	}
	return v.app.PrintReport(r)
}

// A safeList is the output of --list-safe.
type safeList struct {
	null    bool
	text    strings.Builder
	refused int // names that a shell would misread
}

// add adds a path. Without NULs, a path that a loop or xargs would take for something else is refused: one with a line
// break, or one that looks like a flag or begins or ends with a space. With NULs, only a dash can mislead.
func (l *safeList) add(path string) {
	if l.null {
		if strings.HasPrefix(path, "-") {
			path = "./" + path
		}
		l.text.WriteString(path + "\x00")
		return
	}
	if strings.HasPrefix(path, "-") || strings.TrimSpace(path) != path || strings.ContainsFunc(path, unicode.IsControl) {
		l.refused++
		return
	}
	l.text.WriteString(path + "\n")
}

// newProofReport keeps the answer whole on a terminal: only the name of the file is cut.
func newProofReport() *cli.Report {
	return cli.NewReport(
		ui.Column{Name: "verdict", Cut: ui.AtEnd, Min: 9},
		ui.Column{Name: "lines", Right: true, Rank: 2},
		ui.Column{Name: "source", Cut: ui.InMiddle, Min: 24},
		ui.Column{Name: "what it means"},
		ui.Column{Name: "against", Cut: ui.InMiddle, Rank: 3},
	)
}

func (v *verifying) row(p *migrate.Proof) proofRow {
	row := proofRow{
		SchemaVersion: 1, Verdict: p.Relation, Complete: p.Complete(), Safe: p.Safe(), InUse: p.Keep.InUse(),
		Keep: string(p.Keep.Reason), KeepBy: p.Keep.By, Source: p.Session.Place(), Session: p.Session.Name(),
		Kind: p.Session.Kind, Line: p.Line, Lines: p.Lines, OnlyHere: p.Missing,
		OnlyHereLines: p.OnlyHere, Error: reading.ProofError(p), Against: v.target.Path,
	}
	if p.Target != nil {
		row.Target = p.Target.Name()
	}
	return row
}

func (v *verifying) cells(p *migrate.Proof) []ui.Cell {
	style := ui.Error
	if p.Complete() {
		style = ui.Good
	}
	meaning := reading.ProofMeaning(p)
	meaning.Style = style
	return []ui.Cell{
		{Text: proofVerdict(p), Short: string(p.Relation), Style: style},
		{Text: fmt.Sprint(p.Lines)},
		{Text: cli.SourceName(v.app, p.Session)},
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

// summary is the result in plain words.
func (s *proofSums) summary(against migrate.Location) string {
	var parts []string
	add := func(n int, words string) {
		if n > 0 {
			parts = append(parts, ui.Thousands(int64(n))+" "+words)
		}
	}
	add(s.Safe, "safe to delete")
	add(s.InUse, "in use and complete")
	add(s.Complete-s.Safe-s.InUse, "complete but not safe to delete")
	add(s.Sources-s.Complete, "not complete")
	text := fmt.Sprintf("Compared %s with the %s: %s.",
		ui.Count(s.Sources, "transcript"), against, strings.Join(parts, ", "))
	switch {
	case s.OnlyHere > 0:
		text += " " + ui.Are(s.OnlyHere, "record") + " only in these files."
	case s.Complete == s.Sources:
		text += " Every record was found."
	}
	return text
}
