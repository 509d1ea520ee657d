package main

import (
	"cmp"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/pkg/source"
	"clawctl/pkg/window/boundary"
)

// listCompactions prints the compactions of sessions instead of the totals: a row for each session for people, and for
// each compaction for programs.
func (o *statsOptions) listCompactions(a *cli.App, sessions []*source.Session, span cli.TimeRange) error {
	defer reading.KeepSmall()()
	report, err := reading.CollectBoundaries(a, sessions, span, o.Jobs, a.Blame)
	switch {
	case err != nil:
		return err
	case a.Format == "json":
		return cmp.Or(a.PrintJSON(report), a.Outcome.Err())
	}
	table := cli.NewReport(boundary.SessionColumns()...)
	if a.Format == "ndjson" || a.Format == "csv" {
		for _, row := range report.Rows {
			table.AddObject(row)
		}
		return cmp.Or(a.PrintReport(table), a.Outcome.Err())
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
	return a.Outcome.Err()
}
