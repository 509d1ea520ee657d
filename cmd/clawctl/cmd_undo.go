package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change"
	"clawctl/pkg/change/prune"
	"clawctl/pkg/export/bundle"
)

func newUndoCommand() *cli.Command {
	return &cli.Command{
		Options: &undoOptions{},
		Offers:  func() []string { return []string{change.Last} }, Formats: cli.ReportFormats,
	}
}

// undoOptions are the flags of undo.
type undoOptions struct {
	Yes    bool `flag:"yes: do not ask" short:"y"`
	List   bool `flag:"list: list the receipts"`
	DryRun bool `flag:"dry-run: only say what would be restored"`
	Finish bool `flag:"finish: only complete what was interrupted, and undo nothing"`
}

// Run runs the command.
func (o *undoOptions) Run(a *cli.App, operands []string) error {
	if o.List {
		if err := a.NoOperands(); err != nil {
			return err
		}
		return listReceipts(a)
	}
	if o.Finish {
		if err := a.NoOperands(); err != nil {
			return err
		}
		return writing.FinishChanges(a)
	}
	if !o.DryRun {
		if err := writing.BeginChanges(a); err != nil {
			return err
		}
	}
	name := change.Last
	switch {
	case len(operands) > 1:
		return cli.Usage("undo takes one receipt, got %d", len(operands))
	case len(operands) == 1:
		name = operands[0]
	}
	journal, err := writing.Journal(a)
	if err != nil {
		return err
	}
	receipts, unread, err := journal.Find(name)
	if err != nil {
		return writing.ChangeError(a, journal.Folder, err)
	}
	for _, e := range unread {
		a.Blame(writing.ChangeError(a, journal.Folder, e))
	}
	if len(receipts) == 0 {
		return a.Outcome.Err()
	}
	return o.undo(a, journal, receipts)
}

// undo undoes changes, the last one first, and adds what is not undone to the outcome.
func (o *undoOptions) undo(
	a *cli.App, journal *change.Journal, receipts []*change.Receipt,
) error {
	if err := change.FinalError(receipts); err != nil {
		return writing.ChangeError(a, "", err)
	}
	at, what := a.Zone.In(receipts[0].Time).Format(time.DateTime), ui.Count(len(receipts), "file")
	if len(receipts) == 1 {
		what = receipts[0].Path
	}
	job := &writing.Job{
		App: a, ChangeOptions: writing.ChangeOptions{Write: !o.DryRun, Yes: o.Yes}, Found: true,
		Question: fmt.Sprintf("Restore %s as before %s?", what, at),
	}
	if o.DryRun {
		job.Print = func() error { return a.PrintReport(receiptReport(a, change.Rows(receipts))) }
		return job.Run()
	}
	job.Changes = len(receipts)
	job.Do = func() error {
		if err := journal.Announce(receipts); err != nil {
			return writing.ChangeError(a, journal.Folder, err)
		}
		var done []change.Row
		err := job.Each(len(receipts), func(i int) error {
			r, undo := receipts[i], journal.Undo
			isGone, err := emptyArchive(a, r)
			if err != nil {
				return err
			}
			if isGone {
				undo = journal.MarkUndone
			}
			if err := undo(r); err != nil {
				return undoError(a, r, err)
			}
			done = append(done, r.Row(change.Undone))
			return nil
		})
		if len(done) > 0 {
			err = cmp.Or(err, a.PrintReport(receiptReport(a, done)))
		}
		return err
	}
	return job.Run()
}

