package main

import (
	"bufio"
	"os"
	"slices"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/source"
	"clawctl/pkg/validate"
)

func newValidateCommand() *cli.Command {
	return &cli.Command{
		Missing: func() string { return strings.Join(validate.Levels(), ", ") },
		Paged:   true,
		Options: &validateOptions{FailOn: "error"},
		Formats: []string{"text", "ndjson", "json", "sarif", "github"},
	}
}

// validateOptions are the flags of validate.
type validateOptions struct {
	FailOn        string   `flag:"fail-on"`
	Selected      []string `flag:"select"`
	Ignored       []string `flag:"ignore"`
	Brief         bool     `flag:"brief"`
	Statistics    bool     `flag:"statistics: print a table by code"`
	All           bool     `flag:"all: list findings one by one, however many there are"`
	Unknown       bool     `flag:"unknown: list what clawctl has never seen instead of checking"`
	Secrets       bool     `flag:"secrets: also look for keys and passwords, as redact --check does"`
	Baseline      string   `flag:"baseline FILE: leave out the findings that FILE lists"`
	WriteBaseline string   `flag:"write-baseline FILE: write the findings to FILE as a baseline, and exit 0"`
	reading.ProgramOption
	reading.APIOption
	Jobs int `flag:"jobs N: how many transcripts to read at a time" default:"one per core"`
	cli.SourceOptions
}

// OwnFlags makes the flags.
func (o *validateOptions) OwnFlags() []cli.Flag {
	brief := cli.SwitchFlag(&o.Brief, "brief", "print one line per session instead of one per finding")
	return cli.FlagsOf(o,
		cli.ChoiceFlag(&o.FailOn, "fail-on", "SEVERITY", failure.Severities, "exit 1 if a finding is at least this severe"),
		reading.RuleFlag(&o.Selected, "select", "only these rules"),
		reading.RuleFlag(&o.Ignored, "ignore", "skip these rules"),
		brief,
		brief.Synonym("summary"))
}

type validateRun struct {
	*cli.App
	selection validate.Selection
	failOn    validate.Severity
	baseline  *validate.Baseline
	printer   validate.Printer
	summary   validate.Summary
	isBrief   bool
}

// Run runs the command.
func (o *validateOptions) Run(a *cli.App, operands []string) error {
	defer reading.KeepSmall()()
	v := &validateRun{
		App: a, selection: validate.Selection{Only: o.Selected, Not: o.Ignored, Program: o.Forced(), API: o.Asked()},
		failOn: validate.Severity(slices.Index(failure.Severities, o.FailOn)), isBrief: o.Brief,
	}
	if err := o.check(a, operands); err != nil {
		return err
	}
	if o.Unknown {
		return o.listUnknown(a, operands, v.failOn)
	}
	if o.WriteBaseline != "" {
		a.Output.Pager.Disable()
	}
	here, _ := os.Getwd() // "" leaves paths as they are
	v.baseline = validate.NewBaseline(here)
	if o.Baseline != "" {
		data, err := cli.ReadFlagFile(a, "baseline", o.Baseline)
		if err != nil {
			return err
		}
		if !v.baseline.Load(data) {
			return cli.Usage("--baseline: %s is not a baseline", o.Baseline)
		}
	}
	if o.Secrets && !v.selection.TakesSecrets() {
		return cli.Usage("--secrets looks for CL702, which --select or --ignore leaves out")
	}
	if o.Secrets || v.selection.WantsSecrets() || v.baseline.Lists(validate.Secret) {
		v.selection.Secrets = redact.NewFinder().Places
	}
	v.summary.LeftSecrets = v.selection.LeavesSecrets()
	v.printer = o.newPrinter(a, v.failOn, here)
	search := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly}
	err := cli.EachMatch(a, operands, search, func(m *source.Match) error { return v.check(m, o.Jobs) })
	if err != nil {
		return err
	}
	return v.finish(o.WriteBaseline)
}

