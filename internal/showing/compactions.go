package showing

import (
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/export/page"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
	"clawctl/pkg/window/boundary"
)

// compactionReport is the compactions of a session for programs.
type compactionReport struct {
	SchemaVersion int                 `json:"schema_version"`
	Session       string              `json:"session"`
	Path          string              `json:"path"`
	Totals        boundary.Totals     `json:"totals"`
	Compactions   []boundary.Boundary `json:"compactions"`
}

// PrintCompactions prints where the context of a session was made smaller.
func PrintCompactions(s *View) error {
	if s.App.Format == "markdown" || s.App.Format == "html" {
		return failure.Usage(s.App.CommandLine("--format", "text"), "--compactions cannot be combined with --format %s",
			s.App.Format)
	}
	defer reading.KeepSmall()()
	s.mask(false)
	b, err := reading.OpenBoundaries(s.App, s.Session, s.Options.ProgramOption, s.Options.Leaf, s.masked)
	if err != nil {
		return err
	}
	report := boundary.NewReport()
	report.Add(s.Facts.Name, s.Session.Place(), b.List)
	if err := s.printBoundaries(report); err != nil {
		return err
	}
	return b.Transcript.Damage
}

// printBoundaries prints a table for people, one object as JSON, or an object for each boundary.
func (s *View) printBoundaries(report *boundary.Report) error {
	switch s.App.Format {
	case "json":
		object := compactionReport{1, s.Facts.Name, s.Session.Place(), report.Totals, []boundary.Boundary{}}
		for _, row := range report.Rows {
			object.Compactions = append(object.Compactions, *row.Boundary)
		}
		return s.App.PrintJSON(object)
	case "ndjson":
		table := cli.NewReport()
		for _, row := range report.Rows {
			table.AddObject(row)
		}
		return s.App.PrintReport(table)
	}
	if len(report.Rows) == 0 {
		s.App.Note("%s has no compactions", s.Facts.Name)
		return nil
	}
	table := cli.NewReport(boundary.Columns()...)
	for _, row := range report.Rows {
		table.AddCells(row, row.Cells(s.App.Now().Location())...)
	}
	if err := s.App.PrintTables(table); err != nil {
		return err
	}
	s.App.Note("%s", report.Totals.Words())
	worst := report.Worst()
	s.App.Hint(failure.Command("clawctl", "diff", s.Session.Place(), "--compaction", worst.NumberWords()))
	return nil
}

// CollectReport reads sessions for a page with charts. result is what stats counts of them.
func CollectReport(
	a *cli.App, sessions []*source.Session, opts stats.Options, masker *redact.Masker,
) (report *page.Report, result *stats.Result, err error) {
	opts.By, opts.Cross = page.ReportDimensions, page.ReportPairs
	cli.WatchReading(a, "Reading", sessions)
	defer a.Progress.End()
	result, activity, err := page.CollectActivity(a.Ctx, sessions, opts)
	if err != nil {
		return nil, nil, err
	}
	report = &page.Report{Title: "Report", Stats: stats.NewReport(result, opts, 0), Activity: activity, Zone: opts.Zone,
		Masker: masker}
	return report, result, nil
}
