package change

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"clawctl/internal/testkit"
)

// again returns the journal of another run, some time later.
func (d *desk) again(later time.Duration) *Journal {
	return &Journal{Folder: d.journal.Folder, Now: d.journal.Now.Add(later)}
}

// settle begins another run, two days later, and returns what it settled.
func (d *desk) settle() []Settlement {
	d.Helper()
	j := d.again(48 * time.Hour)
	list, err := j.Begin()
	if err != nil {
		d.Fatal(err)
	}
	j.End()
	return list
}

// mustWrite replaces "b" by "xyz".
func (d *desk) mustWrite() *Receipt {
	d.Helper()
	r, err := d.journal.Write(Change{Snapshot: d.open(), Edits: swapB, Command: "repair"})
	if err != nil {
		d.Fatal(err)
	}
	return r
}

// holding opens the file as a program does that appends to it for a long time.
func (d *desk) holding() *os.File {
	d.Helper()
	file, err := os.OpenFile(d.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { file.Close() })
	return file
}

func (d *desk) write(file *os.File, text string) {
	d.Helper()
	if _, err := file.WriteString(text); err != nil {
		d.Fatal(err)
	}
}

// read reads a receipt again, as another process does.
func (d *desk) read(r *Receipt) *Receipt {
	d.Helper()
	found, _, err := d.journal.Find(r.ID)
	if err != nil {
		d.Fatal(err)
	}
	return found[0]
}

// skipIfHeld skips a test on systems where a file that a writer has open cannot be replaced, so nothing can arrive in
// the old one.
func skipIfHeld(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not replace a file that is open")
	}
}

// A line that is appended while the new text is verified and synced is refused or in the new file: the writer opens,
// appends and closes.
func TestAppendWhileWriting(t *testing.T) {
	d := newDesk(t, "abc\n")
	appendLine := func() {
		file := d.holding()
		d.write(file, "late\n")
		file.Close()
	}
	s := d.open()
	_, err := d.journal.Write(Change{Snapshot: s, Edits: swapB, Command: "repair",
		Beside: []NewFile{{d.path + ".quarantine.1", []byte("b")}},
		Verify: func(io.ReaderAt, int64) error { appendLine(); return nil }})
	if !errors.Is(err, ErrChanged) || d.text() != "abc\nlate\n" || len(d.left()) != 0 {
		t.Errorf("%v, %q, left %v", err, d.text(), d.left())
	}
}

