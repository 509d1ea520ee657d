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
	"clawctl/internal/failure"
	"clawctl/internal/ui"
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
}

func newExportReport() *report {
	return newReport(
		ui.Column{Name: "verdict"},
		ui.Column{Name: "size", Right: true, Rank: 1},
		ui.Column{Name: "file", Cut: ui.InMiddle, Min: 24},
		ui.Column{Name: "session", Cut: ui.InMiddle, Min: 16, Rank: 1},
	)
}

func (r *report) addExported(file, session, verdict string, bytes int64) {
	r.add(exportRow{1, file, session, verdict, bytes}, verdict, ui.Bytes(bytes), file, session)
}

func (r *report) addPlanned(file string, item *migrate.Item) {
	r.add(exportRow{1, file, item.Session, "would write", 0}, "would write", "", file, item.Session)
}

// toStdout writes one session to stdout. On a terminal it scrolls by, which is progress enough.
func (x *exportRun) toStdout(item *migrate.Item) error {
	if x.options.dryRun {
		return x.planOne("-", item)
	}
	if !x.app.output.term.Is {
		x.beginProgress([]migrate.Item{*item})
		defer x.app.progress.End()
	}
	if _, err := x.write(&stdoutWriter{x.app.output}, item); err != nil {
		return x.failed(item, err)
	}
	return x.outcome.Err()
}

// A stdoutWriter tells errors of stdout from those of the session.
type stdoutWriter struct{ *output }

func (w *stdoutWriter) Write(p []byte) (int, error) {
	n, err := w.output.Write(p)
	if err != nil {
		err = &writeFailure{err}
	}
	return n, err
}

// toFile writes one session to a file. One that exists with the same content is left alone.
func (x *exportRun) toFile(out string, item *migrate.Item) error {
	if x.options.dryRun {
		return x.planOne(out, item)
	}
	if err := mayCreate(out, true, ""); err != nil {
		return err // it exists, and is no regular file
	}
	root, err := os.OpenRoot(filepath.Dir(out))
	if err != nil {
		return outputError(out, err)
	}
	defer root.Close()
	x.beginProgress([]migrate.Item{*item})
	verdict, n, err := x.app.place(root, filepath.Base(out), time.Time{}, func(w io.Writer) (int64, error) {
		return x.write(w, item)
	})
	x.app.progress.End()
	if err != nil {
		return x.failed(&migrate.Item{Path: out, Session: item.Session, Origin: item.Origin}, err)
	}
	r := newExportReport()
	r.addExported(out, item.Session, verdict, n)
	if err := x.report(r); err != nil {
		return err
	}
	return x.outcome.Err()
}

func (x *exportRun) planOne(out string, item *migrate.Item) error {
	r := newExportReport()
	r.addPlanned(out, item)
	return x.app.printReport(r)
}

// toFolder writes all files below a folder. Nothing is written outside it, whatever names a store has.
func (x *exportRun) toFolder(folder string) error {
	if x.options.dryRun {
		return x.plan(folder)
	}
	absolute, err := filepath.Abs(folder)
	if err == nil {
		err = atomicfile.MkdirAll(absolute)
	}
	if err != nil {
		return outputError(folder, err)
	}
	root, err := os.OpenRoot(absolute)
	if err != nil {
		return outputError(folder, err)
	}
	defer root.Close()
	r := newExportReport()
	total, err := x.placeItems(root, folder, r)
	if err == nil {
		err = x.placeIndexes(root, folder, absolute, r)
	}
	if err != nil {
		return err
	}
	if err := x.report(r); err != nil {
		return err
	}
	words := ""
	if kept := r.countVerdict("unchanged"); kept > 0 {
		words = fmt.Sprintf(" %d written, %d already there.", len(r.Rows)-kept, kept)
	}
	x.app.note("Exported %s (%s) to %s.%s", ui.Count(len(r.Rows), "file"), ui.Bytes(total), folder, words)
	return x.outcome.Err()
}

// countVerdict counts the files with a verdict.
func (r *report) countVerdict(verdict string) (n int) {
	for _, row := range r.Rows {
		if row[0].Text == verdict {
			n++
		}
	}
	return n
}

// plan lists what would be written.
func (x *exportRun) plan(folder string) error {
	r := newExportReport()
	for i := range x.items {
		r.addPlanned(pathBelow(folder, x.items[i].Path), &x.items[i])
	}
	return x.app.printReport(r)
}

func pathBelow(folder, name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }

