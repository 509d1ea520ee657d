package main

import (
	"errors"
	"path/filepath"

	"clawctl/internal/atomicfile"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change"
	"clawctl/pkg/export/dataset"
	"clawctl/pkg/source"
)

// toParquet brings a dataset up to date.
func (x *exportRun) toParquet(folder string) error {
	o := x.exportOptions
	switch {
	case folder == "":
		return failure.Usage(x.CommandLine("-o", "dataset/"), "--as parquet needs a folder: -o")
	case o.RawLines && o.NoContent:
		return cli.Usage("--raw-lines and --no-content cannot be combined")
	}
	m, err := x.find(false)
	if err != nil {
		return err
	}
	if x.DryRun {
		return x.planParquet(folder, m.Sessions)
	}
	if err := atomicfile.MkdirAll(folder); err != nil {
		return cli.OutputError(folder, err)
	}
	if x.Progress != nil {
		total := source.Watch(m.Sessions, x.Progress.Advance)
		if x.Redact {
			total *= 2 // every session is read once more to find secrets
		}
		x.Progress.Begin("Exporting", total, ui.ByteUnit)
	}
	defer reading.KeepSmall()() // rows wait in memory until a file is full
	result, err := dataset.Run(x.Ctx, folder, m.Sessions, dataset.Options{
		Host: o.Host, RawLines: o.RawLines, NoContent: o.NoContent, Redact: o.Redact, Rules: o.rules,
		Force: x.Output.Options.Force, Jobs: o.Jobs, Now: x.Now(), Program: version(), Describe: describeUnread,
	})
	x.Progress.End()
	var locked *change.LockedError
	switch {
	case errors.As(err, &locked):
		return failure.New(failure.Locked, "another export is writing the dataset: %s", locked.Holder).At(folder)
	case err != nil:
		return cli.OutputError(folder, err)
	}
	for _, u := range result.Unread {
		x.Blame(cli.InputError(u.Session.Place(), u.Err))
	}
	return x.reportParquet(folder, result)
}

// describeUnread returns the code and the words for a session that cannot be read.
func describeUnread(s *source.Session, err error) (code, message string) {
	f := cli.InputError(s.Place(), err)
	return string(f.Code), f.Code.Words()
}

// planParquet lists what would be read.
func (x *exportRun) planParquet(folder string, sessions []*source.Session) error {
	for _, table := range dataset.Tables() {
		if table.Name == "records" && !x.RawLines {
			continue
		}
		if err := x.Print(filepath.Join(folder, table.Name) + string(filepath.Separator) + "\n"); err != nil {
			return err
		}
	}
	x.Note("would export %s", ui.Count(len(sessions), "session"))
	return nil
}

// reportParquet lists the tables, if that is asked for, and sums up.
func (x *exportRun) reportParquet(folder string, result *dataset.Result) error {
	if x.Format != "" || x.Verbose {
		r := cli.NewReport(ui.Words("table"), ui.Numbers("files"), ui.Numbers("rows"), ui.Numbers("size"))
		for _, t := range result.Manifest.TableSizes() {
			r.Add(t, t.Table, ui.Thousands(t.Files), ui.Thousands(t.Rows), ui.Bytes(t.Bytes))
		}
		if err := x.PrintReport(r); err != nil {
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
	writing.BlameLost(x.App, &result.Replaced)
	writing.BlameLeft(x.App, result.Left)
	return x.Outcome.Err()
}
