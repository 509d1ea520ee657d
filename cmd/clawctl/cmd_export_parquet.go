package main

import (
	"errors"
	"path/filepath"

	"clawctl/internal/atomicfile"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
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

func (o *parquetOptions) flags() []flag {
	return []flag{
		switchFlag(&o.rawLines, "raw-lines", "parquet: also write every line as it is, copies too"),
		switchFlag(&o.noContent, "no-content", "parquet: write figures only, no texts"),
		jobsFlag(&o.jobs, "parquet: how many groups of sessions to read at a time"),
	}
}

// isSet reports whether any of the flags was given.
func (o *parquetOptions) isSet() bool { return *o != parquetOptions{} }

// toParquet brings a dataset up to date.
func (x *exporting) toParquet(folder string) error {
	o := &x.options.parquet
	switch {
	case folder == "":
		return failure.Usage(x.commandLine("-o", "dataset/"), "--as parquet needs a folder: -o")
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
		return outputError(folder, err)
	}
	x.watchParquet(m.Sessions)
	result, err := dataset.Run(x.ctx, folder, m.Sessions, dataset.Options{
		Host: x.options.host, RawLines: o.rawLines, NoContent: o.noContent, Redact: x.options.redact,
		Force: x.output.options.force, Jobs: o.jobs, Now: x.now(), Program: version(), Describe: describeUnread,
	})
	x.progress.End()
	if err != nil {
		return x.parquetError(folder, err)
	}
	for _, u := range result.Unread {
		x.blame(x.outcome, inputError(u.Session.Place(), u.Err))
	}
	return x.reportParquet(folder, result)
}

// watchParquet shows how much was read. Every session is read once, and once more to find secrets.
func (x *exporting) watchParquet(sessions []*source.Session) {
	if x.progress == nil {
		return
	}
	total := source.Watch(sessions, x.progress.Advance)
	if x.options.redact {
		total *= 2
	}
	x.progress.Begin("Exporting", total, ui.ByteUnit)
}

// describeUnread returns the code and the words for a session that cannot be read.
func describeUnread(s *source.Session, err error) (code, message string) {
	f := inputError(s.Place(), err)
	return string(f.Code), f.Code.Words()
}

// parquetError gives an error about the dataset its code and hint.
func (x *exporting) parquetError(folder string, err error) error {
	var locked *change.LockedError
	switch {
	case x.ctx.Err() != nil:
		return interrupted(x.app)
	case errors.As(err, &locked):
		return failure.New(failure.Locked, "another export is writing the dataset: %s", locked.Holder).At(folder)
	case errors.Is(err, dataset.ErrOtherSources):
		return failure.New(failure.OtherDataset, "").At(folder).WithHint(x.commandLine("--host", "NAME"))
	case errors.Is(err, dataset.ErrForeign):
		return failure.Usage(x.commandLine("--force"), "%v", err).At(folder)
	case errors.Is(err, dataset.ErrBadManifest):
		return failure.New(failure.BadManifest, "%v", err).At(folder).WithHint(x.commandLine("--force"))
	case errors.Is(err, dataset.ErrNewer):
		return failure.New(failure.Newer, "%v", err).At(folder)
	}
	return outputError(folder, err)
}

// planParquet lists what would be read.
func (x *exporting) planParquet(folder string, sessions []*source.Session) error {
	for _, table := range dataset.Tables() {
		if table.Name == "records" && !x.options.parquet.rawLines {
			continue
		}
		if err := x.print(filepath.Join(folder, table.Name) + string(filepath.Separator) + "\n"); err != nil {
			return err
		}
	}
	x.note("would export %s", ui.Count(len(sessions), "session"))
	return nil
}

// reportParquet lists the tables, if that is asked for, and sums up.
func (x *exporting) reportParquet(folder string, result *dataset.Result) error {
	if x.format != "" || x.verbose {
		if err := x.printReport(tableReport(result.Manifest)); err != nil {
			return err
		}
	}
	c := &result.Counts
	x.note("Exported %s (%s) to %s: %s written, %d unchanged, %d removed.", ui.Count(c.Sessions, "session"),
		ui.Count(c.Records, "record"), folder, ui.Count(result.Written, "file"),
		len(result.Manifest.Files)-result.Written, result.Removed)
	if c.Damaged > 0 {
		x.note("%s in the table findings.", ui.Count(c.Damaged, "damaged line"))
	}
	x.blameLeft(x.outcome, result.Left)
	return x.outcome.Err()
}

// tableReport lists the tables of a dataset.
func tableReport(m *dataset.Manifest) *report {
	r := newReport(ui.Column{Name: "table"}, ui.Column{Name: "files", Right: true}, ui.Column{Name: "rows", Right: true},
		ui.Column{Name: "size", Right: true})
	for _, t := range m.TableSizes() {
		r.add(t, t.Table, ui.Thousands(t.Files), ui.Thousands(t.Rows), ui.Bytes(t.Bytes))
	}
	return r
}
