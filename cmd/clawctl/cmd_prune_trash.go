package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
)

// emptyFiles deletes files that have been in the trash for long. Receipts say where they are, so nothing else in a
// folder with the name of a trash is touched.
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
	p := &prunePlan{app: a, options: o, noun: "file", final: true, outcome: &failure.Tally{}}
	e := &emptying{plan: p, journal: journal, targets: map[string]*provenBy{}}
	for _, r := range receipts {
		e.take(r)
	}
	if err := e.compare(); err != nil {
		return err
	}
	if len(p.items) == 0 {
		p.where = " in the trash"
	}
	return p.finish()
}

// An emptying compares files of the trash once more before they are deleted.
type emptying struct {
	plan    *prunePlan
	journal *change.Journal
	targets map[string]*provenBy // by path
}

// A provenBy is a database and the files of the trash whose content it had.
type provenBy struct {
	receipts []*change.Receipt
	sessions []*source.Session
}

// take adds a file to those of its database. A file that is gone needs no database.
func (e *emptying) take(r *change.Receipt) {
	if _, err := os.Lstat(r.Moved.To); err != nil {
		if e.plan.options.Write {
			_ = e.journal.Remove(r) // a run was interrupted before it noted that; undo --list shows the state anyway
		}
		return
	}
	path := r.Moved.Proof.Path
	if e.targets[path] == nil {
		e.targets[path] = &provenBy{}
	}
	by := e.targets[path]
	by.receipts, by.sessions = append(by.receipts, r), append(by.sessions, source.File(r.Moved.To))
}

// compare adds the files to the plan. One whose content is no longer in its database stays, unless --last-copy is
// given.
func (e *emptying) compare() error {
	for path, by := range e.targets {
		reasons := make([]ui.Cell, len(by.sessions))
		if !e.plan.options.lastCopy.Allowed {
			if err := e.prove(path, by, reasons); err != nil {
				return err
			}
		}
		for i, r := range by.receipts {
			e.add(r, by.sessions[i], reasons[i])
		}
	}
	slices.SortFunc(e.plan.items, func(a, b *pruneItem) int { return strings.Compare(a.Trash, b.Trash) })
	return nil
}

// prove finds the reasons to keep files: what is not in the database any more, or that it cannot be read.
func (e *emptying) prove(path string, by *provenBy, reasons []ui.Cell) error {
	target, err := migrate.OpenTarget(e.plan.app.Ctx, path)
	if err != nil {
		if e.plan.app.Ctx.Err() != nil {
			return cli.Interrupted(e.plan.app)
		}
		for i := range reasons {
			reasons[i] = ui.Cell{Text: "keep: " + path + " had its records, but cannot be read", Short: "keep: unreadable proof"}
		}
		return nil
	}
	e.plan.app.Keep(target)
	opts := migrate.VerifyOptions{Jobs: e.plan.options.jobs, InTrash: true}
	proofs, err := migrate.Verify(e.plan.app.Ctx, by.sessions, target, opts)
	if e.plan.app.Ctx.Err() != nil {
		return cli.Interrupted(e.plan.app)
	}
	if err != nil {
		return cli.InputError(path, err)
	}
	for i := range proofs {
		if !proofs[i].Safe() {
			reasons[i] = reading.ProofMeaning(&proofs[i])
		}
	}
	return nil
}

func (e *emptying) add(r *change.Receipt, s *source.Session, keep ui.Cell) {
	item := &pruneItem{name: r.Path, time: r.Time}
	if e.plan.app.Output.Term.Is {
		item.name = filepath.Base(r.Path)
	}
	item.Path, item.Trash, item.Kind, item.Bytes, item.Receipt = r.Path, r.Moved.To, s.Kind, r.SizeAfter, r.ID
	item.do = func() *failure.Error {
		if err := e.journal.Remove(r); err != nil {
			return e.plan.leftAlone(r.Moved.To, err)
		}
		return nil
	}
	reason := ui.Cell{Text: "every record is still in " + r.Moved.Proof.Path, Short: "safe to delete"}
	if e.plan.options.lastCopy.Allowed {
		reason = ui.Cell{Text: "not compared, because --last-copy is given", Short: "not compared"}
	}
	e.plan.add(item, reason, keep)
}