// What arrives in the old file between the last look and the rename is carried over at once.
func TestLookAgain(t *testing.T) {
	d := newDesk(t, "abc\n")
	r := d.mustWrite()
	o := r.Originals[0]
	file, err := os.OpenFile(o.Path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	d.write(file, "late\nhalf")
	if err := r.lookAgain(o, nil); err != nil || d.text() != "axyzc\nlate\n" {
		t.Fatalf("%v, %q", err, d.text())
	}
	d.write(file, " more\n")
	file.Close()
	if err := r.lookAgain(o, nil); err != nil || d.text() != "axyzc\nlate\nhalf more\n" {
		t.Fatalf("%v, %q", err, d.text())
	}
	if err := d.journal.Undo(d.read(r)); err != nil || d.text() != "abc\nlate\nhalf more\n" {
		t.Errorf("%v, %q: an undo keeps what was carried over", err, d.text())
	}
}

// A program that keeps the old file open appends to it after the change. The next run carries that over, and removes
// the original only when nobody has it open. So it does after an undo.
func TestWriterHoldsFile(t *testing.T) {
	skipIfHeld(t)
	d := newDesk(t, "abc\n")
	file := d.holding()
	r := d.mustWrite()
	d.write(file, "one\n")
	if list := d.settle(); len(list) != 1 || list[0].Lines != 1 || list[0].Err != nil {
		t.Errorf("%+v", list)
	}
	if d.text() != "axyzc\none\n" {
		t.Errorf("%q", d.text())
	}
	d.settle()
	if d.text() != "axyzc\none\n" {
		t.Errorf("carried twice: %q", d.text())
	}
	d.write(file, "two\n")
	file.Close()
	d.settle()
	if d.text() != "axyzc\none\ntwo\n" {
		t.Errorf("%q", d.text())
	}
	if r = d.read(r); len(r.Originals) != 0 {
		t.Errorf("still kept: %v", r.Originals[0])
	}
	held := d.holding()
	if err := d.journal.Undo(r); err != nil {
		t.Fatal(err)
	}
	d.write(held, "three\n")
	held.Close()
	d.settle()
	if want := "abc\none\ntwo\nthree\n"; d.text() != want {
		t.Errorf("after the undo: %q, want %q", d.text(), want)
	}
	if left, _ := os.ReadDir(filepath.Join(d.journal.Folder, originalsFolder)); len(left) != 0 {
		t.Error("originals are left:", left)
	}
}

// A run that was interrupted while it carried over is completed, and nothing is added twice.
func TestInterruptedCarry(t *testing.T) {
	skipIfHeld(t)
	for name, added := range map[string]string{"nothing": "", "a part": "late o", "everything": "late one\nlate two\n"} {
		d := newDesk(t, "abc\n")
		file := d.holding()
		r := d.mustWrite()
		d.write(file, "late one\nlate two\n")
		file.Close()
		size := int64(len(d.text()))
		r.Originals[0].Carrying = &size
		if err := r.rewrite(); err != nil {
			t.Fatal(err)
		}
		d.put(d.text() + added)
		d.settle()
		if want := "axyzc\nlate one\nlate two\n"; d.text() != want {
			t.Errorf("%s was added: %q", name, d.text())
		}
	}
}

// What cannot be added to the new file is named, and stays where it is.
func TestLateChangeIsNamed(t *testing.T) {
	for name, spoil := range map[string]func(d *desk, o *Original){
		"changed in place": func(_ *desk, o *Original) { os.WriteFile(o.Path, []byte("aXc\n"), 0o600) },
		"one value": func(_ *desk, o *Original) {
			o.Whole = true
			os.WriteFile(o.Path, []byte("abc\nmore\n"), 0o600)
		},
		"the file is gone": func(d *desk, o *Original) {
			os.WriteFile(o.Path, []byte("abc\nmore\n"), 0o600)
			os.Remove(d.path)
		},
	} {
		d := newDesk(t, "abc\n")
		r := d.mustWrite()
		spoil(d, r.Originals[0])
		if err := r.rewrite(); err != nil {
			t.Fatal(err)
		}
		unsettled, err := d.journal.Unsettled()
		if err != nil || len(unsettled) != 1 {
			t.Errorf("%s: %v, %v", name, unsettled, err)
		}
		var late *LateError
		list := d.settle()
		if len(list) != 1 || !errors.As(list[0].Err, &late) || list[0].Pending != Late {
			t.Fatalf("%s: %+v", name, list)
		}
		if text := late.Error(); strings.Contains(text, "\n") || !strings.HasSuffix(text, late.Kept) {
			t.Errorf("%s: %q", name, text)
		}
		if !isThere(r.Originals[0].Path) {
			t.Error(name, "was removed")
		}
		d.isTakenAway(late)
	}
}

// isTakenAway moves a kept text to its free name, and checks that nothing is left to do then.
func (d *desk) isTakenAway(late *LateError) {
	d.Helper()
	unsettled, err := d.journal.Unsettled()
	if err != nil || len(unsettled) != 1 || unsettled[0].Stuck() == nil || *unsettled[0].Stuck() != *late {
		d.Fatal(unsettled, err)
	}
	if err := os.Rename(late.Kept, late.FreeName()); err != nil {
		d.Fatal(err)
	}
	if list := d.settle(); len(list) != 0 {
		d.Errorf("%+v", list)
	}
	if unsettled, err := d.journal.Unsettled(); err != nil || len(unsettled) != 0 {
		d.Error(unsettled, err)
	}
}

// The free name of a text is one that nobody has, in a folder that is there.
func TestFreeName(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "s.jsonl")
	e := &LateError{Path: path}
	for _, want := range []string{path + ".late", path + ".late.2", path + ".late.3"} {
		if got := e.FreeName(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		testkit.Write(t, want, "")
	}
	e.Path = filepath.Join(folder, "gone", "s.jsonl")
	if got := e.FreeName(); got != "s.jsonl.late" {
		t.Error(got)
	}
}

// While somebody has the lock, only what is really pending is named. An old file to which nobody wrote is not.
func TestPendingWhileLocked(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(d *desk)
		want    []PendingReason
	}{
		"an old file":     {func(*desk) {}, nil},
		"a late line":     {func(d *desk) { d.appendTo(d.original(), "late\n") }, []PendingReason{Late}},
		"an interruption": {func(d *desk) { d.put("abc\n"); d.deadMarker() }, []PendingReason{Interrupted}},
	} {
		d := newDesk(t, "abc\n")
		d.mustWrite()
		c.prepare(d)
		lock, err := Lock(d.path, d.journal.Now)
		if err != nil {
			t.Fatal(err)
		}
		var got []PendingReason
		for _, s := range d.settle() {
			if !errors.As(s.Err, new(*LockedError)) {
				t.Errorf("%s: %v", name, s.Err)
			}
			got = append(got, s.Pending)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		lock.Release()
	}
}

// original returns the path of the only original.
func (d *desk) original() string {
	d.Helper()
	all, err := d.journal.Receipts()
	if err != nil || len(all) != 1 || len(all[0].Originals) != 1 {
		d.Fatal(all, err)
	}
	return all[0].Originals[0].Path
}

// appendTo adds a text to a file.
func (d *desk) appendTo(path, text string) {
	d.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		d.Fatal(err)
	}
	d.write(file, text)
	file.Close()
}

// The original is beside the new file if the receipts are on another disk, and nothing is kept without links.
func TestNearOriginal(t *testing.T) {
	d := newDesk(t, "abc\n")
	if err := os.MkdirAll(d.journal.Folder, 0o700); err != nil {
		t.Fatal(err)
	}
	far := filepath.Join(d.journal.Folder, originalsFolder)
	if err := os.Mkdir(far, 0o700); err != nil {
		t.Fatal(err)
	}
	r := &Receipt{SchemaVersion: 1, ID: "x", Path: d.path, path: filepath.Join(d.journal.Folder, "x.json")}
	if err := os.WriteFile(filepath.Join(far, "x"), nil, 0o600); err != nil { // no link can get this name
		t.Fatal(err)
	}
	o, err := d.journal.keep(r, d.open(), false, &cleanup{})
	if err != nil || !strings.HasPrefix(filepath.Base(o.Path), nearPrefix) {
		t.Fatal(o, err)
	}
	if filepath.Dir(o.Path) != filepath.Dir(d.path) {
		t.Error(o.Path)
	}
	if info, err := os.Stat(o.Path); err != nil || !isSameAs(info, d.path) {
		t.Error(err)
	}
}
