package change

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/openfile"
	"clawctl/internal/process"
)

// A marker is a file that is there while a run changes files. Its name says which process that is, so a marker of a
// process that has ended tells the next run where to look for changes that were begun and not completed. A run has one
// for each folder.
type marker struct {
	SchemaVersion int      `json:"schema_version"`
	Run           string   `json:"run,omitempty"`      // whose receipts may describe a change that was never made
	Receipts      []string `json:"receipts,omitempty"` // that are being undone
	// Folders are where the run may have left locks and temporary files, for which there is no receipt yet.
	Folders []string `json:"folders,omitempty"`
}

// Markers are in a folder below the receipts, so that a reader finds out in one step that there are none.
const (
	markersFolder = "running"
	markerSuffix  = ".json"
)

// A Settlement is a change that an earlier run began, or a file that it replaced, and what became of it now.
type Settlement struct {
	Receipt *Receipt
	State   State // what the file of the receipt is like now
	Lines   int   // how many lines arrived late and were carried over
	Err     error // why it could not be settled; a [LateError] stays until somebody decides
	Pending PendingReason
}

// PendingReason says what could not be settled.
type PendingReason int

// What could not be settled.
const (
	_           PendingReason = iota
	Interrupted               // the change was begun and not completed, or its undo was
	Late                      // what a program wrote to the old file is not in the new one
	KeptOld                   // the old file cannot be removed, or nobody can tell whether it is still used
)

// Begin completes what interrupted runs have left, before this one changes anything. Call End after the last change.
func (j *Journal) Begin() ([]Settlement, error) {
	all, unread, err := j.ReadReceipts()
	if err != nil {
		return nil, err
	}
	interrupted, stale := j.interrupted(all, unread)
	for _, path := range stale {
		j.sweep(path)
	}
	var list []Settlement
	open := process.OpenFiles()
	isClear := true
	for _, r := range all {
		if !interrupted[r.ID] && len(r.Originals) == 0 {
			continue
		}
		settled, isNew := j.settle(r, interrupted[r.ID], open)
		if isClear = isClear && settled.Pending != Interrupted; isNew {
			list = append(list, settled)
		}
	}
	if isClear {
		for _, path := range stale {
			_ = os.Remove(path)
		}
	}
	return list, nil
}

// Unsettled returns what Begin would look at, without changing anything: the changes of interrupted runs that are not
// complete, and the files that somebody wrote to after they were replaced.
func (j *Journal) Unsettled() ([]*Receipt, error) {
	if _, err := os.Stat(j.Folder); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	all, unread, err := j.ReadReceipts()
	if err != nil {
		return nil, err
	}
	interrupted, _ := j.interrupted(all, unread)
	var list []*Receipt
	for _, r := range all {
		if interrupted[r.ID] && r.isUnfinished() || r.hasLate() {
			list = append(list, r)
		}
	}
	return list, nil
}

// HasInterrupted reports whether a run was interrupted. It reads no receipt.
func (j *Journal) HasInterrupted() bool { return len(j.staleMarkers()) > 0 }

// staleMarkers returns the markers of runs that have ended without completing.
func (j *Journal) staleMarkers() []string {
	var paths []string
	folder := filepath.Join(j.Folder, markersFolder)
	entries, _ := os.ReadDir(folder) // there is none before the first change
	for _, entry := range entries {
		if process.IsStale(entry.Name(), "", markerSuffix) {
			paths = append(paths, filepath.Join(folder, entry.Name()))
		}
	}
	return paths
}

// interrupted returns the receipts that a run may have left incomplete, by id, and the markers that say so. A marker of
// a receipt that cannot be read is left for the next run, or the receipt would be forgotten. Versions without markers
// are covered, too: the newest run may be one of theirs.
func (j *Journal) interrupted(newestFirst []*Receipt, unread []*ReceiptError) (ids map[string]bool, stale []string) {
	ids, runs := map[string]bool{}, map[string]bool{}
	for _, path := range j.staleMarkers() {
		m, err := readMarker(path)
		runs[m.Run] = m.Run != ""
		for _, id := range m.Receipts {
			ids[id] = true
		}
		if err == nil && !slices.ContainsFunc(unread, m.names) {
			stale = append(stale, path)
		}
	}
	if at := slices.IndexFunc(newestFirst, (*Receipt).isOpen); at >= 0 && newestFirst[at].Sequence == 0 {
		runs[newestFirst[at].Run] = true
	}
	for _, r := range newestFirst {
		if runs[r.Run] {
			ids[r.ID] = true
		}
	}
	return ids, stale
}

// readMarker reads a marker. One that was not written completely says nothing.
func readMarker(path string) (m marker, err error) {
	data, err := openfile.Content(path, maxOwn)
	if err != nil || json.Unmarshal(data, &m) != nil {
		return marker{}, err
	}
	return m, nil
}

// names reports whether the marker is about a receipt that cannot be read.
func (m *marker) names(e *ReceiptError) bool {
	return e.isOf(m.Run) || slices.Contains(m.Receipts, e.id())
}

// sweep removes the temporary files and the locks that the run of a stale marker has left.
func (j *Journal) sweep(path string) {
	number, _, _ := strings.Cut(filepath.Base(path), "-")
	m, err := readMarker(path)
	if err != nil {
		return
	}
	for _, folder := range m.Folders {
		atomicfile.RemoveStale(folder)
		entries, _ := os.ReadDir(folder) // it may be gone
		for _, entry := range entries {
			if locked, ok := strings.CutSuffix(filepath.Join(folder, entry.Name()), lockSuffix); ok {
				j.unlock(locked, number)
			}
		}
	}
}

