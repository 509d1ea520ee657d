package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"clawctl/internal/atomicfile"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// An exportRow is the JSON form of a file.
type exportRow struct {
	SchemaVersion int    `json:"schema_version"`
	Path          string `json:"path"`
	Session       string `json:"session,omitempty"`
	Verdict       string `json:"verdict"`
	Bytes         int64  `json:"bytes"`
	Problem       string `json:"problem,omitempty"`      // why it cannot be read, although it is written
	RenamedFrom   string `json:"renamed_from,omitempty"` // its path before, if this system does not take that
}

func newExportReport() *cli.Report {
	return cli.NewReport(
		ui.Words("verdict"),
		ui.Numbers("size", 1),
		ui.Middle("file", 24),
		ui.Middle("session", 16, 1),
	)
}

func addExported(r *cli.Report, row exportRow) {
	row.SchemaVersion = 1
	r.Add(row, row.Verdict, ui.Bytes(row.Bytes), row.Path, row.Session)
}

func addPlanned(r *cli.Report, file string, item *migrate.Item) {
	row := exportRow{SchemaVersion: 1, Path: file, Session: item.Session, Verdict: "would write"}
	r.Add(row, row.Verdict, "", file, item.Session)
}

// toStdout writes one session to stdout. On a terminal it scrolls by, which is progress enough.
func (x *exportRun) toStdout(item *migrate.Item) error {
	if x.DryRun {
		return x.planOne("-", item)
	}
	if !x.Output.Term.Is {
		x.beginProgress([]migrate.Item{*item})
		defer x.Progress.End()
	}
	if _, err := x.write(x.Output, item); err != nil {
		return x.failed(item, err)
	}
	return x.Outcome.Err()
}

// toFile writes one session to a file. One that exists with the same content is left alone.
func (x *exportRun) toFile(out string, item *migrate.Item) error {
	if x.DryRun {
		return x.planOne(out, item)
	}
	if err := cli.MayCreate(out, true, ""); err != nil {
		return err // it exists, and is no regular file
	}
	root, err := os.OpenRoot(filepath.Dir(out))
	if err != nil {
		return cli.OutputError(out, err)
	}
	defer root.Close()
	x.beginProgress([]migrate.Item{*item})
	verdict, n, err := writing.Place(x.App, root, filepath.Base(out), time.Time{}, func(w io.Writer) (int64, error) {
		return x.write(w, item)
	})
	x.Progress.End()
	if err != nil {
		return x.failed(&migrate.Item{Path: out, Session: item.Session, Origin: item.Origin}, err)
	}
	r := newExportReport()
	addExported(r, exportRow{Path: out, Session: item.Session, Verdict: verdict, Bytes: n, Problem: x.problemOf(item)})
	if err := x.report(r); err != nil {
		return err
	}
	return x.Outcome.Err()
}

func (x *exportRun) planOne(out string, item *migrate.Item) error {
	r := newExportReport()
	addPlanned(r, out, item)
	return x.PrintReport(r)
}

// toFolder writes all files below a folder. Nothing is written outside it, whatever names a store has.
func (x *exportRun) toFolder(folder string) error {
	if x.DryRun {
		r := newExportReport()
		for i := range x.items {
			addPlanned(r, pathBelow(folder, x.items[i].Path), &x.items[i])
		}
		return x.PrintReport(r)
	}
	absolute, err := filepath.Abs(folder)
	if err == nil {
		err = atomicfile.MkdirAll(absolute)
	}
	if err != nil {
		return cli.OutputError(folder, err)
	}
	root, err := os.OpenRoot(absolute)
	if err != nil {
		return cli.OutputError(folder, err)
	}
	defer root.Close()
	r := newExportReport()
	total, err := x.placeItems(root, folder, r)
	if err != nil {
		return err
	}
	if err = x.placeIndexes(root, folder, absolute, r); err != nil {
		return err
	}
	if err := x.report(r); err != nil {
		return err
	}
	words, kept := "", 0
	for _, row := range r.Table.Rows {
		if row[0].Text == "unchanged" {
			kept++
		}
	}
	if kept > 0 {
		words = fmt.Sprintf(" %d written, %d already there.", len(r.Table.Rows)-kept, kept)
	}
	x.Note("Exported %s (%s) to %s.%s", ui.Count(len(r.Table.Rows), "file"), ui.Bytes(total), folder, words)
	return x.Outcome.Err()
}

func pathBelow(folder, name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }

// placeItems writes the files of sessions. One that cannot be written does not stop the others.
func (x *exportRun) placeItems(root *os.Root, folder string, r *cli.Report) (total int64, err error) {
	x.beginProgress(x.items)
	defer x.Progress.End()
	for i := range x.items {
		item := &x.items[i]
		x.Progress.Rename(fmt.Sprintf("Exporting file %d of %d", i+1, len(x.items)))
		verdict, n, err := writing.Place(x.App, root, item.Path, item.Modified, func(w io.Writer) (int64, error) {
			return x.write(w, item)
		})
		if x.Ctx.Err() != nil {
			return total, cli.Interrupted(x.App)
		}
		if err != nil {
			x.Blame(x.failed(item, err))
			continue
		}
		total += n
		addExported(r, exportRow{Path: pathBelow(folder, item.Path), Session: item.Session, Verdict: verdict, Bytes: n,
			Problem: x.problemOf(item), RenamedFrom: item.RenamedFrom})
		if item.RenamedFrom != "" {
			x.Note("%s is written as %s: %s", item.RenamedFrom, item.Path, item.RenameReason)
		}
	}
	return total, nil
}

