package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change"
	"clawctl/pkg/change/prune"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"clawctl/pkg/store/session"
)

// pruneFiles moves old files that are safe to delete to the trash.
func (o *pruneOptions) pruneFiles(a *cli.App, operands []string, before time.Time) error {
	arguments, err := cli.VerifySources(a, operands)
	if err != nil {
		return err
	}
	r := o.newRun(a, "file")
	m, err := cli.FindTranscripts(a, arguments, cli.Search{Defaults: cli.EveryKind, Fast: true})
	if err != nil {
		return err
	}
	cli.BlameProblems(a, m.Places)
	cli.BlameIndexes(a, m.Places)
	sessions, owned := prune.Split(m.Sessions)
	if len(owned) > 0 {
		if len(sessions) == 0 {
			return cli.InputError(owned[0].Place(), owned[0].CheckOwner())
		}
		a.Note("left %s of other programs alone", ui.Count(len(owned), "session"))
	}
	rules := prune.Rules{Before: before, Kinds: slices.Clone(o.Kinds), KeepLast: o.KeepLast, Larger: o.Larger}
	files := rules.Select(sessions)
	if len(files) == 0 {
		return r.finish()
	}
	target, other, err := reading.OpenTarget(a, o.Against, reading.TargetPath(m, arguments))
	if err != nil {
		if f := (*failure.Error)(nil); errors.As(err, &f) && f.Code == failure.Nothing && f.Hint == "" {
			return f.WithHint(failure.Command("clawctl", "import", arguments[0]))
		}
		return err
	}
	proofs, err := reading.CompareWith(a, files, target, o.Jobs, reading.HomesOf(a, m.Places))
	if err != nil {
		return err
	}
	if err := r.addProofs(proofs, target); err != nil {
		return err
	}
	if other.Path != "" {
		a.Note("compared with the %s; to compare with OpenClaw's databases: %s", target.Location,
			a.CommandLine("--against", other.Path))
	}
	return r.finish()
}

// addProofs adds files that were compared.
func (r *pruneRun) addProofs(proofs []migrate.Proof, target *migrate.Target) error {
	journal, err := writing.Journal(r.App)
	if err != nil {
		return err
	}
	r.plan.Summary.Against, r.plan.Where = target.Path, "; compared with the "+target.Location.String()
	for i := range proofs {
		proof := &proofs[i]
		s := proof.Session
		item := &prune.Item{Name: cli.SourceName(r.App, s), Since: prune.LastUse(s)}
		item.Path, item.Session, item.Kind, item.Bytes = s.Path, s.Name(), s.Kind, s.Bytes
		item.Do = func() *failure.Error {
			receipt, err := prune.ToTrash(journal, proof, target.Location)
			if receipt != nil {
				item.Receipt, item.Trash, r.plan.Summary.Receipt = receipt.ID, receipt.Moved.To, receipt.Run
				r.job.Keep(receipt)
			}
			return r.leftAlone(item.Path, err)
		}
		keep := ui.Cell{}
		if !proof.Safe() {
			keep = reading.ProofMeaning(proof)
		}
		r.plan.Add(item, ui.Cell{Text: "safe to delete"}, keep)
	}
	return nil
}

// leftAlone is the failure of a file that was not changed. If it is in use or has changed, that is nobody's mistake.
func (r *pruneRun) leftAlone(path string, err error) *failure.Error {
	if err == nil {
		return nil
	}
	f := writing.ChangeError(r.App, path, err)
	var locked *change.LockedError
	if errors.As(err, &locked) || errors.Is(err, change.ErrChanged) {
		return f.WithExit(failure.ExitFindings)
	}
	return f
}

// emptyFiles deletes files that have been in the trash for long. Each is compared once more before.
func (o *pruneOptions) emptyFiles(a *cli.App, operands []string, before time.Time) error {
	journal, err := writing.Journal(a)
	if err != nil {
		return err
	}
	receipts, err := writing.Receipts(a, journal)
	if err != nil {
		return err
	}
	receipts = slices.DeleteFunc(receipts, func(r *change.Receipt) bool {
		return !r.InTrash() || !r.Time.Before(before) || !writing.IsOf(r, operands)
	})
	if o.Write {
		if err := journal.Announce(receipts); err != nil {
			return writing.ChangeError(a, journal.Folder, err)
		}
	}
	files, gone := prune.FindTrashed(receipts)
	for _, r := range gone {
		if o.Write {
			_ = journal.Remove(r) // undo --list shows the state anyway
		}
	}
	if !o.LastCopy.Allowed {
		err := prune.ProveAgain(a.Ctx, files, o.Jobs, func(t *migrate.Target) { a.Keep(t) })
		var target *prune.TargetError
		switch {
		case a.Ctx.Err() != nil:
			return cli.Interrupted(a)
		case errors.As(err, &target):
			return cli.InputError(target.Path, target.Err)
		case err != nil:
			return err
		}
	}
	r := o.newRun(a, "file")
	if len(files) == 0 {
		r.plan.Where = " in the trash"
	}
	for _, f := range files {
		r.addTrashed(journal, f)
	}
	return r.finish()
}