// placeItems writes the files of sessions. One that cannot be written does not stop the others.
func (x *exportRun) placeItems(root *os.Root, folder string, r *report) (total int64, err error) {
	x.beginProgress(x.items)
	defer x.app.progress.End()
	for i := range x.items {
		item := &x.items[i]
		x.app.progress.Rename(fmt.Sprintf("Exporting file %d of %d", i+1, len(x.items)))
		verdict, n, err := x.app.place(root, item.Path, item.Modified, func(w io.Writer) (int64, error) {
			return x.write(w, item)
		})
		if x.app.ctx.Err() != nil {
			return total, interrupted(x.app)
		}
		if err != nil {
			x.app.blame(x.outcome, x.failed(item, err))
			continue
		}
		total += n
		r.addExported(pathBelow(folder, item.Path), item.Session, verdict, n)
	}
	return total, nil
}

// placeIndexes writes the sessions.json files.
func (x *exportRun) placeIndexes(root *os.Root, folder, absolute string, r *report) error {
	indexes, err := migrate.Indexes(x.items, absolute, x.form.converts)
	if err != nil {
		return failure.Internal(err)
	}
	for _, ix := range indexes {
		file := pathBelow(folder, ix.Path)
		verdict, n, err := x.app.place(root, ix.Path, time.Time{}, func(w io.Writer) (int64, error) {
			n, err := w.Write(ix.Text)
			return int64(n), err
		})
		if err != nil {
			return x.failed(&migrate.Item{Path: file, Session: folder}, err)
		}
		r.addExported(file, "", verdict, n)
	}
	return nil
}

// report prints the list of files, if it is asked for.
func (x *exportRun) report(r *report) error {
	if x.app.format == "" && !x.app.verbose {
		return nil
	}
	return x.app.printReport(r)
}

// beginProgress shows how many bytes of the items have been written.
func (x *exportRun) beginProgress(items []migrate.Item) {
	total := int64(0)
	for i := range items {
		total += items[i].Size
	}
	x.app.progress.Begin("Exporting", total, ui.ByteUnit)
}

// write writes an item in the form that is asked for. What a conversion leaves out is reported and counts as damage.
func (x *exportRun) write(w io.Writer, item *migrate.Item) (n int64, err error) {
	w = &progressWriter{w, x.app.progress}
	x.blameMissing(item)
	if !x.form.converts {
		return item.WriteTo(x.app.ctx, w)
	}
	damage := &damageLog{console: x.app.console, name: item.Place}
	if n, err = item.ConvertTo(x.app.ctx, w, damage.count); err != nil {
		return n, err
	}
	if err = damage.sumUp(); err == failure.Damaged {
		x.app.blame(x.outcome, err)
		err = nil // the rest is written
	}
	return n, err
}

// A progressWriter shows what is written as progress.
type progressWriter struct {
	io.Writer
	progress *ui.Progress
}

func (w *progressWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.progress.Advance(int64(n))
	return n, err
}

// blameMissing reports a file that lacks bytes of the original, because they were not imported, and one whose bytes
// have no digest.
func (x *exportRun) blameMissing(item *migrate.Item) {
	if item.Incomplete {
		f := inputError(cmp.Or(item.Place, item.Session), store.ErrIncomplete)
		x.app.blame(x.outcome, f.WithHint(failure.Command("clawctl", "import", item.Origin)))
	}
	if item.CheckRows != nil {
		x.checkRows(item)
	}
	if item.MissingBytes == 0 {
		return
	}
	f := failure.New(failure.NotImported, "%d of its bytes were not imported, and are not exported", item.MissingBytes)
	x.app.blame(x.outcome, f.At(item.Origin).WithHint(x.verifyHint(item)).AfterWork())
}

// checkRows checks the rows of a session without a digest. What is stored of it is exported in any case.
func (x *exportRun) checkRows(item *migrate.Item) {
	name := cmp.Or(item.Place, item.Session)
	if err := item.CheckRows(x.app.ctx); err != nil {
		x.app.blame(x.outcome, failure.New(failure.Corrupt, "exported as it is: %v", err).At(name).AfterWork())
		return
	}
	x.app.note("%s: %s %s; its rows were checked instead", name, source.NoDigest, source.NoDigest.Words())
}

// failed gives the error of an item its code and hint.
func (x *exportRun) failed(item *migrate.Item, err error) error {
	switch {
	case x.app.ctx.Err() != nil:
		return interrupted(x.app)
	case isClosedPipe(err), errors.As(err, new(*failure.Error)):
		return err
	case errors.Is(err, errExists):
		return failure.New(failure.Exists, "%v", err).At(item.Path).WithHint(x.app.commandLine("--force"))
	case errors.Is(err, migrate.ErrDiffers):
		return failure.New(failure.Differs, "the stored session is not what was imported").
			At(item.Session).WithExit(failure.ExitDatabase).WithHint(x.verifyHint(item))
	}
	return readError(x.app, cmp.Or(item.Session, item.Path), err)
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
