package change

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"clawctl/internal/testkit"
)

// A desk is a folder with a file to change and a journal.
type desk struct {
	*testing.T
	path    string
	journal *Journal
}

func newDesk(t *testing.T, text string) *desk {
	t.Helper()
	folder := t.TempDir()
	d := &desk{t, filepath.Join(folder, "s.jsonl"), &Journal{
		Folder: filepath.Join(folder, "data", "receipts"), Now: time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC),
	}}
	d.put(text)
	return d
}

func (d *desk) put(text string) {
	d.Helper()
	if err := os.WriteFile(d.path, []byte(text), 0o640); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) text() string {
	d.Helper()
	data, err := os.ReadFile(d.path)
	if err != nil {
		d.Fatal(err)
	}
	return string(data)
}

func (d *desk) open() *Snapshot {
	d.Helper()
	s, err := Open(d.path)
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { s.Close() })
	return s
}

// left lists the files of the folder besides the changed one and the receipts.
func (d *desk) left() (names []string) {
	entries, err := os.ReadDir(filepath.Dir(d.path))
	if err != nil {
		d.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "s.jsonl" && e.Name() != "data" {
			names = append(names, e.Name())
		}
	}
	return names
}

// hasModes is false on Windows, where files have no modes but read-only.
const hasModes = runtime.GOOS != "windows"

var swapB = Edits{{1, 2, []byte("xyz")}}

func TestWriteAndUndo(t *testing.T) {
	d := newDesk(t, "abc\n")
	quarantine := d.path + ".quarantine.1"
	receipt, err := d.journal.Write(Change{
		Snapshot: d.open(), Edits: Edits{{1, 2, []byte("xyz")}, {4, 4, []byte("more\n")}}, Command: "repair",
		Beside: []NewFile{{quarantine, []byte("b")}},
	})
	if err != nil || d.text() != "axyzc\nmore\n" {
		t.Fatalf("%v, %q", err, d.text())
	}
	if info, _ := os.Stat(d.path); hasModes && info.Mode().Perm() != 0o640 {
		t.Errorf("the mode became %v", info.Mode())
	}
	if info, _ := os.Stat(receipt.path); hasModes && info.Mode().Perm() != 0o600 {
		t.Errorf("the receipt has mode %v", info.Mode())
	}
	if left := d.left(); fmt.Sprint(left) != "[s.jsonl.quarantine.1]" {
		t.Errorf("left: %v", left)
	}
	found, _, err := d.journal.Find(Last)
	if err != nil || len(found) != 1 || found[0].ID != receipt.ID {
		t.Fatal(found, err)
	}
	if state, err := found[0].State(); state != Undoable || err != nil {
		t.Error(state, err)
	}
	if err := d.journal.Undo(found[0]); err != nil || d.text() != "abc\n" || len(d.left()) != 0 {
		t.Fatalf("%v, %q, left %v", err, d.text(), d.left())
	}
	var unknown *unknownError
	if _, _, err := d.journal.Find(Last); !errors.As(err, &unknown) {
		t.Error(err)
	}
	if err := d.journal.Undo(found[0]); !errors.Is(err, ErrChanged) {
		t.Error("undone twice:", err)
	}
}

