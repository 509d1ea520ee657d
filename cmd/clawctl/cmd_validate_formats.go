package main

// How findings are printed:
//
//   - text: FILE:LINE: CODE severity: what is wrong (entry ID), or a table by code if there are many. Notes are shown
//     with --verbose or --fail-on info only.
//   - ndjson: an object per finding, with everything there is to know.
//   - sarif: SARIF 2.1.0, as code scanners read it.
//   - github: the annotation commands of GitHub's runner.

import (
	"bufio"
	"fmt"
	"path/filepath"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/validate"
)

// A findingPrinter writes findings in one format.
type findingPrinter interface {
	print(checked) error
	finish(complete bool) error // complete: everything could be read
}

func (o *validateOptions) newPrinter(a *cli.App, failOn validate.Severity) findingPrinter {
	out := bufio.NewWriter(a.Output)
	switch {
	case o.brief && a.Output.Term.Is && !a.WantsJSON():
		return &briefTable{app: a, table: cli.NewReport(
			ui.Column{Name: "file", Cut: ui.InMiddle, Min: 24}, ui.Column{Name: "errors", Right: true},
			ui.Column{Name: "warnings", Right: true}, ui.Column{Name: "notes", Right: true}, ui.Column{Name: "api"},
			ui.Column{Name: "codes", Cut: ui.AtEnd, Rank: 1},
		)}
	case o.brief:
		return &briefPrinter{app: a, out: out}
	case a.WantsJSON():
		return &ndjsonPrinter{out: out}
	case a.Format == "sarif":
		return &sarifPrinter{out: out}
	case a.Format == "github":
		return &githubPrinter{out: out}
	}
	p := &textPrinter{app: a, limit: mostFindings, least: validate.Warn}
	if a.Verbose || failOn == validate.Info {
		p.least = validate.Info
	}
	switch {
	case o.all:
		p.limit = -1
	case o.statistics:
		p.limit = 0
	}
	return p
}

// mostFindings is how many findings text lists one by one; more are a table.
const mostFindings = 50

// A textPrinter lists findings, or counts them by code if there are more than its limit.
type textPrinter struct {
	app   *cli.App
	limit int // -1 is no limit
	least validate.Severity
	lines []string
	file  string // that the last line is about
	tally validate.Tally
}

var severityStyles = [...]ui.Style{validate.Info: ui.Plain, validate.Warn: ui.Warning, validate.Error: ui.Error}

func (p *textPrinter) print(c checked) error {
	var shown []validate.Finding
	for i := range c.findings {
		f := &c.findings[i]
		if f.Severity < p.least {
			continue
		}
		shown = append(shown, f.Finding)
		if p.limit < 0 || p.tally.Len()+len(shown) <= p.limit {
			p.add(f)
		}
	}
	p.tally.Add(c.path, shown)
	if p.limit >= 0 {
		return nil
	}
	return p.flush()
}

// add lists a finding: on one line that other programs parse, or on a terminal below the name of its file.
func (p *textPrinter) add(f *finding) {
	severity := p.app.Output.Term.Paint(severityStyles[f.Severity], f.Severity.String())
	if p.app.Output.Term.Is {
		if f.Path != p.file {
			p.file = f.Path
			p.lines = append(
				p.lines,
				p.app.Output.Term.Paint(ui.Bold, ui.CutMiddle(ui.EscapeLine(f.Path), p.app.Output.Term.Columns))+"\n",
			)
		}
		p.lines = append(p.lines, p.terminalLine(f, severity))
		return
	}
	place := ui.EscapeLine(f.Path)
	if f.Line > 0 {
		place += fmt.Sprintf(":%d", f.Line)
	}
	p.lines = append(p.lines, fmt.Sprintf("%s: %s %s: %s\n", place, f.Rule.Code, severity, ui.EscapeLine(f.text())))
}

