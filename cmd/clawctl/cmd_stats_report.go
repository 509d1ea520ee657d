package main

import (
	"cmp"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/showing"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/export/page"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
)

// checkForm refuses what a page or a list of compactions has no place for.
func (o *statsOptions) checkForm(a *cli.App) error {
	lists, totals := a.FirstGiven("by", "cross", "compare"), a.FirstGiven("fail-if", "prices", "count", "encoding")
	if totals == "encoding" {
		totals = "count"
	}
	switch given := cmp.Or(lists, a.FirstGiven("top", "compactions")); {
	case o.Compactions && a.Format != "html" && cmp.Or(lists, totals) != "":
		return cli.Usage("--compactions and --%s cannot be combined", cmp.Or(lists, totals))
	case a.Format != "html":
	case given != "":
		return cli.Usage("a page has charts of its own, so --format html has no --%s", given)
	case a.Output.Term.Is:
		return failure.Usage(a.CommandLine("-o", "report.html"), "a page is not for a terminal; write it to a file")
	}
	return nil
}

// writeReport writes a page with charts, and returns the totals.
func (o *statsOptions) writeReport(
	a *cli.App, sessions []*source.Session, opts stats.Options,
) (*stats.Report, error) {
	report, result, err := showing.CollectReport(a, sessions, opts, &redact.Masker{})
	if err != nil {
		return nil, err
	}
	for _, unread := range result.Coverage.Unreadable {
		a.Blame(cli.InputError(unread.Session.Place(), unread.Err))
	}
	if err := page.WriteReport(a.Output, report); err != nil {
		return nil, err
	}
	return report.Stats, nil
}
