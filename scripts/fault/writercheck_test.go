//go:build linux

package fault

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/pkg/change"
	"clawctl/scripts/fault/disk"
)

// trashFolder is where prune moves the files of a scene.
const trashFolder = "home/.clawctl-trash"

// transcripts returns the transcripts of a state that are in their place.
func transcripts(s disk.State) map[string][]byte {
	list := map[string][]byte{}
	for name, text := range s.Files {
		if strings.HasPrefix(name, sessionsFolder) && !isDebris(name) && !strings.Contains(name, ".quarantine.") {
			list[name] = text
		}
	}
	return list
}

// isDebris reports whether a file is one that only a running command has.
func isDebris(name string) bool { return strings.HasSuffix(name, ".lock") || isPart(name) }

// isPart reports whether a file is one that a running command writes. A process that could not remove its locks may
// leave them: whoever changes the file next takes them over.
func isPart(name string) bool { return strings.HasPrefix(filepath.Base(name), ".clawctl-") }

// A view is what a folder is like after an interruption.
type view struct {
	isBefore, isAfter bool // whether every transcript is as it was before the writer, or after it
	receipts          []*change.Receipt
}

// look checks every transcript: it is as it was before the writer or after it, whole, and if it is changed or moved, a
// receipt says so.
func (s *scene) look(folder string) (*view, error) {
	v := &view{isBefore: true, isAfter: true}
	journal := change.Journal{Folder: filepath.Join(folder, dataFolder, "clawctl", "receipts")}
	var err error
	if v.receipts, err = journal.Receipts(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	before, after := transcripts(s.before), transcripts(s.after)
	plain := before
	if s.writer.args[0] == "undo" {
		plain = after
	}
	names := maps.Clone(before)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		have, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := v.compare(name, have, before[name], after[name]); err != nil {
			return nil, err
		}
		if !isSame(have, plain[name]) && !v.hasReceipt(filepath.Join(folder, name), have, plain[name]) {
			return nil, fmt.Errorf("%s was changed without a receipt", name)
		}
	}
	return v, nil
}

func (v *view) compare(name string, have, before, after []byte) error {
	isBefore, isAfter := isSame(have, before), isSame(have, after)
	v.isBefore, v.isAfter = v.isBefore && isBefore, v.isAfter && isAfter
	if !isBefore && !isAfter {
		return fmt.Errorf("%s is neither the old nor the new text: %d bytes", name, len(have))
	}
	return nil
}