// emptyArchive gives the sessions of an archive back to their store, before the archive is removed. isGone is set if
// somebody has moved or removed it, and then nothing is left to do.
func emptyArchive(a *cli.App, r *change.Receipt) (isGone bool, err error) {
	if r.Archive == nil || r.UndoneAt != nil {
		return false, nil
	}
	k, err := openArchived(a, r)
	if err != nil {
		return false, err
	}
	defer k.Close()
	archiver := &prune.Archiver{Store: k.Keeper.Store, Path: k.Path}
	archives, err := archiver.Find(a.Ctx, r)
	path, keys := r.Path, []string(nil)
	if err == nil && len(archives) > 0 {
		path = archives[0].Name(k.Path)
		keys, err = archiver.Unarchive(a.Ctx, archives)
	}
	if err != nil {
		return false, k.Failed(path, err)
	}
	a.Note("brought %s back to %s", ui.Count(len(keys), "session"), k.Path)
	lacks, err := archiver.Lacks(a.Ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		a.Note("the archive %s is gone, and the store does not need it", path)
		return true, nil
	case errors.As(err, new(*bundle.RefusedError)):
		return false, failure.New(failure.Changed, "the archive has changed, so it stays, but the store does not need it").
			At(path).WithExit(failure.ExitFindings).WithHint(failure.Command("clawctl", "verify", k.Path))
	case err != nil:
		return false, cli.InputError(path, err)
	case len(lacks) > 0:
		return false, failure.New(failure.LastCopy, "%s does not have %s of the archive, which stays", k.Path,
			ui.Count(len(lacks), "session")).At(path).WithHint(failure.Command("clawctl", "import", path, "--to", k.Path))
	}
	if path != r.Path && !openfile.IsSame(path, r.Path) {
		a.Note("the archive was moved, so it stays at %s, but the store does not need it any more", path)
		return true, nil
	}
	return false, nil
}

// openArchived opens the store of an archive. If that has been moved, it is the one in use, if that knows the archive.
func openArchived(a *cli.App, r *change.Receipt) (*writing.StoreAccess, error) {
	o := writing.NewKeeperOptions()
	o.Store = r.Archive.Store
	k, err := o.Open(a, writing.MustExist)
	var f *failure.Error
	if err == nil || !errors.As(err, &f) || f.Code != failure.NotFound {
		return k, err
	}
	o.Store = ""
	moved, other := o.Open(a, writing.MustExist)
	if other != nil {
		return nil, err
	}
	archiver := &prune.Archiver{Store: moved.Keeper.Store, Path: moved.Path}
	if archives, other := archiver.Find(a.Ctx, r); other != nil || len(archives) == 0 {
		moved.Close()
		return nil, err
	}
	return moved, nil
}

// undoError says why a change was not undone.
func undoError(a *cli.App, r *change.Receipt, err error) *failure.Error {
	if !errors.Is(err, change.ErrChanged) {
		return writing.ChangeError(a, r.Path, err)
	}
	text := "the file changed after the " + r.Command + ", and newer messages are never dropped"
	switch state, err := r.State(); {
	case err != nil:
	case state == change.Undone:
		text = "the file is already as it was before the " + r.Command
	case state == change.Gone:
		text = "the file is not there any more"
	}
	f := failure.New(failure.Changed, "%s", text).At(r.Path).WithExit(failure.ExitFindings)
	return f.WithHint("clawctl undo --list")
}

func listReceipts(a *cli.App) error {
	journal, err := writing.Journal(a)
	if err != nil {
		return err
	}
	receipts, err := writing.Receipts(a, journal)
	if err != nil {
		return err
	}
	if len(receipts) == 0 {
		a.Note("Nothing to undo: no receipts in %s", journal.Folder)
		if !a.WantsJSON() {
			return nil
		}
	}
	return a.PrintReport(receiptReport(a, change.Rows(receipts)))
}

// receiptReport lists receipts.
func receiptReport(a *cli.App, rows []change.Row) *cli.Report {
	list := cli.NewReport(
		ui.Words("receipt"),
		ui.Words("time", 2),
		ui.Words("command", 3),
		ui.Numbers("ranges", 4),
		ui.Words("state"),
		ui.Middle("file", 16),
	)
	for _, row := range rows {
		list.Add(row, row.Receipt, a.When(row.Time), row.Command, ui.Thousands(int64(row.Ranges)), string(row.State),
			row.Path)
	}
	return list
}
