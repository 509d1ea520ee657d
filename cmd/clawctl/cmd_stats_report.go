package main

import (
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/showing"
	"clawctl/pkg/page"
	"clawctl/pkg/redact"
	"clawctl/pkg/source"
	"clawctl/pkg/stats"
)

// checkReport refuses what a page has no place for.
func (o *statsOptions) checkReport(a *cli.App) error {
	given := cli.FirstGiven(cli.Given("by", len(o.by) > 0), cli.Given("top", o.top > 0),
		cli.Given("compactions", o.compactions), cli.Given("cross", len(o.cross) > 0), cli.Given("compare", o.compare != ""))
	switch {
	case given != "":
		return failure.Usage("clawctl help stats", "a page has charts of its own, so --format html has no --%s", given)
	case a.Output.Term.Is:
		return failure.Usage(a.CommandLine("-o", "report.html"), "a page is not for a terminal; write it to a file")
	}
	return nil
}

// writeReport writes a page with charts, and returns the totals.
func (o *statsOptions) writeReport(
	a *cli.App, sessions []*source.Session, opts stats.Options, outcome *failure.Tally,
) (*stats.Report, error) {
	report, result, err := showing.CollectReport(a, sessions, opts, &redact.Masker{})
	if err != nil {
		return nil, err
	}
	for _, unread := range result.Coverage.Unreadable {
		a.Blame(outcome, cli.InputError(unread.Session.Place(), unread.Err))
	}
	if err := page.WriteReport(a.Output, report); err != nil {
		return nil, cli.WriteError(a, err)
	}
	return report.Stats, nil
}
