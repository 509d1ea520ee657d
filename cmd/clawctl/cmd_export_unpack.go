package main

import (
	"errors"
	"io"
	"path/filepath"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/export/bundle"
	"clawctl/pkg/migrate"
)

func (o *exportOptions) mapFlag() cli.Flag {
	return cli.Flag{Name: "map", Value: "OLD=NEW", Usage: "while unpacking, replace the folder OLD by NEW in paths",
		Set: func(text string) error {
			mapping, err := bundle.ParseMapping(text)
			o.Maps = append(o.Maps, mapping)
			return err
		}}
}

// unpack writes the files of a bundle below a folder. It writes nothing if the bundle is refused, or if it would
// replace a file with other content.
func (x *exportRun) unpack(file, folder string) error {
	if folder == "" {
		return failure.Usage(x.CommandLine("-o", "state/"), "a bundle is unpacked into a folder: -o")
	}
	r, err := bundle.Open(x.Ctx, cli.ExpandHome(file))
	if err != nil {
		return cli.InputError(file, err)
	}
	defer r.Close()
	u := &unpackRun{exportRun: x, files: bundle.NewUnpacker(r, cli.Absolute(folder), x.Maps), folder: folder}
	if err := u.check(file); err != nil {
		return err
	}
	u.job = &writing.Job{
		App: x.App, ChangeOptions: writing.ChangeOptions{Write: !x.DryRun}, Always: true,
		Print: u.reportChanges, Do: u.write,
	}
	return u.job.Run()
}

// An unpackRun is one bundle that is being unpacked.
type unpackRun struct {
	*exportRun
	files  *bundle.Unpacker
	folder string
	job    *writing.Job
}

// check refuses to replace files that are in the way.
func (u *unpackRun) check(file string) error {
	inTheWay, err := u.files.Check(u.Ctx)
	switch {
	case err != nil:
		return cli.InputError(file, err)
	case len(inTheWay) == 0 || u.Output.Options.Force:
		return nil
	}
	for i, name := range inTheWay {
		inTheWay[i] = pathBelow(u.folder, name)
	}
	return failure.New(failure.Exists, "%s in the folder would be replaced, so nothing is unpacked",
		ui.Count(len(inTheWay), "file")).At(u.folder).WithList(inTheWay).WithHint(u.CommandLine("--force"))
}

// A movedRow is the JSON form of a change.
type movedRow struct {
	SchemaVersion int `json:"schema_version"`
	bundle.Change
}

// reportChanges sums up the changes, or lists every one if that is asked for.
func (u *unpackRun) reportChanges() error {
	switch {
	case u.Format != "" || u.Verbose || u.WantsJSON():
		return u.PrintReport(movedPaths(u.files.Changes))
	case len(u.files.Changes) == 0:
		return nil
	}
	return u.PrintReport(u.changeSummary())
}

func movedPaths(changes []bundle.Change) *cli.Report {
	r := cli.NewReport(ui.Middle("file", 16, 1),
		ui.Middle("field", 12), ui.Middle("old", 16),
		ui.Middle("new", 16), ui.Middle("session", 16, 2))
	for _, c := range changes {
		r.Add(movedRow{1, c}, c.File, c.Field, c.Old, c.New, c.Key)
	}
	return r
}

func (u *unpackRun) changeSummary() *cli.Report {
	r := cli.NewReport(ui.Numbers("changes"), ui.Words("field"),
		ui.Middle("old folder", 16), ui.Middle("new folder", 16))
	for _, c := range u.files.CountChanges() {
		if c.New == cli.Absolute(u.folder) {
			c.New = u.folder
		}
		r.Add(nil, ui.Thousands(c.Count), c.Field, c.Old, c.New)
	}
	return r
}

// write writes the files.
func (u *unpackRun) write() error {
	app := u.App
	to, err := writing.BeginUnpacking(app, cli.Absolute(u.folder))
	if errors.As(err, new(*failure.Error)) {
		return err
	}
	if err != nil {
		return cli.OutputError(u.folder, err)
	}
	defer to.Close()
	written, total := 0, int64(0)
	for i := range u.files.Reader.Files {
		f, counted := &u.files.Reader.Files[i], &cli.CountingWriter{}
		receipt, err := to.Place(f.Path, f.ModTime(), func(w io.Writer) error {
			counted = &cli.CountingWriter{To: w}
			return u.files.Copy(app.Ctx, i, counted)
		})
		u.job.Keep(receipt)
		if err != nil {
			return u.failed(filepath.Join(u.folder, f.Path), err)
		}
		if total += counted.N; receipt != nil {
			written++
		}
	}
	app.Note("Unpacked %s (%s) to %s: %d written, %d already there, %s changed.",
		ui.Count(len(u.files.Reader.Files), "file"), ui.Bytes(total), u.folder, written, len(u.files.Reader.Files)-written,
		ui.Count(len(u.files.Changes), "path"))
	return nil
}

// failed gives the error of a file its code.
func (u *unpackRun) failed(path string, err error) error {
	if u.Ctx.Err() == nil && !errors.Is(err, writing.ErrExists) {
		if f := failure.From(path, err); f != nil {
			return f
		}
	}
	return u.exportRun.failed(&migrate.Item{Path: path}, err)
}