// What is refused leaves the file as it is, and nothing beside it.
func TestRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		before func(d *desk) // after the snapshot was taken
		change func(c *Change)
		want   func(err error) bool
	}{
		"changed": {before: func(d *desk) { d.put("abX\n") },
			want: func(err error) bool { return errors.Is(err, ErrChanged) }},
		"grown": {before: func(d *desk) { d.put("abc\nnew turn\n") },
			want: func(err error) bool { return errors.Is(err, ErrChanged) }},
		"locked": {
			before: func(d *desk) {
				lock := fmt.Sprintf(`{"pid":%d,"createdAt":"2026-11-01T10:00:00Z"}`, otherProcess())
				if err := os.WriteFile(d.path+".lock", []byte(lock), 0o600); err != nil {
					d.Fatal(err)
				}
			},
			want: func(err error) bool { return errors.As(err, new(*LockedError)) },
		},
		"not verified": {
			change: func(c *Change) { c.Verify = func(io.ReaderAt, int64) error { return errors.New("bad") } },
			want:   func(err error) bool { return errors.As(err, new(*VerifyError)) },
		},
		"no receipt": {
			before: func(d *desk) {
				if err := os.WriteFile(filepath.Dir(d.journal.Folder), nil, 0o600); err != nil {
					d.Fatal(err)
				}
			},
			change: func(c *Change) { c.Beside = []NewFile{{c.Snapshot.Path + ".quarantine.2", []byte("x")}} },
			want:   func(err error) bool { return errors.As(err, new(*fs.PathError)) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, "abc\n")
			c := Change{Snapshot: d.open(), Edits: swapB, Command: "repair"}
			if test.change != nil {
				test.change(&c)
			}
			if test.before != nil {
				test.before(d)
			}
			text := d.text()
			if _, err := d.journal.Write(c); !test.want(err) {
				t.Errorf("got %v", err)
			}
			for _, left := range d.left() {
				if !strings.HasSuffix(left, ".lock") || name != "locked" {
					t.Error("left behind:", left)
				}
			}
			if d.text() != text {
				t.Errorf("the file became %q", d.text())
			}
		})
	}
}

// A change is not undone if something was added since.
func TestUndoKeepsNewerTurns(t *testing.T) {
	d := newDesk(t, "abc\n")
	receipt, err := d.journal.Write(Change{Snapshot: d.open(), Edits: swapB, Command: "repair"})
	if err != nil {
		t.Fatal(err)
	}
	d.put(d.text() + "a new turn\n")
	if err := d.journal.Undo(receipt); !errors.Is(err, ErrChanged) || d.text() != "axyzc\na new turn\n" {
		t.Errorf("%v, %q", err, d.text())
	}
	if state, err := receipt.State(); state != Newer || err != nil {
		t.Error(state, err)
	}
}

// The lock of a process that has ended does not stop a change, and is gone afterwards.
func TestStaleLockIsReplaced(t *testing.T) {
	d := newDesk(t, "abc\n")
	testkit.Write(t, d.path+".lock", `{"pid":999999999,"createdAt":"x"}`)
	if _, err := d.journal.Write(Change{Snapshot: d.open(), Edits: swapB, Command: "repair"}); err != nil {
		t.Fatal(err)
	}
	if len(d.left()) != 0 {
		t.Error(d.left())
	}
}

// The receipts of one run are undone together, and runs of one second have different names.
func TestRuns(t *testing.T) {
	d := newDesk(t, "abc\n")
	for range 2 {
		if _, err := d.journal.Write(Change{Snapshot: d.open(), Edits: swapB, Command: "repair"}); err != nil {
			t.Fatal(err)
		}
	}
	second := &Journal{Folder: d.journal.Folder, Now: d.journal.Now}
	receipt, err := second.Write(Change{Snapshot: d.open(), Edits: swapB, Command: "repair"})
	if err != nil {
		t.Fatal(err)
	}
	if receipt.Run == d.journal.run {
		t.Error("both runs are", receipt.Run)
	}
	for _, text := range []string{"axyzyzc\n", "abc\n"} {
		found, _, err := second.Find(Last)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range found {
			if err := second.Undo(r); err != nil {
				t.Fatal(err)
			}
		}
		if d.text() != text {
			t.Errorf("%q, want %q", d.text(), text)
		}
	}
}

// A damaged receipt changes nothing.
func TestDamagedReceipts(t *testing.T) {
	for _, damage := range []func(*Receipt){
		func(r *Receipt) { r.Changes[0].Old = []byte("x") },
		func(r *Receipt) { r.Changes[0].Offset = 99 },
		func(r *Receipt) { r.Changes[0].Length = -1 },
	} {
		d := newDesk(t, "abc\n")
		receipt, err := d.journal.Write(Change{Snapshot: d.open(), Edits: swapB, Command: "repair"})
		if err != nil {
			t.Fatal(err)
		}
		damage(receipt)
		if err := d.journal.Undo(receipt); !errors.As(err, new(*ReceiptError)) || d.text() != "axyzc\n" {
			t.Errorf("%v, %q", err, d.text())
		}
	}
}

