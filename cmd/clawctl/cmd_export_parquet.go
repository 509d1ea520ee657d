package main

import (
	"errors"
	"path/filepath"

	"clawctl/internal/atomicfile"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change"
	"clawctl/pkg/dataset"
	"clawctl/pkg/source"
)

// asParquet is the form for engines.
const asParquet = "parquet"

// parquetOptions are the flags of --as parquet.
type parquetOptions struct {
	rawLines, noContent bool
	jobs                int
}

func (o *parquetOptions) flags() []cli.Flag {
	return []cli.Flag{
		cli.SwitchFlag(&o.rawLines, "raw-lines", "parquet: also write every line as it is, copies too"),
		cli.SwitchFlag(&o.noContent, "no-content", "parquet: write figures only, no texts"),
		cli.JobsFlag(&o.jobs, "parquet: how many groups of sessions to read at a time"),
	}
}

// isSet reports whether any of the flags was given.
func (o *parquetOptions) isSet() bool { return *o != parquetOptions{} }

// toParquet brings a dataset up to date.
func (x *exporting) toParquet(folder string) error {
	o := &x.options.parquet
	switch {
	case folder == "":
		return failure.Usage(x.CommandLine("-o", "dataset/"), "--as parquet needs a folder: -o")
	case o.rawLines && o.noContent:
		return failure.Usage("clawctl help export", "--raw-lines and --no-content cannot be combined")
	}
	m, err := x.find(false)
	if err != nil {
		return err
	}
	if x.options.dryRun {
		return x.planParquet(folder, m.Sessions)
	}
	if err := atomicfile.MkdirAll(folder); err != nil {
		return cli.OutputError(folder, err)
	}
	x.watchParquet(m.Sessions)
	result, err := dataset.Run(x.Ctx, folder, m.Sessions, dataset.Options{
		Host: x.options.host, RawLines: o.rawLines, NoContent: o.noContent, Redact: x.options.redact,
		Force: x.Output.Options.Force, Jobs: o.jobs, Now: x.Now(), Program: version(), Describe: describeUnread,
	})
	x.Progress.End()
	if err != nil {
		return x.parquetError(folder, err)
	}
	for _, u := range result.Unread {
		x.Blame(x.outcome, cli.InputError(u.Session.Place(), u.Err))
	}
	return x.reportParquet(folder, result)
}

// watchParquet shows how much was read. Every session is read once, and once more to find secrets.
func (x *exporting) watchParquet(sessions []*source.Session) {
	if x.Progress == nil {
		return
	}
	total := source.Watch(sessions, x.Progress.Advance)
	if x.options.redact {
		total *= 2
	}
	x.Progress.Begin("Exporting", total, ui.ByteUnit)
}

// describeUnread returns the code and the words for a session that cannot be read.
func describeUnread(s *source.Session, err error) (code, message string) {
	f := cli.InputError(s.Place(), err)
	return string(f.Code), f.Code.Words()
}

// parquetError gives an error about the dataset its code and hint.
func (x *exporting) parquetError(folder string, err error) error {
	var locked *change.LockedError
	switch {
	case x.Ctx.Err() != nil:
		return cli.Interrupted(x.App)
	case errors.As(err, &locked):
		return failure.New(failure.Locked, "another export is writing the dataset: %s", locked.Holder).At(folder)
	}
	return cli.OutputError(folder, err)
}

// planParquet lists what would be read.
func (x *exporting) planParquet(folder string, sessions []*source.Session) error {
	for _, table := range dataset.Tables() {
		if table.Name == "records" && !x.options.parquet.rawLines {
			continue
		}
		if err := x.Print(filepath.Join(folder, table.Name) + string(filepath.Separator) + "\n"); err != nil {
			return err
		}
	}
	x.Note("would export %s", ui.Count(len(sessions), "session"))
	return nil
}

// A tableRow is the JSON form of a table.
type tableRow struct {
	SchemaVersion int    `json:"schema_version"`
	Table         string `json:"table"`
	Files         int64  `json:"files"`
	Rows          int64  `json:"rows"`
	Bytes         int64  `json:"bytes"`
}

// reportParquet lists the tables, if that is asked for, and sums up.
func (x *exporting) reportParquet(folder string, result *dataset.Result) error {
	if x.Format != "" || x.Verbose {
		if err := x.PrintReport(tableReport(result.Manifest)); err != nil {
			return err
		}
	}
	c := &result.Counts
	x.Note("Exported %s (%s) to %s: %s written, %d unchanged, %d removed.", ui.Count(c.Sessions, "session"),
		ui.Count(c.Records, "record"), folder, ui.Count(result.Written, "file"),
		len(result.Manifest.Files)-result.Written, result.Removed)
	if c.Damaged > 0 {
		x.Note("%s in the table findings.", ui.Count(c.Damaged, "damaged line"))
	}
	writing.BlameLeft(x.App, x.outcome, result.Left)
	return x.outcome.Err()
}

// tableReport lists the tables of a dataset.
func tableReport(m *dataset.Manifest) *cli.Report {
	r := cli.NewReport(ui.Column{Name: "table"}, ui.Column{Name: "files", Right: true},
		ui.Column{Name: "rows", Right: true},
		ui.Column{Name: "size", Right: true})
	for _, table := range dataset.Tables() {
		row := tableRow{SchemaVersion: 1, Table: table.Name}
		for _, f := range m.Files {
			if f.Table == table.Name {
				row.Files, row.Rows, row.Bytes = row.Files+1, row.Rows+f.Rows, row.Bytes+f.Bytes
			}
		}
		if row.Files > 0 {
			r.Add(row, row.Table, ui.Thousands(row.Files), ui.Thousands(row.Rows), ui.Bytes(row.Bytes))
		}
	}
	return r
}
