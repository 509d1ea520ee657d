package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// maxBehind is how long the store may lack something before somebody should look: a weekly import is a healthy one.
const maxBehind = 8 * 24 * time.Hour

// store says when clawctl's store was last updated, and what is wrong with it.
func (e *exam) store() Result {
	r := Result{Status: OK, Command: failure.Command("clawctl", "sessions", e.home.StorePath)}
	switch {
	case e.home.Store == nil:
		return e.noStore()
	case len(e.home.Store.Sessions) == 0:
		return Result{Status: Info, Message: "clawctl's store is empty.", Command: e.clawctl("import")}
	}
	if bad := e.badStore(); bad != nil {
		return *bad
	}
	if e.ours == nil {
		return e.unreadableStore(e.home.StoreErr)
	}
	updated := e.ago(e.updated())
	behind, since := e.behind()
	if len(behind) == 0 {
		r.Message = fmt.Sprintf("clawctl's store has %s%s and was updated %s.",
			ui.Count(len(e.home.Store.Sessions), "session"), e.archives(), updated)
		return r
	}
	r.Command, r.Status = e.clawctl("import"), Info
	r.Message = fmt.Sprintf("clawctl's store was updated %s. %s newer or not in it.", updated,
		ui.Are(len(behind), "transcript"))
	if e.Now.Sub(since) > maxBehind {
		r.Status = Warn
		r.Message += fmt.Sprintf(" The oldest was written %s.", e.ago(since))
	}
	return r
}

// archives says how many sessions lie in archives.
func (e *exam) archives() string {
	list, err := e.home.Store.Store().Archives(e.ctx)
	var sessions int64
	for _, a := range list {
		sessions += a.Sessions
	}
	if err != nil || sessions == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of them in %s,", sessions, ui.Count(len(list), "archive"))
}

// noStore is the answer if there is no store, or none that can be opened.
func (e *exam) noStore() Result {
	if errors.Is(e.home.StoreErr, dbfile.ErrUnfinished) {
		return Result{Status: Warn, Command: e.clawctl("import"),
			Message: "clawctl's store is still empty: its first import is running, or was interrupted."}
	}
	if e.home.StoreErr != nil && !errors.Is(e.home.StoreErr, fs.ErrNotExist) {
		return e.unreadableStore(e.home.StoreErr)
	}
	return Result{Status: Info, Message: "There is no clawctl store yet.",
		Command: e.clawctl("import")}
}

// unreadableStore is the answer for a store that cannot be read.
func (e *exam) unreadableStore(err error) Result {
	r := Result{Status: Error, Command: failure.Command("clawctl", "verify", e.home.StorePath),
		Message: fmt.Sprintf("clawctl's store cannot be read: %s.", failure.Reason(err))}
	switch {
	case errors.Is(err, dbfile.ErrForeign) || e.home.StorePath == "":
		r.Command = "clawctl env"
	case errors.Is(err, dbfile.ErrNewer):
		r.Command = "clawctl version"
	case errors.Is(err, dbfile.ErrLocked):
		r.Status, r.Command = Warn, "clawctl doctor"
	}
	return r
}

// badStore looks for damage and unfinished imports.
func (e *exam) badStore() *Result {
	faults, err := e.storeFaults()
	if err != nil {
		return new(e.unreadableStore(err))
	}
	damaged := 0
	for _, f := range faults {
		if f.Kind == store.Damaged {
			damaged++
		}
	}
	if damaged > 0 {
		return &Result{Status: Error, Command: failure.Command("clawctl", "verify", e.home.StorePath),
			Message: fmt.Sprintf("clawctl's store is damaged: %s.", ui.Count(damaged, "fault"))}
	}
	if lost := e.lostArchive(); lost != nil {
		return lost
	}
	unfinished := 0
	for _, s := range e.home.Store.Sessions {
		if len(s.Problems) > 0 {
			unfinished++
		}
	}
	if unfinished > 0 {
		return &Result{Status: Warn, Command: e.clawctl("import"),
			Message: ui.Are(unfinished, "session") + " not complete in clawctl's store: an import was interrupted."}
	}
	return nil
}

// lostArchive names an archive of the store that cannot be read.
func (e *exam) lostArchive() *Result {
	lost, err := e.home.Store.Store().LostArchives(e.ctx, e.home.StorePath)
	if err != nil {
		return new(e.unreadableStore(err))
	}
	if len(lost) == 0 {
		return nil
	}
	why := "which is not there"
	if !errors.Is(lost[0].Err, store.ErrArchiveGone) {
		why = "which cannot be read: " + failure.Reason(lost[0].Err.Err)
	}
	r := &Result{Status: Error, Command: "clawctl explain " + string(failure.ArchiveGone)}
	r.Message = fmt.Sprintf("The text of %s of clawctl's store lies in %s, %s.", ui.Count(lost[0].Sessions, "session"),
		lost[0].Err.Path, why)
	if more := len(lost) - 1; more > 0 {
		r.Message += fmt.Sprintf(" %s missing too.", ui.Are(more, "other archive"))
	}
	return r
}

// storeFaults checks the store: the checksums of its rows, and with Deep everything.
func (e *exam) storeFaults() ([]store.Problem, error) {
	if e.Deep {
		return store.NewAuditor(e.ctx, e.home.Store.Store()).Audit()
	}
	return e.home.Store.Store().SealFaults(e.ctx)
}

// updated returns when the store last took something in.
func (e *exam) updated() time.Time {
	var last time.Time
	receipts, err := e.home.Store.Store().Receipts(e.ctx)
	for _, r := range receipts {
		if at := time.UnixMilli(r.ImportedAt); err == nil && at.After(last) {
			last = at
		}
	}
	if info, err := os.Stat(e.home.StorePath); last.IsZero() && err == nil {
		return info.ModTime() // it was written by append only
	}
	return last
}

// records compares the sessions of OpenClaw's databases with the store, record by record.
func (e *exam) records() Result {
	r := Result{Status: OK, Command: e.clawctl("verify")}
	var sessions []*source.Session
	for _, s := range e.home.Place.Sessions {
		if s.InDatabase {
			sessions = append(sessions, s)
		}
	}
	if len(sessions) == 0 || e.ours == nil {
		r.Message, r.Command = "There are no two databases to compare.", e.clawctl("import")
		return r
	}
	e.reading("Comparing", sessions)
	proofs, err := migrate.Verify(e.ctx, sessions, e.ours, migrate.VerifyOptions{Jobs: e.Jobs, ContentOnly: true})
	if err != nil {
		return e.unreadableStore(err)
	}
	return e.describeProofs(r, proofs)
}

// describeProofs sums up a comparison of OpenClaw's databases with the store.
func (e *exam) describeProofs(r Result, proofs []migrate.Proof) Result {
	missing := 0
	for i := range proofs {
		if !proofs[i].Complete() {
			missing++
		}
	}
	if missing == 0 {
		r.Message = fmt.Sprintf("clawctl's store has every record of the %s in OpenClaw's databases.",
			ui.Count(len(proofs), "session"))
		return r
	}
	r.Status, r.Command = Info, e.clawctl("import")
	r.Message = fmt.Sprintf("clawctl's store lacks records of %s in OpenClaw's databases.", ui.Count(missing, "session"))
	return r
}