// Text that is no base64 is damage, too.
func TestDamagedText(t *testing.T) {
	d := newDesk(t, "abc\n")
	receipt, err := d.journal.Write(Change{Snapshot: d.open(), Edits: swapB, Command: "repair"})
	if err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, receipt.path, bytes.Replace(receipt.encode(), []byte(`"old": "`), []byte(`"old": "!`), 1))
	if _, err := readReceipt(receipt.path); !errors.As(err, new(*ReceiptError)) || d.text() != "axyzc\n" {
		t.Errorf("%v, %q", err, d.text())
	}
}

// What cannot be read of a run is named, and a receipt that may be newer than the last run is not passed over.
func TestUnreadReceiptsOfARun(t *testing.T) {
	d := newDesk(t, "abc\n")
	older := d.mustWrite()
	d.journal = d.again(time.Hour)
	first, second := d.mustWrite(), d.mustWrite()
	for _, test := range []struct {
		damaged           *Receipt
		name              string
		receipts, unread  int
		isError, isClosed bool
	}{
		{damaged: second, name: Last, receipts: 1, unread: 1},
		{damaged: second, name: second.Run, receipts: 1, unread: 1},
		{damaged: second, name: second.ID, unread: 1},
		{damaged: second, name: first.ID, receipts: 1},
		{damaged: second, name: older.Run, receipts: 1},
		{damaged: older, name: Last, receipts: 2},
		{damaged: second, name: Last, isClosed: true, isError: true},
	} {
		if test.isClosed {
			first.UndoneAt = &first.Time
			if err := first.rewrite(); err != nil {
				t.Fatal(err)
			}
		}
		testkit.Write(t, test.damaged.path, "{")
		found, unread, err := d.journal.Find(test.name)
		if len(found) != test.receipts || len(unread) != test.unread || errors.As(err, new(*ReceiptError)) != test.isError {
			t.Errorf("%+v: %d receipts, %d unread, %v", test, len(found), len(unread), err)
		}
		testkit.Write(t, test.damaged.path, test.damaged.encode())
	}
}

// A file that was created is removed again, unless it has changed since.
func TestCreate(t *testing.T) {
	d := newDesk(t, "abc\n")
	for text, want := range map[string]error{"{}\n": ErrChanged, "abc\n": ErrPresent} {
		_, err := d.journal.Create(Creation{Path: d.path, Command: "repair --index", Text: strings.NewReader(text)})
		if !errors.Is(err, want) || d.text() != "abc\n" {
			t.Errorf("%v, %q", err, d.text())
		}
	}
	if receipts, err := d.journal.Receipts(); len(receipts) != 0 || err != nil {
		t.Error(receipts, err)
	}
	d.path += ".new"
	creation := Creation{Path: d.path, Command: "repair --index", Text: strings.NewReader("{}\n")}
	if _, err := d.journal.Create(creation); err != nil {
		t.Fatal(err)
	}
	found, _, err := d.journal.Find(Last) // as another process reads it
	if err != nil {
		t.Fatal(err)
	}
	receipt := found[0]
	if state, err := receipt.State(); state != Undoable || err != nil || d.text() != "{}\n" {
		t.Errorf("%v, %v, %q", state, err, d.text())
	}
	testkit.Write(t, d.path, "{} \n")
	if err := d.journal.Undo(receipt); !errors.Is(err, ErrChanged) || d.text() != "{} \n" {
		t.Errorf("%v, %q", err, d.text())
	}
	testkit.Write(t, d.path, "{}\n")
	if err := d.journal.Undo(receipt); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(d.path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the file is still there:", err)
	}
	if state, err := receipt.State(); state != Undone || err != nil {
		t.Error(state, err)
	}
	if err := d.journal.Undo(receipt); !errors.Is(err, ErrChanged) {
		t.Error("undone twice:", err)
	}
}
