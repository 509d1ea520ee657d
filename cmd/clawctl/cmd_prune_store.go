package main

import (
	"errors"
	"slices"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/session"
	"clawctl/pkg/store"
)

// pruneStore moves expired sessions of a store to its trash, or deletes what is in the trash.
func (o *pruneOptions) pruneStore(a *cli.App, operands []string, before time.Time) error {
	named := ""
	if len(operands) == 1 {
		named = operands[0]
	}
	place, err := a.StorePath(named)
	if err != nil {
		return err
	}
	e := session.Expiry{Before: before, Reason: "not used for " + o.older.Text, Guard: o.lastCopy.Guard(a, place.Value)}
	expired, err := o.findExpired(a, place.Value, e)
	if err != nil {
		return err
	}
	p := &prunePlan{app: a, options: o, noun: "session", final: o.emptyTrash, outcome: &failure.Tally{}}
	work := &expiring{plan: p, expiry: e, path: place.Value}
	defer work.close()
	p.where, p.begin, p.after = " in "+place.Value, work.open, work.explain
	if o.emptyTrash {
		p.where, p.after = " in the trash of "+place.Value, nil
	}
	for _, one := range expired {
		work.add(one)
	}
	return p.finish()
}

// findExpired lists what has expired. It only reads.
func (o *pruneOptions) findExpired(a *cli.App, path string, e session.Expiry) (list []session.Expired, err error) {
	r, err := store.OpenReader(a.Ctx, path)
	if err != nil {
		return nil, cli.InputError(path, err)
	}
	defer r.Close()
	if o.emptyTrash {
		list, err = e.Trashed(a.Ctx, &r.View)
	} else {
		list, err = e.Expired(a.Ctx, &r.View)
	}
	if err != nil {
		return nil, writing.StoreError(a, path, err)
	}
	return list, nil
}

// An expiring changes a store.
type expiring struct {
	plan    *prunePlan
	expiry  session.Expiry
	path    string
	keeping *writing.Keeping // nil until something is changed
	again   int              // sessions that the next import would store again
}

// add adds a session to the plan.
func (w *expiring) add(one session.Expired) {
	item := &pruneItem{name: one.Key, time: one.LastUse}
	item.Session, item.Bytes = one.Key, one.Bytes
	item.do = func() *failure.Error { return w.failure(one.Key, w.remove(one)) }
	reason := ui.Cell{Text: w.expiry.Reason}
	if w.plan.final {
		item.name = session.TrashedName(one.TrashID) + " " + one.Key
		reason.Text = "no pruned file needs it"
	}
	w.plan.add(item, reason, whyItStays(one.Keep))
}

// whyItStays says why a session stays, or nothing.
func whyItStays(err error) ui.Cell {
	var proof *session.ProofError
	switch {
	case err == nil:
		return ui.Cell{}
	case errors.As(err, &proof):
		return ui.Cell{Text: "keep: proof of the pruned file " + proof.File, Short: "keep: proof of a file"}
	case errors.Is(err, session.ErrUnfinished):
		return ui.Cell{Text: "keep: its import was interrupted", Short: "keep: incomplete"}
	}
	return ui.Cell{Text: "keep: " + err.Error(), Short: "keep: error"}
}

// open opens the store for writing.
func (w *expiring) open() (err error) {
	o := writing.KeeperOptions{Store: w.path, Lock: w.plan.options.lock}
	w.keeping, err = o.Open(w.plan.app, writing.MustExist)
	w.expiry.Guard = w.plan.options.lastCopy.Guard(w.plan.app, w.path) // a prune may have run meanwhile
	return err
}

// remove moves one session to the trash, or deletes it from there.
func (w *expiring) remove(one session.Expired) error {
	if w.plan.final {
		return w.keeping.Purge(w.plan.app.Ctx, one.TrashID, w.expiry.Guard)
	}
	done, err := w.keeping.Expire(w.plan.app.Ctx, one.Key, w.expiry)
	if err == nil && done == nil {
		err = failure.New(failure.Changed, "the session was used meanwhile; nothing was changed").At(w.path + "#" + one.Key).
			WithExit(failure.ExitFindings).WithHint(w.plan.app.CommandLine())
	}
	if err == nil && slices.ContainsFunc(done.Sources, cli.IsThere) {
		w.again++
	}
	return err
}

// explain says how to bring the sessions back, and which ones come back by themselves.
func (w *expiring) explain() {
	if w.again > 0 {
		w.plan.app.Note("the files of %s still exist; the next import stores them again", ui.Count(w.again, "session"))
	}
	w.plan.app.Hint(failure.Command("clawctl", "restore", "--list", "--store", w.path))
}

// failure gives an error its code.
func (w *expiring) failure(key string, err error) *failure.Error {
	var f *failure.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return f
	case errors.As(w.keeping.Failed(key, err), &f):
		return f
	}
	return failure.Internal(err)
}

func (w *expiring) close() {
	if w.keeping != nil {
		w.keeping.Close()
	}
}
