package main

import (
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/ui"
	"clawctl/pkg/report/du"
	"clawctl/pkg/source"
)

func newDuCommand() *cli.Command {
	return &cli.Command{
		Paged:   true,
		Options: &duOptions{},
		Formats: cli.ReportFormats,
	}
}

// duOptions are the flags of du.
type duOptions struct {
	By      []du.View `flag:"by"`
	Top     int       `flag:"top N: only the N largest of each list"`
	Jobs    int       `flag:"jobs N: how many transcripts to read at a time" default:"one per core"`
	Harness cli.HarnessOption
}

// OwnFlags makes the flags.
func (o *duOptions) OwnFlags() []cli.Flag {
	return cli.FlagsOf(o,
		cli.ChoicesFlag(&o.By, "by", "VIEW", du.Views, "divide the bytes by this"))
}

// overviewOfDisk are the lists without --by, and how many lines of each are shown.
var overviewOfDisk = []struct {
	view du.View
	rows int
}{{du.Kind, 0}, {du.Agent, 5}, {du.Content, 0}, {du.Session, 5}}

// Run runs the command.
func (o *duOptions) Run(a *cli.App, operands []string) error {
	s := cli.Search{Defaults: cli.EveryKind, Harness: &o.Harness, Linked: true}
	arguments, err := cli.ArgumentsOf(a, operands, s)
	if err != nil {
		return err
	}
	places := slices.Clone(arguments) // that may be files and folders
	for i, argument := range arguments {
		if argument == cli.HomeArgument {
			state, _ := a.StateDir()
			places[i] = state.Path
		}
	}
	listing := du.List(places...)
	m, err := cli.FindAll(a, arguments, s)
	if err != nil {
		return err
	}
	if len(m.Places) == 0 && len(m.Sessions) == 0 {
		return a.Outcome.Err()
	}
	m.Sessions = append(m.Sessions, source.Linked(m.Sessions)...)
	cli.WatchReading(a, "Reading", m.Sessions)
	r, err := du.Collect(a.Ctx, m.Places, m.Sessions, du.Options{Views: o.views(), Jobs: o.Jobs, Listing: listing})
	a.Progress.End()
	if err != nil {
		return err
	}
	if err := o.print(a, r, source.NamesByName(m.Sessions)); err != nil {
		return err
	}
	for _, u := range r.Unread {
		a.Blame(cli.InputError(u.Path, u.Err))
	}
	return a.Outcome.Err()
}

// views are the lists that were asked for, or all.
func (o *duOptions) views() []du.View {
	if len(o.By) == 0 {
		return du.Views
	}
	return o.By
}

func (o *duOptions) print(a *cli.App, r *du.Report, short map[string]string) error {
	if o.Top > 0 {
		r.KeepLargest(o.Top)
	}
	switch a.Format {
	case "json":
		return a.PrintJSON(r)
	case "ndjson", "csv":
		rows := &cli.Report{}
		for _, s := range r.Rows(o.views()) {
			rows.AddObject(s)
		}
		return a.PrintReport(rows)
	}
	return a.PrintTables(o.tables(a, r, short)...)
}

// tables are the lists that were asked for, or an overview.
func (o *duOptions) tables(a *cli.App, r *du.Report, short map[string]string) []*cli.Report {
	sum := cli.NewReport(ui.Words("total"), ui.Numbers(""))
	sum.Add(nil, "bytes", ui.Thousands(r.Bytes))
	sum.Add(nil, "files", ui.Thousands(r.Files))
	tables := []*cli.Report{sum}
	if len(o.By) > 0 {
		for _, view := range o.By {
			tables = append(tables, diskTable(a.Output.Term, r, view, 0, short))
		}
		return tables
	}
	for _, extra := range []struct {
		words string
		view  du.View
		name  string
	}{{"copies of records", du.Copy, du.Again}, {"free pages", du.Table, du.FreePages}} {
		if s, found := r.Share(extra.view, extra.name); found {
			sum.Add(nil, extra.words, ui.Bytes(s.Bytes))
		}
	}
	for _, part := range overviewOfDisk {
		tables = append(tables, diskTable(a.Output.Term, r, part.view, part.rows, short))
	}
	return tables
}

// diskBar is the width of the bar of the largest possible share.
const diskBar = 20

// diskTable is one list. Lines after the first rows are added up, unless rows is 0. A narrow terminal cuts names, not
// sizes; those of sessions have short forms.
func diskTable(term ui.Terminal, r *du.Report, view du.View, rows int, short map[string]string) *cli.Report {
	table := cli.NewReport(ui.Middle(string(view), 20), ui.Numbers("bytes"),
		ui.Numbers("share"), ui.Words("", 1), ui.Numbers("count"))
	for _, s := range r.Largest(view, rows) {
		share := float64(s.Bytes) / float64(max(1, r.Bytes))
		cells := ui.Text(s.Name, ui.Bytes(s.Bytes), ui.Percent(share), term.Bar(share, diskBar), ui.Thousands(s.Count))
		if view == du.Session {
			cells[0].Short = short[s.Name]
		}
		table.AddCells(nil, cells...)
	}
	return table
}
