package change

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clawctl/internal/atomicfile"
	"clawctl/internal/openfile"
)

const receiptSuffix = ".json"

// A Receipt says what a change did to a file, with everything that is needed to undo it. It holds text of the file, so
// only its owner may read it.
type Receipt struct {
	SchemaVersion int             `json:"schema_version"`
	ID            string          `json:"id"`
	Run           string          `json:"run"`                // what the receipts of one run have in common
	Sequence      int64           `json:"sequence,omitempty"` // of the run among all runs
	Time          time.Time       `json:"time"`
	Command       string          `json:"command"`
	Path          string          `json:"path"`
	SizeBefore    int64           `json:"size_before"`
	SizeAfter     int64           `json:"size_after"`
	Before        string          `json:"sha256_before"`
	After         string          `json:"sha256_after"`
	Created       bool            `json:"created,omitempty"` // there was no file before
	Changes       []Range         `json:"changes"`
	Beside        []Kept          `json:"beside,omitempty"`
	Moved         *MoveDetails    `json:"moved,omitempty"`   // if the file was moved instead of changed
	Erased        *ErasureDetails `json:"erased,omitempty"`  // if text was removed from it for good
	Archive       *Archive        `json:"archive,omitempty"` // if the file is an archive of a store
	UndoneAt      *time.Time      `json:"undone_at,omitempty"`
	// Originals are the files that were replaced, by the change and by its undo, as long as they are kept.
	Originals []*Original `json:"originals,omitempty"`

	path string // of the receipt
}

// A Range is a part of the new text and what was there before.
type Range struct {
	Offset int64  `json:"offset"`
	Length int64  `json:"length"`
	Old    []byte `json:"old"` // in base64
}

// An Archive is a file that has the text of sessions of a store.
type Archive struct {
	Store string `json:"store"` // its path
}

// A Kept is a file that was written beside the changed one.
type Kept struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

func (r *Receipt) encode() []byte {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		panic(err) // our own type always encodes
	}
	return append(data, '\n')
}

// undoing returns the edits that turn the new text into the old one.
func (r *Receipt) undoing() (edits Edits, err error) {
	if r.Created && (r.Before != "" || len(r.Changes) > 0) {
		return nil, &ReceiptError{Path: r.path, Reason: "a new file has no text from before"}
	}
	at := int64(0)
	for _, c := range r.Changes {
		if c.Offset < at || c.Length < 0 || c.Offset+c.Length > r.SizeAfter {
			return nil, &ReceiptError{Path: r.path, Reason: "its ranges are not in order"}
		}
		at = c.Offset + c.Length
		edits = append(edits, Edit{c.Offset, at, c.Old})
	}
	return edits, nil
}

// A ReceiptError says that a receipt is damaged, or cannot be read.
type ReceiptError struct {
	Path, Reason string
	Err          error // why it cannot be read; nil if what it says is damaged
}

func (e *ReceiptError) Error() string { return "the receipt is damaged: " + e.Reason }

func (e *ReceiptError) id() string { return strings.TrimSuffix(filepath.Base(e.Path), receiptSuffix) }

// isOf reports whether the receipt has a name, or is of the run that has it.
func (e *ReceiptError) isOf(name string) bool {
	return name != "" && (e.id() == name || strings.HasPrefix(e.id(), name+"-"))
}

// timeOf returns the time with which the name of a run or of a receipt begins. Other names have none.
func timeOf(name string) time.Time {
	began, _ := time.Parse(runTime, name[:min(len(name), len(runTime))])
	return began
}

// A State says whether a change can be undone.
type State string

// The states of a receipt.
const (
	Undoable State = "done"    // the file is as the change left it
	Undone   State = "undone"  // the file is as it was before the change
	Newer    State = "changed" // the file has changed since
	Gone     State = "missing" // there is no such file any more
	Removed  State = "removed" // the file was moved to the trash, and deleted from it for good
)