// addTrashed adds a file of the trash. One whose content is no longer in its database stays.
func (r *pruneRun) addTrashed(journal *change.Journal, f *prune.TrashedFile) {
	receipt := f.Receipt
	item := &prune.Item{Name: receipt.Path, Since: receipt.Time}
	if r.Output.Term.Is {
		item.Name = filepath.Base(receipt.Path)
	}
	item.Path, item.Trash, item.Kind = receipt.Path, receipt.Moved.To, f.Session.Kind
	item.Bytes, item.Receipt = receipt.SizeAfter, receipt.ID
	item.Do = func() *failure.Error { return r.leftAlone(receipt.Moved.To, journal.Remove(receipt)) }
	database := receipt.Moved.Proof.Path
	reason, keep := ui.Cell{Text: "every record is still in " + database, Short: "safe to delete"}, ui.Cell{}
	switch {
	case f.Unproven != nil:
		keep = ui.Cell{Text: "keep: " + database + " had its records, but cannot be read", Short: "keep: unreadable proof"}
	case f.Proof == nil:
		reason = ui.Cell{Text: "not compared, because --last-copy is given", Short: "not compared"}
	case !f.Proof.Safe():
		keep = reading.ProofMeaning(f.Proof)
	}
	r.plan.Add(item, reason, keep)
}

// pruneStore moves expired sessions of a store to its trash, or deletes what is in the trash.
func (o *pruneOptions) pruneStore(a *cli.App, operands []string, before time.Time) error {
	path, name := storeOperand(operands)
	place, err := a.StorePath(path)
	if err != nil {
		return err
	}
	e := session.Expiry{Before: before, Reason: "not used for " + o.Older.Text, Guard: o.LastCopy.Guard(a, place.Value)}
	expired, err := o.findExpired(a, place.Value, name, e)
	if err != nil {
		return err
	}
	r := o.newRun(a, "session")
	work := &storePrune{pruneRun: r, expiry: e, path: place.Value}
	defer func() {
		if work.keeping != nil {
			work.keeping.Close()
		}
	}()
	r.plan.Where, r.begin, r.after = " in "+place.Value, work.open, work.explain
	if o.EmptyTrash {
		r.plan.Where, r.begin, r.after = " in the trash of "+place.Value, work.openTrash, func() {
			if work.kept > 0 {
				a.Note("the text of %s is still in an archive, from which clawctl deletes nothing",
					ui.Count(work.kept, "session"))
			}
		}
	}
	if o.Archive != "" {
		reader, err := store.OpenReader(a.Ctx, place.Value)
		if err != nil {
			return cli.InputError(place.Value, err)
		}
		r.plan.Archive, err = prune.VolumePath(a.Ctx, &reader.View, cli.ExpandHome(o.Archive))
		reader.Close()
		switch {
		case errors.As(err, new(*fs.PathError)):
			return cli.OutputError(o.Archive, err)
		case err != nil:
			return cli.InputError(place.Value, err)
		}
		r.begin, r.after = work.archive, nil
	}
	for _, one := range expired {
		work.add(one)
	}
	return r.finish()
}

// storeOperand is the store and the session that an operand means: FILE, FILE#SESSION, or the name of a session.
func storeOperand(operands []string) (path, name string) {
	if len(operands) == 0 {
		return "", ""
	}
	path, name, _, err := source.SplitPlace(operands[0])
	isFile := source.LooksLikePath(operands[0]) || filepath.Ext(operands[0]) == ".db"
	if err != nil && !isFile {
		return "", operands[0]
	}
	return path, name
}

// findExpired lists what has expired, of all sessions or of one. It only reads.
func (o *pruneOptions) findExpired(
	a *cli.App, path, name string, e session.Expiry,
) (list []session.ExpiredSession, err error) {
	r, err := store.OpenReader(a.Ctx, path)
	if err != nil {
		return nil, cli.InputError(path, err)
	}
	defer r.Close()
	if o.EmptyTrash {
		list, err = e.Trashed(a.Ctx, &r.View)
	} else {
		list, err = e.Expired(a.Ctx, &r.View)
	}
	if err == nil && o.Archive != "" {
		list, err = session.NotArchived(a.Ctx, &r.View, list)
	}
	if err == nil && name != "" {
		list, err = session.OnlyNamed(a.Ctx, &r.View, list, name)
	}
	switch {
	case errors.As(err, new(*source.InexactError)), errors.As(err, new(*source.AmbiguousError)):
		return nil, cli.LookupError(a, path+"#"+name, err, true)
	case err != nil:
		return nil, writing.StoreError(a, path, err)
	}
	return list, nil
}

// A storePrune changes a store.
type storePrune struct {
	*pruneRun
	expiry  session.Expiry
	path    string
	keeping *writing.StoreAccess // nil until something is changed
	again   int                  // sessions that the next import would store again
	done    *prune.ArchiveResult // what became of the archive; nil without one

	archived map[string]bool // the sessions that archives have, before the trash is emptied
	kept     int             // how many of them were deleted
}

