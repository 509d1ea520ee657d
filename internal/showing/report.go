package showing

import (
	"clawctl/internal/cli"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/export/page"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
)

// CollectReport reads sessions for a page with charts. result is what stats counts of them.
func CollectReport(
	a *cli.App, sessions []*source.Session, opts stats.Options, masker *redact.Masker,
) (report *page.Report, result *stats.Result, err error) {
	opts.By, opts.Cross = page.ReportDimensions, page.ReportPairs
	cli.WatchReading(a, "Reading", sessions)
	defer a.Progress.End()
	result, activity, err := page.CollectActivity(a.Ctx, sessions, opts)
	if err != nil {
		return nil, nil, cli.Interrupted(a)
	}
	report = &page.Report{Title: "Report", Stats: stats.NewReport(result, opts, 0), Activity: activity, Zone: opts.Zone,
		Masker: masker}
	return report, result, nil
}