// State compares the file of a receipt with its sums.
func (r *Receipt) State() (State, error) {
	if r.UndoneAt != nil {
		return Undone, nil
	}
	if r.Moved != nil {
		return r.Moved.state(r)
	}
	sum, err := DigestOf(r.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && r.Created && r.Archive == nil: // an archive may have been moved
		return Undone, nil
	case errors.Is(err, fs.ErrNotExist):
		return Gone, nil
	case err != nil:
		return "", err
	case r.isFinal() && (sum != r.Before || r.Erased.Run != r.Run):
		return Final, nil
	case sum == r.After:
		return Undoable, nil
	case sum == r.Before:
		return Undone, nil
	}
	return Newer, nil
}

// IsCopy reports whether a file has the text that the change gave to its own.
func (r *Receipt) IsCopy(path string) bool {
	sum, err := DigestOf(path)
	return err == nil && sum == r.After
}

// Receipts returns all receipts that can be read, the newest first.
func (j *Journal) Receipts() ([]*Receipt, error) {
	list, _, err := j.ReadReceipts()
	return list, err
}

// ReadReceipts is Receipts. It also returns what is wrong with the receipts that cannot be read.
func (j *Journal) ReadReceipts() (list []*Receipt, unread []*ReceiptError, err error) {
	entries, err := os.ReadDir(j.Folder)
	if err != nil && (!errors.Is(err, fs.ErrNotExist) || isThere(j.Folder)) { // Windows says so of a file, too
		return nil, nil, err
	}
	for _, entry := range entries {
		if entry.IsDir() || !strings.HasSuffix(entry.Name(), receiptSuffix) || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		path := filepath.Join(j.Folder, entry.Name())
		r, err := readReceipt(path)
		var damaged *ReceiptError
		switch {
		case errors.Is(err, fs.ErrNotExist): // another run failed and took it back
		case errors.As(err, &damaged):
			unread = append(unread, damaged)
		case err != nil:
			unread = append(unread, &ReceiptError{Path: path, Reason: err.Error(), Err: err})
		default:
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *Receipt) int {
		return cmp.Or(cmp.Compare(b.Sequence, a.Sequence), b.Time.Compare(a.Time), cmp.Compare(len(b.ID), len(a.ID)),
			cmp.Compare(b.ID, a.ID))
	})
	return list, unread, nil
}

// maxOwn is the largest receipt, marker or lock that is read.
const maxOwn = 256 << 20

func readReceipt(path string) (*Receipt, error) {
	data, err := openfile.Content(path, maxOwn)
	if err != nil {
		return nil, err
	}
	r := &Receipt{path: path}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, &ReceiptError{Path: path, Reason: err.Error()}
	}
	if r.SchemaVersion != 1 || r.Path == "" || r.ID+receiptSuffix != filepath.Base(path) {
		return nil, &ReceiptError{Path: path, Reason: "it is not a receipt of this version of clawctl"}
	}
	return r, nil
}

// Last is the name of the newest run that was not undone.
const Last = "last"

// An unknownError says that no receipt has a name.
type unknownError struct{ Name string }

func (e *unknownError) Error() string {
	if e.Name == Last {
		return "there is nothing to undo"
	}
	return fmt.Sprintf("no receipt %q", e.Name)
}