// isSame compares texts. A file that is not there has none.
func isSame(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// hasReceipt looks for a receipt of a text that replaced the plain one, or of a file that is in the trash.
func (v *view) hasReceipt(path string, have, plain []byte) bool {
	return slices.ContainsFunc(v.receipts, func(r *change.Receipt) bool {
		if r.Path != path || r.UndoneAt != nil {
			return false
		}
		if have != nil {
			return r.After == sha256Of(have) && r.Before == sha256Of(plain)
		}
		if r.Moved == nil {
			return false
		}
		trashed, err := os.ReadFile(r.Moved.To)
		return err == nil && bytes.Equal(trashed, plain)
	})
}

func sha256Of(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// An interruption is what a check looks at.
type interruption struct {
	folder   string
	printed  string // what the command had printed
	isDone   bool   // it has reported success
	isReplay bool   // of the traced run, with the same ids and times
	isQuick  bool   // the check may spare itself to run clawctl
}

// checkImport checks a store after an interrupted import: it is not corrupt, it has every session that was reported as
// done, and the next import completes it.
func (f *fault) checkImport(s *scene, at interruption) error {
	args := f.expand(at.folder, s.writer.args)
	db := args[len(args)-1]
	have, err := contentOf(db)
	isNew := errors.Is(err, fs.ErrNotExist) || err != nil && strings.Contains(err.Error(), "no such table")
	acknowledged := lastOnly(strings.Fields(at.printed), f.small)
	switch {
	case isNew && (at.isDone || len(acknowledged) > 0):
		return fmt.Errorf("the store is empty: %d acknowledged sessions are lost", len(acknowledged))
	case isNew:
	case err != nil:
		return fmt.Errorf("open the store: %w", err)
	default:
		if lost := have.lacks(acknowledged, f.small.reference); len(lost) > 0 {
			return fmt.Errorf("%d of %d acknowledged sessions are lost: %s", len(lost), len(acknowledged), lost[0])
		}
	}
	if at.isDone {
		if err := have.differsFrom(f.small.reference); err != nil {
			return fmt.Errorf("after success was reported: %w", err)
		}
	}
	if !at.isQuick {
		return f.complete(db, f.small)
	}
	if err := importSessions(f.small.path, db, oftenBytes, 0, func(string) {}); err != nil {
		return fmt.Errorf("the import cannot be completed: %w", err)
	}
	if have, err = contentOf(db); err != nil {
		return err
	}
	return have.differsFrom(f.small.reference)
}

// checkFiles checks the transcripts after an interruption. Then the interrupted changes are closed, the command is run
// again, and what it did is taken back.
func (f *fault) checkFiles(s *scene, at interruption) error {
	folder := at.folder
	v, err := s.look(folder)
	if err != nil {
		return err
	}
	if at.isDone && !v.isAfter {
		return errors.New("a change is lost that was reported as done")
	}
	if err := f.mustRun(folder, "undo", "--finish"); err != nil {
		return err
	}
	open := v.receipts
	if v, err = s.look(folder); err != nil {
		return fmt.Errorf("after undo --finish: %w", err)
	}
	if err := errors.Join(v.isSettled(folder), v.closed(open, folder)); err != nil {
		return fmt.Errorf("after undo --finish: %w", err)
	}
	if !v.isAfter {
		if err := f.repeatUntil(s, folder, s.writer.args, func(v *view) bool { return v.isAfter }); err != nil {
			return err
		}
	}
	if err := f.repeatUntil(s, folder, s.writer.back, func(v *view) bool { return v.isBefore }); err != nil {
		return err
	}
	return tidy(folder, isDebris)
}

// repeatUntil runs a command until the transcripts are as they should be. An undo takes back one run, and there may be
// an interrupted one and its repetition.
func (f *fault) repeatUntil(s *scene, folder string, args []string, isThere func(*view) bool) error {
	for range 2 {
		if err := f.mustRun(folder, args...); err != nil {
			return err
		}
		v, err := s.look(folder)
		if err != nil {
			return fmt.Errorf("after %s: %w", args[0], err)
		}
		if isThere(v) {
			return nil
		}
	}
	return fmt.Errorf("%s again does not complete the change", args[0])
}

// isSettled checks that no change is open that was never made, and that nothing is left of it.
func (v *view) isSettled(folder string) error {
	kept := map[string]bool{} // the files that receipts know
	for _, r := range v.receipts {
		state, err := r.State()
		if err != nil {
			return err
		}
		isOpen := r.UndoneAt == nil
		if isOpen != (state == change.Undoable) {
			return fmt.Errorf("receipt %s is open: %v, and its file is %s", r.ID, isOpen, state)
		}
		for _, beside := range r.Beside {
			kept[beside.Path] = kept[beside.Path] || isOpen
		}
		if r.Moved != nil {
			kept[r.Moved.To] = isOpen
		}
	}
	return filepath.WalkDir(filepath.Join(folder, "home"), func(path string, entry fs.DirEntry, err error) error {
		isKept := strings.Contains(path, ".quarantine.") || strings.Contains(path, trashFolder)
		if err != nil {
			return err
		}
		if !entry.IsDir() && isKept && !kept[path] {
			return fmt.Errorf("%s is left of a change that was never made", filepath.Base(path))
		}
		return nil
	})
}

// closed checks that no run counts as interrupted any more, and that nothing is left beside the files of the receipts
// that were closed just now. The lock of a change that was made may be back after a power cut, until the next command
// takes it over.
func (v *view) closed(before []*change.Receipt, folder string) error {
	markers, err := filepath.Glob(filepath.Join(folder, dataFolder, "clawctl", "receipts", "running", "[0-9]*.json"))
	if err != nil {
		return err
	}
	if len(markers) > 0 {
		return fmt.Errorf("markers are left behind: %v", markers)
	}
	for _, r := range v.receipts {
		wasOpen := slices.ContainsFunc(before, func(b *change.Receipt) bool { return b.ID == r.ID && b.UndoneAt == nil })
		if wasOpen && r.UndoneAt != nil && exists(r.Path+".lock") {
			return fmt.Errorf("%s.lock is left of a change that was never made", r.Path)
		}
	}
	return nil
}

// tidy checks that nothing is left that a running command has marked, or that isLeft tells.
func tidy(folder string, isLeft func(name string) bool) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		isMarker := filepath.Base(filepath.Dir(path)) == "running"
		if err != nil {
			return err
		}
		if !entry.IsDir() && (isMarker || isLeft(path)) {
			return fmt.Errorf("%s is left behind", path)
		}
		return nil
	})
}