// terminalLine is a finding below its file: line, severity, code, and what is wrong, wrapped to the terminal.
func (p *textPrinter) terminalLine(f *finding, severity string) string {
	line := ""
	if f.Line > 0 {
		line = fmt.Sprint(f.Line)
	}
	indent := strings.Repeat(" ", 23)
	pad := strings.Repeat(" ", len("error")-len(f.Severity.String()))
	text := strings.TrimPrefix(ui.Wrap(ui.EscapeLine(f.text()), p.app.Output.Term.Columns, indent), indent)
	return fmt.Sprintf("%7s  %s%s  %s  %s\n", line, severity, pad, f.Rule.Code, text)
}

func (p *textPrinter) flush() error {
	text := strings.Join(p.lines, "")
	p.lines = nil
	return p.app.Output.PrintStyled(text)
}

func (p *textPrinter) finish(bool) error {
	if p.limit < 0 || p.limit > 0 && p.tally.Len() <= p.limit {
		return p.flush()
	}
	if p.tally.Len() == 0 {
		return nil
	}
	table := cli.NewReport(
		ui.Column{Name: "code"}, ui.Column{Name: "severity"}, ui.Column{Name: "findings", Right: true},
		ui.Column{Name: "sessions", Right: true}, ui.Column{Name: "what is wrong", Cut: ui.AtEnd, Min: 20},
		ui.Column{Name: "example", Cut: ui.InMiddle, Min: 18},
	)
	for _, row := range p.tally.Rows() {
		place := row.Path
		if p.app.Output.Term.Is {
			place = filepath.Base(place)
		}
		if row.Line > 0 {
			place += fmt.Sprintf(":%d", row.Line)
		}
		cells := ui.Text(string(row.Rule.Code), row.Severity.String(), ui.Thousands(int64(row.Findings)),
			ui.Thousands(int64(row.Sessions)), row.Rule.Words, place)
		cells[1].Style = severityStyles[row.Severity]
		table.AddCells(nil, cells...)
	}
	if err := p.app.PrintTables(table); err != nil {
		return err
	}
	if p.limit > 0 {
		p.app.Note("%s; list them with --all, or one rule with --select CODE --all", ui.Count(p.tally.Len(), "finding"))
	}
	return nil
}

// findingReport is the JSON form of a finding.
type findingReport struct {
	SchemaVersion int          `json:"schema_version"`
	Code          failure.Code `json:"code"`
	Severity      string       `json:"severity"`
	Level         string       `json:"level"`
	Path          string       `json:"path"`
	Line          int64        `json:"line,omitempty"`
	Offset        int64        `json:"offset"`
	Session       string       `json:"session"`
	EntryID       string       `json:"entry_id,omitempty"`
	Message       string       `json:"message"`
	Hint          string       `json:"hint"`
	More          int          `json:"more,omitempty"`
	JudgedBy      string       `json:"judged_by,omitempty"` // the API whose rules decide, for levels pairing and api
}

type ndjsonPrinter struct{ out *bufio.Writer }

func (p *ndjsonPrinter) print(c checked) error {
	for _, f := range c.findings {
		line := cli.JSONLine(findingReport{
			1, f.Rule.Code, f.Severity.String(), f.Rule.Level, f.Path, f.Line, f.Offset, f.Session, f.Entry,
			f.Message(), f.hint(), f.More, c.judgeOf(f),
		})
		if _, err := p.out.WriteString(line); err != nil {
			return err
		}
	}
	return nil
}

// judgeOf returns the API that a finding was judged by, "" if it is not about what is sent.
func (c *checked) judgeOf(f finding) string {
	if f.Rule.Level != failure.LevelPairing && f.Rule.Level != failure.LevelAPI {
		return ""
	}
	return c.verdict.API.String()
}

func (p *ndjsonPrinter) finish(bool) error { return p.out.Flush() }