// Find returns the receipts that a name stands for, the newest first: one receipt by its id, all of a run, or Last. It
// also returns those of the run that cannot be read. If such a receipt may be of a newer run, nobody knows which run is
// Last, and that is an error.
func (j *Journal) Find(name string) (found []*Receipt, unread []*ReceiptError, err error) {
	all, allUnread, err := j.ReadReceipts()
	if err != nil {
		return nil, nil, err
	}
	name = strings.TrimSuffix(filepath.Base(name), receiptSuffix)
	if name == Last {
		name = ""
		if at := slices.IndexFunc(all, (*Receipt).isOpen); at >= 0 {
			name = all[at].Run
		}
		last := timeOf(name)
		isNewer := func(e *ReceiptError) bool {
			began := timeOf(e.id())
			return !began.IsZero() && !began.Before(last) && !e.isOf(name)
		}
		if at := slices.IndexFunc(allUnread, isNewer); at >= 0 {
			return nil, nil, allUnread[at]
		}
	}
	for _, r := range all {
		if r.ID == name || r.Run == name {
			found = append(found, r)
		}
	}
	for _, e := range allUnread {
		if e.isOf(name) {
			unread = append(unread, e)
		}
	}
	if slices.ContainsFunc(found, (*Receipt).isOpen) {
		isClosed := func(r *Receipt) bool { return !r.isOpen() }
		found = slices.DeleteFunc(found, isClosed) // an interrupted undo goes on where it was
	}
	if len(found) == 0 && len(unread) == 0 {
		return nil, nil, &unknownError{cmp.Or(name, Last)}
	}
	return found, unread, nil
}

// isOpen reports whether nobody has undone the change, or made that impossible.
func (r *Receipt) isOpen() bool {
	return r.UndoneAt == nil && (r.Moved == nil || r.Moved.RemovedAt == nil)
}

// Announce says which receipts this run is going to undo, or whose files it removes, and where it may leave locks. Call
// it once, before the first of them.
func (j *Journal) Announce(receipts []*Receipt) error {
	var m marker
	folders := map[string]bool{}
	for _, r := range receipts {
		m.Receipts = append(m.Receipts, r.ID)
		folders[filepath.Dir(r.Path)] = true
	}
	m.Folders = slices.Sorted(maps.Keys(folders))
	return j.mark(m)
}

// Undo restores the file of a receipt as it was before the change. It returns ErrChanged if the file is no longer as
// the change left it. After a [madeError] the file is restored.
func (j *Journal) Undo(r *Receipt) error {
	switch {
	case r.UndoneAt != nil:
		return ErrChanged
	case r.isFinal():
		return &erasedError{r}
	}
	if r.Moved != nil { // its folder may be gone
		if err := atomicfile.MkdirAll(filepath.Dir(r.Path)); err != nil {
			return err
		}
	}
	lock, err := Lock(r.Path, j.Now)
	if err != nil {
		return err
	}
	defer lock.Release()
	undo := func() error { return j.undoEdits(r, lock) }
	if r.Moved != nil {
		undo = func() error { return r.Moved.undo(r) }
	}
	if err = undo(); err != nil && !errors.As(err, new(*madeError)) {
		return err
	}
	if left := j.removeBeside(r); left != nil {
		j.isIncomplete = true
		return made("the file was restored", left)
	}
	if noted := j.MarkUndone(r); noted != nil {
		return made("the file was restored", noted)
	}
	return err
}

// MarkUndone notes that nothing of a change is left to undo.
func (j *Journal) MarkUndone(r *Receipt) error {
	now := j.now()
	r.UndoneAt = &now
	return j.note(r)
}

// note saves a receipt after the change was made. If that fails, the marker stays, and the next run completes it.
func (j *Journal) note(r *Receipt) error {
	if err := r.rewrite(); err != nil {
		j.isIncomplete = true
		return &noteError{err}
	}
	return nil
}

// undoEdits writes the old text again.
func (j *Journal) undoEdits(r *Receipt, lock *FileLock) error {
	edits, err := r.undoing()
	if err != nil {
		return err
	}
	s, err := Open(r.Path)
	if errors.Is(err, fs.ErrNotExist) && r.Created {
		return ErrChanged // it was undone before
	}
	if err != nil {
		return err
	}
	defer s.Close()
	if s.SHA256 != r.After || s.Size != r.SizeAfter {
		return ErrChanged
	}
	return j.restore(r, s, edits, lock)
}