// add adds a session to the plan.
func (w *storePrune) add(one session.ExpiredSession) {
	item := &prune.Item{Name: one.Key, Since: one.LastUse}
	item.Session, item.Bytes, item.Archive = one.Key, one.Bytes, w.plan.Archive
	item.Do = func() *failure.Error { return w.failure(one.Key, w.remove(one)) }
	reason := ui.Cell{Text: w.expiry.Reason}
	if w.plan.Final {
		item.Name = store.TrashName(one.TrashID) + " " + one.Key
		reason.Text = "no pruned file needs it"
	}
	keep := ui.Cell{} // why it stays
	var proof *session.ProofError
	switch {
	case one.Keep == nil:
	case errors.As(one.Keep, &proof):
		keep = ui.Cell{Text: "keep: proof of the pruned file " + proof.File, Short: "keep: proof of a file"}
	case errors.Is(one.Keep, session.ErrUnfinished):
		keep = ui.Cell{Text: "keep: its import was interrupted", Short: "keep: incomplete"}
	default:
		keep = ui.Cell{Text: "keep: " + one.Keep.Error(), Short: "keep: error"}
	}
	w.plan.Add(item, reason, keep)
}

// open opens the store for writing.
func (w *storePrune) open() (err error) {
	o := writing.KeeperOptions{Store: w.path, Lock: w.Lock}
	w.keeping, err = o.Open(w.App, writing.MustExist)
	w.expiry.Guard = w.LastCopy.Guard(w.App, w.path) // a prune may have run meanwhile
	return err
}

// openTrash opens the store to empty its trash.
func (w *storePrune) openTrash() error {
	err := w.open()
	if err != nil {
		return err
	}
	archiver := &prune.Archiver{Store: w.keeping.Keeper.Store, Path: w.path}
	if w.archived, err = archiver.Keys(w.Ctx); err != nil {
		return writing.StoreError(w.App, w.path, err)
	}
	return nil
}

// archive moves all sessions of the plan to the archive, and gives the space back to the system.
func (w *storePrune) archive() error {
	if err := w.open(); err != nil {
		return err
	}
	var keys []string
	for _, item := range w.plan.Items {
		if item.Do != nil {
			keys = append(keys, item.Session)
		}
	}
	a, plan := w.App, w.plan
	archiver := &prune.Archiver{Store: w.keeping.Keeper.Store, Path: w.path, Journal: a.Changes, Now: a.Now()}
	var err error
	a.Progress.Begin("Archiving", 0, ui.Items("session"))
	w.done, err = archiver.Archive(a.Ctx, plan.Archive, keys)
	a.Progress.End()
	switch {
	case a.Ctx.Err() != nil:
		return cli.Interrupted(a)
	case err != nil && w.done == nil:
		return writing.ChangeError(a, plan.Archive, err)
	case err != nil:
		return w.keeping.Failed(plan.Archive, err)
	case w.done.Receipt != nil:
		plan.Summary.Receipt, plan.Summary.ArchiveBytes = w.done.Receipt.Run, w.done.Size
		w.job.Keep(w.done.Receipt)
	}
	if err := w.keeping.Keeper.Store.Compact(a.Ctx); err != nil {
		a.Note("the space in %s is free for new sessions, and stays with the file: %v", w.path, err)
	}
	return nil
}

// remove moves one session to the trash, or deletes it from there. One that went to the archive is there already.
func (w *storePrune) remove(one session.ExpiredSession) error {
	if w.done != nil {
		if err := w.done.Left[one.Key]; err != nil {
			return failure.New(failure.Changed, "%v; it stays in the store", err).At(w.path + "#" + one.Key).
				WithExit(failure.ExitFindings).WithHint(failure.Command("clawctl", "verify", w.path))
		}
		return nil
	}
	if w.plan.Final {
		err := w.keeping.Keeper.Purge(w.Ctx, one.TrashID, w.expiry.Guard)
		if err == nil && w.archived[one.Key] {
			w.kept++
		}
		return err
	}
	done, err := w.keeping.Keeper.Expire(w.Ctx, one.Key, w.expiry)
	if err != nil {
		return err
	}
	if done == nil {
		return failure.New(failure.Changed, "the session was used meanwhile; nothing was changed").At(w.path + "#" + one.Key).
			WithExit(failure.ExitFindings).WithHint(w.CommandLine())
	}
	if slices.ContainsFunc(done.Sources, openfile.IsThere) {
		w.again++
	}
	return nil
}

// explain says how to bring the sessions back, and which ones come back by themselves.
func (w *storePrune) explain() {
	if w.again > 0 {
		w.Note("the files of %s still exist; the next import stores them again", ui.Count(w.again, "session"))
	}
	w.Hint(failure.Command("clawctl", "restore", "--list", "--store", w.path))
}

// failure gives an error its code.
func (w *storePrune) failure(key string, err error) *failure.Error {
	var f *failure.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f), errors.As(w.keeping.Failed(key, err), &f):
		return f
	}
	return failure.Internal(err)
}