// A briefReport is the JSON form of a session in brief.
type briefReport struct {
	SchemaVersion int                  `json:"schema_version"`
	Path          string               `json:"path"`
	Session       string               `json:"session"`
	Errors        int                  `json:"errors"`
	Warnings      int                  `json:"warnings"`
	Notes         int                  `json:"notes"`
	Codes         map[failure.Code]int `json:"codes"`
	API           string               `json:"api,omitempty"` // accepted, refused, or empty: there is nothing to send
	APICode       failure.Code         `json:"api_code,omitempty"`
	APILine       int64                `json:"api_line,omitempty"`
	JudgedBy      string               `json:"judged_by,omitempty"` // the API whose rules decide
}

// A briefPrinter prints one line per session.
type briefPrinter struct {
	app *cli.App
	out *bufio.Writer
}

// newBriefReport sums a session up.
func newBriefReport(c checked) briefReport {
	r := briefReport{SchemaVersion: 1, Path: c.path, Codes: map[failure.Code]int{}}
	if c.session != nil {
		v := c.verdict
		r.Session, r.API, r.APICode, r.APILine = c.session.Name(), v.State.String(), v.Code, v.Line
		r.JudgedBy = v.API.String()
	}
	for _, f := range c.findings {
		r.Codes[f.Rule.Code] += 1 + f.More
		switch f.Severity {
		case validate.Error:
			r.Errors += 1 + f.More
		case validate.Warn:
			r.Warnings += 1 + f.More
		default:
			r.Notes += 1 + f.More
		}
	}
	return r
}

// A briefTable shows the same on a terminal.
type briefTable struct {
	app   *cli.App
	table *cli.Report
}

var apiStyles = map[string]ui.Style{"accepted": ui.Good, "refused": ui.Error}

func (p *briefTable) print(c checked) error {
	r := newBriefReport(c)
	cells := ui.Text(c.path, ui.Thousands(int64(r.Errors)), ui.Thousands(int64(r.Warnings)),
		ui.Thousands(int64(r.Notes)), strings.TrimSpace(r.API+" "+string(r.APICode)), reading.TallyCodes(r.Codes))
	cells[4].Style = apiStyles[r.API]
	p.table.AddCells(nil, cells...)
	return nil
}

func (p *briefTable) finish(bool) error { return p.app.PrintTables(p.table) }

func (p *briefPrinter) print(c checked) error {
	r := newBriefReport(c)
	line := cli.JSONLine(r)
	if !p.app.WantsJSON() {
		line = ui.EscapeLine(c.path) + ": " + severityWords([3]int{r.Notes, r.Warnings, r.Errors})
		if len(r.Codes) > 0 {
			line += " (" + reading.TallyCodes(r.Codes) + ")"
		}
		line += briefVerdict(c)
		line += "\n"
	}
	_, err := p.out.WriteString(line)
	return err
}

// briefVerdict says what the API would do with the conversation of a session.
func briefVerdict(c checked) string {
	switch {
	case c.session == nil || c.verdict.State == validate.Empty:
		return ""
	case c.verdict.State == validate.Accepted:
		return "; the " + c.verdict.API.Title() + " would accept it"
	case c.verdict.Line == 0:
		return "; the " + c.verdict.API.Title() + " would refuse it (" + string(c.verdict.Code) + ")"
	}
	return fmt.Sprintf("; the %s would refuse it (%s on line %d)", c.verdict.API.Title(), c.verdict.Code, c.verdict.Line)
}

func (p *briefPrinter) finish(bool) error { return p.out.Flush() }

// githubPrinter writes workflow commands.
type githubPrinter struct{ out *bufio.Writer }

var githubLevels = [...]string{validate.Info: "notice", validate.Warn: "warning", validate.Error: "error"}

var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func (p *githubPrinter) print(c checked) error {
	for _, f := range c.findings {
		properties := "file=" + githubProperty.Replace(ui.Escape(filepath.ToSlash(f.Path)))
		if f.Line > 0 {
			properties += fmt.Sprintf(",line=%d", f.Line)
		}
		_, err := fmt.Fprintf(p.out, "::%s %s,title=%s::%s\n", githubLevels[f.Severity], properties, f.Rule.Code,
			githubData.Replace(ui.EscapeLine(f.text())))
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *githubPrinter) finish(bool) error { return p.out.Flush() }
