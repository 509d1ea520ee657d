package main

import (
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/report/census"
	"clawctl/pkg/source"
	"clawctl/pkg/validate"
)

// checkUnknown refuses flags that are about findings.
func (o *validateOptions) checkUnknown(a *cli.App) error {
	err := a.Alone("unknown", "brief", "statistics", "all", "secrets", "select", "ignore", "baseline", "write-baseline")
	if err == nil && o.Unknown && (a.Format == "sarif" || a.Format == "github") {
		err = cli.Usage("--unknown has the formats text and ndjson, not %s", a.Format)
	}
	return err
}

// listUnknown lists what clawctl has never seen, instead of findings.
func (o *validateOptions) listUnknown(a *cli.App, operands []string, failOn validate.Severity) error {
	var found census.Census
	search := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly}
	err := cli.EachMatch(a, operands, search, func(m *source.Match) error {
		return reading.TakeCensus(a, m.Sessions, o.Jobs, o.Forced(), &found, a.Blame)
	})
	if err != nil {
		return err
	}
	rows := found.Rows()
	if len(rows) > 0 {
		report := cli.NewReport(
			ui.Words("program"), ui.Words("version", 1), ui.Words("unknown"),
			ui.Words("in"), ui.End("name", 20), ui.Numbers("count"),
			ui.Numbers("sessions", 2), ui.Middle("example", 18),
		)
		for _, row := range rows {
			report.Add(row, row.Program, row.Written(), row.Kind, row.Place, row.Label(),
				ui.Thousands(row.Count), ui.Thousands(int64(row.Sessions)), row.Example())
		}
		if err := a.PrintReport(report); err != nil {
			return err
		}
	}
	if found.Sessions > 0 && !a.WantsJSON() {
		a.Note("%s", found.Words())
		if found.Damaged > 0 {
			a.Hint(a.CommandWithoutSwitch("--unknown"))
		}
	}
	if a.Outcome.OK() && len(rows) > 0 && failOn == validate.Info {
		return failure.Findings
	}
	return a.Outcome.Err()
}