// check refuses flags that contradict each other, and a baseline that would replace something else.
func (o *validateOptions) check(a *cli.App, operands []string) error {
	if err := o.checkUnknown(a); err != nil {
		return err
	}
	switch {
	case o.Statistics && o.All:
		return cli.Conflict("--statistics", "--all")
	case o.Brief && o.Statistics:
		return cli.Conflict("--brief", "--statistics")
	case o.Brief && (a.Format == "sarif" || a.Format == "github"):
		return cli.Usage("--brief has the formats text and ndjson, not %s", a.Format)
	case o.Statistics && a.Format != "" && a.Format != "text":
		return cli.Usage("--statistics has the format text only, not %s", a.Format)
	case o.WriteBaseline == "":
		return nil
	}
	for _, operand := range operands {
		if openfile.IsSame(o.WriteBaseline, operand) {
			return cli.Usage("--write-baseline would replace %s", operand)
		}
	}
	return cli.MayCreate(o.WriteBaseline, a.Output.Options.Force, a.CommandLine("--force"))
}

// check checks what one argument leads to.
func (v *validateRun) check(m *source.Match, jobs int) error {
	if !m.ByName {
		for _, p := range m.Places {
			if err := v.report(nil, p.Path, validate.Result{Findings: validate.Store(p, v.selection)}); err != nil {
				return err
			}
		}
	}
	return reading.JudgeAll(v.App, m.Sessions, jobs, v.selection, func(i int, j reading.Judgement) error {
		if v.Blame(j.Err); j.Err != nil {
			v.summary.Unread++
		}
		return v.report(m.Sessions[i], m.Sessions[i].Place(), j.Result)
	})
}

// report prints the findings of one session or place, without those of the baseline.
func (v *validateRun) report(s *source.Session, path string, result validate.Result) error {
	c := validate.NewChecked(s, path, result)
	c.Findings = v.baseline.LeaveNew(c.Findings)
	v.summary.Add(&c)
	if s == nil && len(c.Findings) == 0 {
		return nil
	}
	return v.printer.Print(&c)
}

// finish sums up.
func (v *validateRun) finish(baselinePath string) error {
	if err := v.printer.Finish(v.Outcome.OK()); err != nil {
		return err
	}
	if baselinePath != "" {
		return v.writeBaseline(baselinePath)
	}
	if (v.Format == "" || v.Format == "text") && (v.summary.Sessions > 0 || v.Outcome.OK()) {
		v.Note("%s", v.summary.Words())
		switch code := v.summary.WorstCode(); {
		case code != "":
			v.Hint("clawctl explain " + string(code))
		case v.summary.Stuck() > 0 && v.summary.Sessions > 1 && !v.isBrief:
			v.Hint(v.CommandLine("--brief"))
		}
	}
	if v.Outcome.OK() && v.summary.Reaches(v.failOn) {
		return failure.Findings
	}
	return v.Outcome.Err()
}

func (v *validateRun) writeBaseline(path string) error {
	data, err := v.baseline.Encode()
	if err == nil {
		err = atomicfile.WriteFile(path, []byte(ui.Escape(string(data))), atomicfile.Options{})
	}
	if err != nil {
		return cli.OutputError(path, err)
	}
	v.Note("wrote %s to %s", ui.Count(v.baseline.Len(), "finding"), path)
	return v.Outcome.Err()
}

// newPrinter returns what prints the findings. here is the current folder.
func (o *validateOptions) newPrinter(a *cli.App, failOn validate.Severity, here string) validate.Printer {
	out := bufio.NewWriter(a.Output)
	switch {
	case o.Brief && a.WantsJSON():
		return validate.NewLinePrinter(out, func(c *validate.CheckedSession) string { return cli.JSONLine(c.Brief()) })
	case o.Brief && a.Output.Term.Is:
		return &briefTable{a, cli.NewReport(ui.Middle("file", 24), ui.Numbers("errors"), ui.Numbers("warnings"),
			ui.Numbers("notes"), ui.Words("verdict"), ui.End("codes", 0, 1))}
	case o.Brief:
		return validate.NewLinePrinter(out, (*validate.CheckedSession).BriefLine)
	case a.WantsJSON():
		return validate.NewLinePrinter(out, func(c *validate.CheckedSession) string { return c.RowLines(cli.JSONLine) })
	case a.Format == "sarif":
		return &validate.SARIF{Out: out, Version: version(), Here: here, Line: cli.JSONLine}
	case a.Format == "github":
		return validate.NewLinePrinter(out, (*validate.CheckedSession).GitHubLines)
	}
	p := &textPrinter{App: a, limit: mostFindings, least: validate.Warn}
	if a.Verbose || failOn == validate.Info || o.Statistics {
		p.least = validate.Info
	}
	switch {
	case o.All:
		p.limit = -1
	case o.Statistics:
		p.limit = 0
	}
	return p
}