// restore puts the old text in the place of the new one, or removes a file that was not there before.
func (j *Journal) restore(r *Receipt, s *Snapshot, edits Edits, lock *FileLock) error {
	if r.Created {
		return s.remove()
	}
	file, err := s.prepare(time.Time{}, s.editing(edits), nil)
	if err != nil {
		return err
	}
	defer file.temp.Abandon()
	if file.sha256 != r.Before {
		return &ReceiptError{Path: r.path, Reason: "it does not restore the original"}
	}
	whole := len(r.Originals) > 0 && r.Originals[0].Whole
	var failed cleanup
	defer failed.run()
	original, err := j.keep(r, s, whole, &failed)
	if err != nil {
		return err
	}
	return r.swap(file, s, original, lock, &failed)
}

// removeBeside removes what was written beside the file. The restored file has all of it, but a file that another
// change may need stays, and so does one that somebody has changed.
func (j *Journal) removeBeside(r *Receipt) error {
	if len(r.Beside) == 0 {
		return nil
	}
	if err := j.findKeepers(); err != nil {
		return err
	}
	for _, kept := range r.Beside {
		needs := func(path string) bool {
			if path == r.path {
				return false
			}
			other, err := readReceipt(path) // it may have been undone meanwhile
			if err != nil {
				return !errors.Is(err, fs.ErrNotExist)
			}
			return other.isOpen() && slices.Contains(other.Beside, kept)
		}
		if slices.ContainsFunc(j.keepers[kept], needs) {
			continue
		}
		if err := kept.remove(); err != nil {
			return err
		}
	}
	return nil
}

// findKeepers finds the receipts of the files beside others, once for a run. Another run may add one meanwhile, but
// only for a file that it changes, and that one is not restored.
func (j *Journal) findKeepers() error {
	if j.keepers != nil {
		return nil
	}
	all, unread, err := j.ReadReceipts()
	if err != nil {
		return err
	}
	for _, e := range unread {
		if e.Err != nil { // it may need a file
			return e.Err
		}
	}
	j.keepers = map[Kept][]string{}
	for _, r := range all {
		for _, kept := range r.Beside {
			if r.isOpen() {
				j.keepers[kept] = append(j.keepers[kept], r.path)
			}
		}
	}
	return nil
}

// remove removes a file that is as it was written, and syncs its folder, or it may be back after the receipt is closed.
func (k *Kept) remove() error {
	info, err := os.Lstat(k.Path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	sum, err := DigestOf(k.Path)
	if err != nil || sum != k.SHA256 {
		return err
	}
	if err := atomicfile.Remove(k.Path); err != nil {
		return err
	}
	return atomicfile.SyncFolder(filepath.Dir(k.Path))
}

// rewrite saves a receipt that has changed.
func (r *Receipt) rewrite() error {
	return atomicfile.WriteFile(r.path, r.encode(), atomicfile.Options{Policy: atomicfile.ReplaceRegular})
}

// Unreadable is the state of a receipt in a list if its file cannot be read.
const Unreadable State = "unreadable"

// A Row is the JSON form of a receipt in a list. It has no text of the file.
type Row struct {
	SchemaVersion int       `json:"schema_version"`
	Receipt       string    `json:"receipt"`
	Run           string    `json:"run"`
	Time          time.Time `json:"time"`
	Command       string    `json:"command"`
	Path          string    `json:"path"`
	Ranges        int       `json:"ranges"`
	State         State     `json:"state"`
	Before        string    `json:"sha256_before"`
	After         string    `json:"sha256_after"`
}

// Rows returns the JSON form of receipts with their present states.
func Rows(receipts []*Receipt) []Row {
	var rows []Row
	for _, r := range receipts {
		state, err := r.State()
		if err != nil {
			state = Unreadable
		}
		rows = append(rows, r.Row(state))
	}
	return rows
}

// Row returns the JSON form of the receipt of a change in this state.
func (r *Receipt) Row(state State) Row {
	return Row{1, r.ID, r.Run, r.Time, r.Command, r.Path, len(r.Changes), state, r.Before, r.After}
}