// checkStore checks the store after an interruption: it is intact, and as before the writer or as after it. Then the
// command is run again.
func (f *fault) checkStore(s *scene, at interruption) error {
	have, err := rowsOf(at.folder)
	if err != nil {
		return err
	}
	isSame := func(other *content) bool {
		return maps.Equal(have.Counts, other.Counts) && (!at.isReplay || maps.Equal(have.Sessions, other.Sessions))
	}
	switch isAfter := isSame(s.rowsAfter); {
	case !isAfter && !isSame(s.rowsBefore):
		return fmt.Errorf("the store is neither the old nor the new one: %v", have.Counts)
	case at.isDone && !isAfter:
		return errors.New("a change is lost that was reported as done")
	case isAfter:
		return nil
	}
	if err := f.mustRun(at.folder, s.writer.args...); err != nil {
		return err
	}
	if have, err = rowsOf(at.folder); err != nil {
		return err
	}
	if !maps.Equal(have.Counts, s.rowsAfter.Counts) {
		return fmt.Errorf("%s again gives another store: %v", s.writer.args[0], have.Counts)
	}
	return nil
}

// checkOutput checks the files whose names begin with out. Each is as it was, or as it is in the end. After the program
// has reported success, all of them are as in the end.
func (f *fault) checkOutput(s *scene, at interruption) error {
	for name, want := range s.after.Files {
		if !strings.HasPrefix(name, "out") {
			continue
		}
		have, err := os.ReadFile(filepath.Join(at.folder, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		switch {
		case isSame(have, want):
		case !isSame(have, s.before.Files[name]):
			return fmt.Errorf("%s is torn: %d bytes, want %d", name, len(have), len(want))
		case at.isDone:
			return fmt.Errorf("%s is lost after the program reported success", name)
		}
	}
	return nil
}

// checkCopy checks a copy after an interruption: it is not there, or whole. Then the command is run again.
func (f *fault) checkCopy(s *scene, at interruption) error {
	if err := f.checkOutput(s, at); err != nil {
		return err
	}
	if err := f.mustRun(at.folder, append(s.writer.args, "--force")...); err != nil {
		return err
	}
	at.isDone = true
	return errors.Join(f.checkOutput(s, at), tidy(at.folder, isDebris))
}

// checkFolder checks the folder of a restored archive after an interruption: it is whole, or not there and can be made.
func (f *fault) checkFolder(s *scene, at interruption) error {
	out := filepath.Join(at.folder, "out")
	if isThere := exists(out); !isThere && at.isDone {
		return errors.New("the folder is lost after the program reported success")
	} else if !isThere {
		if err := f.mustRun(at.folder, s.writer.args...); err != nil {
			return err
		}
	}
	id, _, _ := strings.Cut(filepath.Base(firstArchive), ".")
	text, err := os.ReadFile(filepath.Join(out, "agents", "main", "sessions", id+".jsonl"))
	index, indexErr := os.ReadFile(filepath.Join(out, "agents", "main", "sessions", "sessions.json"))
	switch {
	case err != nil || indexErr != nil:
		return errors.Join(err, indexErr)
	case !bytes.Equal(text, sceneText(id)) || !bytes.Contains(index, []byte(id)):
		return fmt.Errorf("the folder has %d bytes of the session, and the index %s", len(text), index)
	}
	left, err := filepath.Glob(filepath.Join(at.folder, ".clawctl-restore-*"))
	if len(left) > 0 {
		err = fmt.Errorf("%s is left behind", left)
	}
	return err
}
