package main

import (
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/pkg/source"
	"clawctl/pkg/window/boundary"
)

// listCompactions prints the compactions of sessions instead of the totals.
func (o *statsOptions) listCompactions(
	a *cli.App, sessions []*source.Session, span cli.TimeRange,
) error {
	defer reading.KeepSmall()()
	unreadable := func(err error) { a.Blame(err) }
	report, err := reading.CollectBoundaries(a, sessions, span, o.Jobs, unreadable)
	if err != nil {
		return err
	}
	if err := o.printCompactions(a, report); err != nil {
		return err
	}
	return a.Outcome.Err()
}

// printCompactions prints a row for each session for people, and for each compaction for programs.
func (o *statsOptions) printCompactions(a *cli.App, report *boundary.Report) error {
	if a.Format == "json" {
		return a.PrintJSON(report)
	}
	table := cli.NewReport(boundary.SessionColumns()...)
	if a.Format == "ndjson" || a.Format == "csv" {
		for _, row := range report.Rows {
			table.AddObject(row)
		}
		return a.PrintReport(table)
	}
	names, totals := report.BySession()
	if o.Top > 0 && len(names) > o.Top {
		names = names[:o.Top]
	}
	for _, name := range names {
		table.AddCells(nil, totals[name].Cells(name)...)
	}
	if len(names) > 0 {
		if err := a.PrintTables(table); err != nil {
			return err
		}
	}
	a.Note("%s", report.Totals.Words())
	if len(names) > 0 {
		a.Hint(failure.Command("clawctl", "show", report.PathOf(names[0]), "--compactions"))
	}
	return nil
}