// placeIndexes writes the sessions.json files.
func (x *exportRun) placeIndexes(root *os.Root, folder, absolute string, r *cli.Report) error {
	indexes, err := migrate.Indexes(x.items, absolute, x.form.converts)
	if err != nil {
		return failure.Internal(err)
	}
	for _, ix := range indexes {
		file := pathBelow(folder, ix.Path)
		verdict, n, err := writing.Place(x.App, root, ix.Path, time.Time{}, func(w io.Writer) (int64, error) {
			n, err := w.Write(ix.Text)
			return int64(n), err
		})
		if err != nil {
			return x.failed(&migrate.Item{Path: file, Session: folder}, err)
		}
		addExported(r, exportRow{Path: file, Verdict: verdict, Bytes: n})
	}
	return nil
}

// report prints the list of files, if it is asked for.
func (x *exportRun) report(r *cli.Report) error {
	if x.Format == "" && !x.Verbose {
		return nil
	}
	return x.PrintReport(r)
}

// beginProgress shows how many bytes of the items have been written.
func (x *exportRun) beginProgress(items []migrate.Item) {
	total := int64(0)
	for i := range items {
		total += items[i].Size
	}
	x.Progress.Begin("Exporting", total, ui.ByteUnit)
}

// write writes an item in the form that is asked for. What a conversion leaves out is reported and counts as damage.
func (x *exportRun) write(w io.Writer, item *migrate.Item) (n int64, err error) {
	w = &progressWriter{w, x.Progress}
	x.blameMissing(item)
	if !x.form.converts {
		return item.WriteTo(x.Ctx, w)
	}
	damage := &cli.DamageLog{Console: x.Console, Name: item.Place}
	if n, err = item.ConvertTo(x.Ctx, w, damage.Count); err != nil {
		return n, err
	}
	if err = damage.SumUp(); err == failure.Damaged {
		x.Blame(err)
		err = nil // the rest is written
	}
	return n, err
}

// problemOf says why a compressed file cannot be read. It is written as it is, because the bytes are what is asked for.
func (x *exportRun) problemOf(item *migrate.Item) string {
	if x.form.converts || x.Redact {
		return "" // which has read it
	}
	err := item.CheckText(x.Ctx)
	if err == nil || x.Ctx.Err() != nil {
		return ""
	}
	f := cli.InputError(item.Place, err)
	x.Note("%s: %s %s; it is written as it is", cmp.Or(item.Place, item.Session), f.Code, f.Text)
	return f.Text
}

// A progressWriter shows what is written as progress.
type progressWriter struct {
	to       io.Writer
	progress *ui.Progress
}

func (w *progressWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	w.progress.Advance(int64(n))
	return n, err
}

// blameMissing reports a file that lacks bytes of the original, because they were not imported, and one whose bytes
// have no digest.
func (x *exportRun) blameMissing(item *migrate.Item) {
	if item.Incomplete {
		f := cli.InputError(cmp.Or(item.Place, item.Session), store.ErrIncomplete)
		x.Blame(f.WithHint(failure.Command("clawctl", "import", item.Origin)))
	}
	if item.Undigested {
		x.checkRows(item)
	}
	if item.MissingBytes == 0 {
		return
	}
	f := failure.New(failure.NotImported, "%d of its bytes were not imported, and are not exported", item.MissingBytes)
	x.Blame(f.At(item.Origin).WithHint(x.verifyHint(item)).AfterWork())
}

// checkRows checks the rows of a session without a digest. What is stored of it is exported in any case.
func (x *exportRun) checkRows(item *migrate.Item) {
	name := cmp.Or(item.Place, item.Session)
	if err := item.CheckRows(x.Ctx); err != nil {
		x.Blame(failure.New(failure.Corrupt, "exported as it is: %v", err).At(name).AfterWork())
		return
	}
	x.Note("%s: %s %s; its rows were checked instead", name, source.NoDigest, source.NoDigest.Words())
}

// failed gives the error of an item its code and hint.
func (x *exportRun) failed(item *migrate.Item, err error) error {
	switch {
	case cli.IsClosedPipe(err), errors.As(err, new(*failure.Error)):
		return err
	case errors.Is(err, writing.ErrExists):
		return failure.From(item.Path, err)
	case errors.Is(err, migrate.ErrDiffers):
		return failure.New(failure.Differs, "the stored session is not what was imported").
			At(item.Session).WithExit(failure.ExitDatabase).WithHint(x.verifyHint(item))
	}
	return cli.ReadError(cmp.Or(item.Session, item.Path), err)
}

// verifyHint is the command that compares an item with the file it came from, if that is still there.
func (x *exportRun) verifyHint(item *migrate.Item) string {
	if info, err := os.Stat(item.Origin); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	path, _, _, err := source.SplitPlace(item.Place)
	if err != nil {
		return ""
	}
	return failure.Command("clawctl", "verify", item.Origin, "--against", path)
}
