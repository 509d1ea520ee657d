package change

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"clawctl/internal/openfile"
	"clawctl/internal/testkit"
)

// move moves the file of a desk to the trash.
func (d *desk) move(change func(*Move)) (*Receipt, error) {
	m := Move{
		Path: d.path, Trash: filepath.Join(filepath.Dir(d.path), ".trash"), Below: "agents/main/s.jsonl", Command: "prune",
		Proof: Proof{"clawctl store", "s.db", []Witness{{"agent:main:main", "1"}}},
	}
	if change != nil {
		change(&m)
	}
	return d.journal.Move(m)
}

func (d *desk) mustMove() *Receipt {
	d.Helper()
	r, err := d.move(nil)
	if err != nil {
		d.Fatal(err)
	}
	return r
}

func (d *desk) wantState(r *Receipt, want State) {
	d.Helper()
	if state, err := r.State(); state != want || err != nil {
		d.Errorf("%s, %v; want %s", state, err, want)
	}
}

func TestMoveAndUndo(t *testing.T) {
	d := newDesk(t, "abc\n")
	before, err := os.Stat(d.path)
	if err != nil {
		t.Fatal(err)
	}
	r := d.mustMove()
	if text, err := os.ReadFile(r.Moved.To); string(text) != "abc\n" || err != nil {
		t.Fatalf("%q, %v", text, err)
	}
	if want := filepath.Join(filepath.Dir(d.path), ".trash", r.Run, "agents", "main", "s.jsonl"); r.Moved.To != want {
		t.Error(r.Moved.To)
	}
	found, _, err := d.journal.Find(Last)
	if err != nil || len(found) != 1 || !found[0].InTrash() || found[0].Moved.Proof.Sessions[0].ID != "1" {
		t.Fatal(found, err)
	}
	d.wantState(found[0], Undoable)
	if err := d.journal.Undo(found[0]); err != nil || d.text() != "abc\n" || len(d.left()) != 0 {
		t.Fatalf("%v, left %v", err, d.left())
	}
	after, err := os.Stat(d.path)
	if err != nil || !after.ModTime().Equal(before.ModTime()) || after.Mode() != before.Mode() {
		t.Errorf("%v, %v; %v", after, before, err)
	}
	d.wantState(found[0], Undone)
	if err := d.journal.Undo(found[0]); !errors.Is(err, ErrChanged) {
		t.Error("undone twice:", err)
	}
}

// The folder of a file may be gone when it comes back.
func TestUndoMakesFolder(t *testing.T) {
	d := newDesk(t, "abc\n")
	folder := filepath.Join(filepath.Dir(d.path), "deep", "er")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	old := d.path
	d.path = filepath.Join(folder, "s.jsonl")
	if err := os.Rename(old, d.path); err != nil {
		t.Fatal(err)
	}
	r, err := d.move(func(m *Move) { m.Trash = filepath.Join(filepath.Dir(old), ".trash") })
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Dir(folder)); err != nil {
		t.Fatal(err)
	}
	if err := d.journal.Undo(r); err != nil || d.text() != "abc\n" {
		t.Error(err)
	}
}

// What is refused stays where it is, without a receipt and without a trash.
func TestMoveRefusals(t *testing.T) {
	refusal := errors.New("no")
	for name, test := range map[string]struct {
		before func(d *desk)
		move   func(d *desk, m *Move)
		want   error
	}{
		"refused": {move: func(_ *desk, m *Move) { m.Check = func() error { return refusal } }, want: refusal},
		"changed": {move: func(d *desk, m *Move) {
			m.Check = func() error { d.put("longer\n"); return nil }
		}, want: ErrChanged},
		"gone": {move: func(d *desk, m *Move) {
			m.Check = func() error { return os.Rename(d.path, d.path+".elsewhere") }
		}, want: ErrChanged},
		"missing": {before: func(d *desk) { os.Remove(d.path) }, want: fs.ErrNotExist},
		"link": {before: func(d *desk) {
			if err := errors.Join(os.Rename(d.path, d.path+".real"), os.Symlink(d.path+".real", d.path)); err != nil {
				d.Skip(err)
			}
		}, want: openfile.ErrNotRegular},
	} {
		d := newDesk(t, "abc\n")
		if test.before != nil {
			test.before(d)
		}
		_, err := d.move(func(m *Move) {
			if test.move != nil {
				test.move(d, m)
			}
		})
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
		if receipts, err := d.journal.Receipts(); len(receipts) > 0 || err != nil {
			t.Errorf("%s: %d receipts, %v", name, len(receipts), err)
		}
		if _, err := os.Lstat(filepath.Join(filepath.Dir(d.path), ".trash")); err == nil {
			t.Errorf("%s left a trash", name)
		}
	}
}