// unlock removes the lock of a file if it is that of a process that has ended, with the given number.
func (j *Journal) unlock(path, number string) {
	var content struct {
		PID json.Number `json:"pid"`
	}
	data, err := openfile.Content(path+lockSuffix, maxOwn)
	if err != nil || json.Unmarshal(data, &content) != nil || content.PID.String() != number {
		return
	}
	if lock, err := Lock(path, j.Now); err == nil {
		lock.Release()
	}
}

// isUnfinished reports whether the receipt is open, although its file is as it was before the change: the change was
// never made, or was undone and not noted. A file that was deleted from the trash and not noted counts, too.
func (r *Receipt) isUnfinished() bool {
	if !r.isOpen() {
		return false
	}
	state, err := r.State()
	return err == nil && (state == Undone || state == Gone && r.Moved != nil)
}

// hasLate reports whether somebody wrote to an original.
func (r *Receipt) hasLate() bool {
	for _, o := range r.Originals {
		if info, err := os.Lstat(o.Path); err == nil && !o.isUntouched(info) && !isSameAs(info, r.Path) {
			return true
		}
	}
	return false
}

// settle closes the receipt of a change that was never made or is undone, and carries over what arrived late. isNew is
// false if there was nothing to do.
func (j *Journal) settle(r *Receipt, isInterrupted bool, open *process.Open) (s Settlement, isNew bool) {
	s = Settlement{Receipt: r}
	isInterrupted = isInterrupted && r.isUnfinished()
	if !isInterrupted && len(r.Originals) == 0 {
		return s, false
	}
	s.Err = j.settleLocked(&s, isInterrupted, open)
	if s.Err != nil {
		s.judge(isInterrupted)
	}
	return s, isInterrupted || s.Lines > 0 || s.Err != nil
}

// judge finds out what is pending after an error. If that is nothing but an old file to which nobody wrote, it does not
// matter that the session is in use or that its folder is gone: a later run looks again.
func (s *Settlement) judge(isInterrupted bool) {
	late := s.Receipt.Stuck()
	switch {
	case isInterrupted && s.Receipt.isUnfinished():
		s.Pending = Interrupted
	case s.Receipt.hasLate():
		s.Pending = Late
	case errors.Is(s.Err, fs.ErrNotExist), errors.As(s.Err, new(*LockedError)):
		s.Err = nil
	default:
		s.Pending = KeptOld
	}
	if late != nil {
		s.Err = late
	}
}

func (j *Journal) settleLocked(s *Settlement, isInterrupted bool, open *process.Open) error {
	lock, err := j.lock(s.Receipt.Path)
	if err != nil {
		return err
	}
	defer lock.Release()
	atomicfile.RemoveStale(filepath.Dir(s.Receipt.Path))
	r, err := readReceipt(s.Receipt.path) // another run may have settled it meanwhile
	if err != nil {
		return err
	}
	s.Receipt = r
	if isInterrupted && r.isUnfinished() {
		if err := j.close(r); err != nil {
			return err
		}
	}
	if s.Lines, err = j.settleOriginals(r, open); err != nil {
		return err
	}
	s.State, err = r.State()
	return err
}

// close completes the receipt of a change that was never made, or that was undone, or whose file is gone for good.
func (j *Journal) close(r *Receipt) error {
	now := j.now()
	if state, err := r.State(); err != nil {
		return err
	} else if state == Gone {
		r.Moved.RemovedAt = &now
	} else {
		if err := j.removeBeside(r); err != nil {
			return err
		}
		r.UndoneAt = &now
	}
	if r.Moved != nil {
		r.Moved.removeDouble(r)
	}
	return r.rewrite()
}

// enter says that this run changes files in a folder from now on, before it leaves a lock or a temporary file there.
func (j *Journal) enter(folder string) error {
	if err := atomicfile.MkdirAll(j.Folder); err != nil {
		return err
	}
	if err := j.name(); err != nil {
		return err
	}
	if j.entered[folder] {
		return nil
	}
	return j.mark(marker{Folders: []string{folder}})
}

// mark writes a marker, which says what this run does from now on.
func (j *Journal) mark(m marker) error {
	m.SchemaVersion, m.Run = 1, j.run
	folder := filepath.Join(j.Folder, markersFolder)
	if err := atomicfile.MkdirAll(folder); err != nil {
		return err
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	path := filepath.Join(folder, process.TempName("", markerSuffix))
	if err := atomicfile.WriteFile(path, data, atomicfile.Options{Policy: atomicfile.ReplaceNothing}); err != nil {
		_ = os.Remove(path) // after a failed sync of the folder
		return err
	}
	j.markers = append(j.markers, path)
	if j.entered == nil {
		j.entered = map[string]bool{}
	}
	for _, folder := range m.Folders {
		j.entered[folder] = true
	}
	return nil
}

// End says that this run is complete. If a change could not be noted, the markers stay for the next run.
func (j *Journal) End() {
	if !j.isIncomplete {
		for _, path := range j.markers {
			_ = os.Remove(path)
		}
	}
	j.markers, j.entered = nil, nil
}

// A madeError says that a change was made, or undone, and what went wrong after it. If its receipt does not say so yet,
// the next run that changes files completes it.
type madeError struct {
	What string // such as "the file was restored"
	Err  error
}

func (e *madeError) Error() string { return e.What + ", but " + e.Err.Error() }
func (e *madeError) Unwrap() error { return e.Err }

// made wraps what went wrong after a change.
func made(what string, err error) error {
	if err == nil {
		return nil
	}
	return &madeError{what, err}
}

// A noteError says that a receipt could not be completed.
type noteError struct{ Err error }

func (e *noteError) Error() string { return "its receipt cannot be completed: " + e.Err.Error() }
func (e *noteError) Unwrap() error { return e.Err }