// A briefTable shows a line per session on a terminal.
type briefTable struct {
	*cli.App
	table *cli.Report
}

var verdictStyles = map[string]ui.Style{
	validate.Continues.String(): ui.Good, validate.Corrected.String(): ui.Good, validate.Stuck.String(): ui.Error,
}

func (p *briefTable) Print(c *validate.CheckedSession) error {
	r := c.Brief()
	cells := ui.Text(c.Path, ui.Thousands(int64(r.Errors)), ui.Thousands(int64(r.Warnings)),
		ui.Thousands(int64(r.Notes)), strings.TrimSpace(r.Verdict+" "+string(r.VerdictCode)), validate.TallyCodes(r.Codes))
	cells[4].Style = verdictStyles[r.Verdict]
	p.table.AddCells(nil, cells...)
	return nil
}

func (p *briefTable) Finish(bool) error { return p.PrintTables(p.table) }

// mostFindings is how many findings text lists one by one; more are a table.
const mostFindings = 50

// A textPrinter lists findings, or counts them by code if there are more than its limit. Notes are shown only with
// --verbose, --statistics or --fail-on info.
type textPrinter struct {
	*cli.App
	limit int // -1 is no limit
	least validate.Severity
	lines []string
	file  string // that the last line is about
	tally validate.Tally
}

func (p *textPrinter) Print(c *validate.CheckedSession) error {
	var shown []validate.Finding
	for i := range c.Findings {
		f := &c.Findings[i]
		if f.Severity < p.least {
			continue
		}
		shown = append(shown, *f)
		if p.limit < 0 || p.tally.Len()+len(shown) <= p.limit {
			p.add(f)
		}
	}
	p.tally.Add(c.Path, shown)
	if p.limit >= 0 {
		return nil
	}
	return p.flush()
}

// add lists a finding, on a terminal below the name of its file.
func (p *textPrinter) add(f *validate.Finding) {
	if term := p.Output.Term; term.Is && f.Path != p.file {
		p.file = f.Path
		p.lines = append(p.lines, f.FileLine(term))
	}
	p.lines = append(p.lines, f.TextLine(p.Output.Term))
}

func (p *textPrinter) flush() error {
	text := strings.Join(p.lines, "")
	p.lines = nil
	return p.Output.PrintStyled(text)
}

func (p *textPrinter) Finish(bool) error {
	if p.limit < 0 || p.limit > 0 && p.tally.Len() <= p.limit {
		return p.flush()
	}
	if p.tally.Len() == 0 {
		return nil
	}
	if err := p.PrintTables(p.table()); err != nil {
		return err
	}
	if p.limit > 0 {
		p.Note("%s; list them with --all, or one rule with --select CODE --all", ui.Count(p.tally.Len(), "finding"))
	}
	return nil
}

// table counts the findings by code.
func (p *textPrinter) table() *cli.Report {
	table := cli.NewReport(
		ui.Words("code"), ui.Words("severity"), ui.Numbers("findings"),
		ui.Numbers("sessions"), ui.End("what is wrong", 20),
		ui.Middle("example", 18),
	)
	for _, row := range p.tally.Rows() {
		cells := ui.Text(string(row.Rule.Code), row.Severity.String(), ui.Thousands(int64(row.Findings)),
			ui.Thousands(int64(row.Sessions)), row.Rule.Words, row.Place(p.Output.Term))
		cells[1].Style = validate.SeverityStyle(row.Severity)
		table.AddCells(nil, cells...)
	}
	return table
}