func TestMoveOfLockedFile(t *testing.T) {
	d := newDesk(t, "abc\n")
	lock, err := Lock(d.path, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var locked *LockedError
	if _, err := d.move(nil); !errors.As(err, &locked) {
		t.Error(err)
	}
	lock.Release()
	d.mustMove()
}

// A trash that is a link may lead anywhere.
func TestTrashIsLink(t *testing.T) {
	d := newDesk(t, "abc\n")
	if err := os.Symlink(t.TempDir(), filepath.Join(filepath.Dir(d.path), ".trash")); err != nil {
		t.Skip(err)
	}
	if _, err := d.move(nil); err == nil || d.text() != "abc\n" {
		t.Error(err)
	}
}

// A file never replaces another one, in the trash or on its way back.
func TestMoveReplacesNothing(t *testing.T) {
	d := newDesk(t, "abc\n")
	first := d.mustMove()
	d.put("new\n")
	d.wantState(first, Newer)
	if err := d.journal.Undo(first); !errors.Is(err, errOccupied) || d.text() != "new\n" {
		t.Error(err)
	}
	second := d.mustMove()
	if first.Moved.To == second.Moved.To {
		t.Error("both are", second.Moved.To)
	}
	d.wantState(first, Undoable)
	if err := d.journal.Undo(first); err != nil || d.text() != "abc\n" {
		t.Error(err)
	}
	if err := d.journal.Undo(second); !errors.Is(err, errOccupied) {
		t.Error(err)
	}
}

// An undo that was interrupted can be completed: before a file was moved, and after it was moved back. The others of
// the run are not touched again.
func TestInterruptedMoves(t *testing.T) {
	d := newDesk(t, "abc\n")
	for name, interrupt := range map[string]func(r *Receipt) error{
		"before the move":   func(r *Receipt) error { return os.Rename(r.Moved.To, r.Path) },
		"before the notice": func(r *Receipt) error { return r.Moved.undo(r) },
	} {
		if err := interrupt(d.mustMove()); err != nil {
			t.Fatal(name, err)
		}
		found, _, err := d.journal.Find(Last)
		if err != nil || len(found) != 1 {
			t.Fatal(name, found, err)
		}
		d.wantState(found[0], Undone)
		if err := d.journal.Undo(found[0]); err != nil || d.text() != "abc\n" {
			t.Error(name, err)
		}
	}
}

// A removed file is gone, and its receipt still says who has the content.
func TestRemove(t *testing.T) {
	d := newDesk(t, "abc\n")
	r := d.mustMove()
	testkit.Write(t, r.Moved.To, "abd\n")
	if err := d.journal.Remove(r); !errors.Is(err, ErrChanged) {
		t.Error("a changed file was removed:", err)
	}
	testkit.Write(t, r.Moved.To, "abc\n")
	if err := d.journal.Remove(r); err != nil || len(d.left()) != 0 {
		t.Error(err, d.left())
	}
	all, err := d.journal.Receipts()
	if err != nil || len(all) != 1 || all[0].InTrash() || len(all[0].Moved.Proof.Sessions) != 1 {
		t.Fatal(all, err)
	}
	d.wantState(all[0], Removed)
	if err := d.journal.Undo(all[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, _, err := d.journal.Find(Last); err == nil {
		t.Error("there is nothing to undo")
	}
}

// A run that was interrupted while it made the folders of the trash leaves none of them.
func TestTidyAfterHalfAFolder(t *testing.T) {
	trash := filepath.Join(t.TempDir(), "trash")
	for made := range 4 {
		path := filepath.Join(append([]string{trash}, []string{"run", "agents", "main"}[:made]...)...)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		m := &MoveDetails{Trash: trash, To: filepath.Join(trash, "run", "agents", "main", "sessions", "a.jsonl")}
		if m.tidy(); isThere(trash) {
			t.Errorf("%s stays", path)
		}
	}
}
