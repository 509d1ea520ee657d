package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

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
			r.addCells(v.row(p), v.cells(p)...)
		}
	}
	if err := v.printAnswer(r, safe.text.String()); err != nil {
		return err
	}
	if safe.refused > 0 && v.options.listSafe {
		v.note("%s not listed because a shell would misread the name; to list every file: %s",
			ui.Are(safe.refused, "safe file"), v.commandLine("--null"))
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
	switch o.only {
	case "safe":
		return p.Safe()
	case "problems":
		return !p.Complete()
	}
	return true
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
func newProofReport() *report {
	return newReport(
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

func (v *verifying) cells(p *migrate.Proof) []ui.Cell {
	style := ui.Error
	if p.Complete() {
		style = ui.Good
	}
	meaning := proofMeaning(p)
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
func proofMeaning(p *migrate.Proof) ui.Cell {
	switch {
	case p.Err != nil:
		return ui.Cell{Text: "not compared: " + proofError(p), Short: "not compared"}
	case !p.Complete():
		return ui.Cell{
			Text:  "only here: " + lineList(p.OnlyHere, p.Missing, 5),
			Short: "only here: " + lineList(p.OnlyHere, p.Missing, 3),
		}
	case p.Safe() && p.Lines == 0:
		return ui.Cell{Text: "safe to delete: it is empty", Short: "safe to delete"}
	case p.Safe():
		return ui.Cell{Text: "safe to delete: every record is in the database", Short: "safe to delete"}
	}
	return keepMeanings[string(p.Keep.Reason)].cell(shortBy(p))
}

// shortBy is what a file is kept for, seen from the folder of the file or from the one that was searched.
func shortBy(p *migrate.Proof) string {
	below := filepath.Dir(filepath.FromSlash(p.Session.Below))
	for _, folder := range []string{filepath.Join(p.Session.Root, below), p.Session.Root} {
		if short, err := filepath.Rel(folder, p.Keep.By); err == nil && !strings.HasPrefix(short, "..") {
			return short
		}
	}
	return p.Keep.By
}

// A keepMeaning says why a complete file is kept. A %s in the text stands for what the reason is about.
type keepMeaning struct{ text, short string }

func (m keepMeaning) cell(by string) ui.Cell {
	return ui.Cell{Text: strings.ReplaceAll(m.text, "%s", by), Short: m.short}
}

// keepMeanings has the words for every reason to keep a file.
var keepMeanings = map[string]keepMeaning{
	string(source.Registered):   {"in use: listed in %s", "in use"},
	string(source.Locked):       {"in use: locked by %s", "in use"},
	string(source.IndexMissing): {"keep: no sessions.json says whether it is in use", "keep: no index"},
	string(source.BadIndex):     {"keep: the sessions.json beside it is damaged", "keep: bad index"},
	string(source.HomeUnread):   {"keep: %s may name it, but cannot be read", "keep: unreadable index"},
	string(migrate.NotAFile):    {"every record is in the database", "complete"},
	string(migrate.NoRecords):   {"keep: no record in it is known", "keep: no known record"},
	string(migrate.NotRead):     {"keep: it has bytes that were not read: %s", "keep: not all was read"},
	string(migrate.Changed):     {"keep: it changed while it was compared", "keep: it changed"},
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
