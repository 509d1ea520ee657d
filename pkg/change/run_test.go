package change

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"clawctl/internal/testkit"
)

// Runs of the same second have receipts of their own.
func TestManyRunsAtOnce(t *testing.T) {
	folder := t.TempDir()
	now := time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)
	receipts := filepath.Join(folder, "receipts")
	const runs = 20
	var wait sync.WaitGroup
	for i := range runs {
		path := filepath.Join(folder, fmt.Sprintf("%d.jsonl", i))
		testkit.Write(t, path, "abc\n")
		wait.Go(func() {
			s, err := Open(path)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			j := &Journal{Folder: receipts, Now: now}
			defer j.End()
			if _, err := j.Write(Change{Snapshot: s, Edits: swapB, Command: "repair"}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	all, err := (&Journal{Folder: receipts, Now: now}).Receipts()
	if err != nil || len(all) != runs {
		t.Fatalf("%d receipts, %v", len(all), err)
	}
	paths := map[string]bool{}
	for _, r := range all {
		paths[r.Path] = true
	}
	if len(paths) != runs {
		t.Errorf("receipts for %d files", len(paths))
	}
}

// The last run is the last one, even if the clock was set back before it.
func TestClockSetBack(t *testing.T) {
	d := newDesk(t, "abc\n")
	d.mustWrite()
	d.journal = d.again(-24 * time.Hour)
	second := d.mustWrite()
	found, _, err := d.journal.Find(Last)
	if err != nil || found[0].ID != second.ID {
		t.Error(found, err)
	}
}

// deadMarker makes the markers those of a process that has ended.
func (d *desk) deadMarker() {
	d.Helper()
	child := exec.Command(os.Args[0], "-test.run", "^$")
	if err := child.Run(); err != nil {
		d.Fatal(err)
	}
	folder := filepath.Join(d.journal.Folder, markersFolder)
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		d.Fatal(entries, err)
	}
	name := entries[0].Name()
	dead := strings.Replace(name, strconv.Itoa(os.Getpid()), strconv.Itoa(child.Process.Pid), 1)
	if err := os.Rename(filepath.Join(folder, name), filepath.Join(folder, dead)); err != nil {
		d.Fatal(err)
	}
}

// A run that was killed before it had a receipt leaves its lock and its copy. Its marker says where. Locks of others
// stay.
func TestKilledBeforeReceipt(t *testing.T) {
	d := newDesk(t, "abc\n")
	folder := filepath.Dir(d.path)
	if err := d.journal.enter(folder); err != nil {
		t.Fatal(err)
	}
	d.deadMarker()
	number, _, _ := strings.Cut(filepath.Base(d.journal.staleMarkers()[0]), "-")
	other := filepath.Join(folder, "other.jsonl.lock")
	for path, text := range map[string]string{d.path + lockSuffix: number, other: "999999999"} {
		testkit.Write(t, path, `{"pid":`+text+`}`)
	}
	d.settle()
	if isThere(d.path+lockSuffix) || !isThere(other) || d.journal.HasInterrupted() {
		t.Error("left:", d.left())
	}
}

// The next run closes what was interrupted, and reaches the run before it.
func TestInterruptedRuns(t *testing.T) {
	quarantine := func(d *desk) []NewFile { return []NewFile{{d.path + ".quarantine.1", []byte("b")}} }
	for name, interrupt := range map[string]func(d *desk) (want string){
		"a change that was never made": func(d *desk) string {
			c := Change{Snapshot: d.open(), Edits: swapB, Command: "repair", Beside: quarantine(d)}
			if _, err := d.journal.Write(c); err != nil {
				d.Fatal(err)
			}
			d.put("axyzc\n")
			return "axyzc\n"
		},
		"an undo that was not noted": func(d *desk) string {
			r, err := d.journal.Write(Change{Snapshot: d.open(), Edits: swapB, Command: "repair", Beside: quarantine(d)})
			if err != nil {
				d.Fatal(err)
			}
			d.journal.End()
			d.journal = d.again(time.Second)
			if err := d.journal.Announce([]*Receipt{r}); err != nil {
				d.Fatal(err)
			}
			d.put("axyzc\n")
			return "axyzc\n"
		},
		"a move that was never made": func(d *desk) string {
			r := d.mustMove()
			if err := os.Rename(r.Moved.To, r.Path); err != nil {
				d.Fatal(err)
			}
			return "axyzc\n"
		},
		"a move between its two names": func(d *desk) string {
			r := d.mustMove()
			if err := os.Link(r.Moved.To, r.Path); err != nil {
				d.Skip(err)
			}
			return "axyzc\n"
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, "abc\n")
			first := d.mustWrite()
			d.journal.End()
			d.settle() // removes the original
			d.journal = d.again(time.Second)
			want := interrupt(d)
			d.deadMarker()
			if !d.journal.HasInterrupted() {
				t.Error("nobody was interrupted")
			}
			if unsettled, err := d.journal.Unsettled(); len(unsettled) != 1 || err != nil {
				t.Error(unsettled, err)
			}
			list := d.settle()
			if len(list) != 1 || list[0].Err != nil || list[0].State != Undone {
				t.Fatalf("%+v", list)
			}
			if d.text() != want || len(d.left()) != 0 || d.journal.HasInterrupted() {
				t.Errorf("%q, left %v", d.text(), d.left())
			}
			found, _, err := d.journal.Find(Last)
			if err != nil || found[0].ID != first.ID {
				t.Error(found, err)
			}
		})
	}
}

// A receipt that cannot be completed says what happened, and the next run completes it.
func TestUndoCannotBeNoted(t *testing.T) {
	d := newDesk(t, "abc\n")
	r := d.mustWrite()
	d.journal.End()
	d.journal = d.again(time.Second)
	if err := d.journal.Announce([]*Receipt{r}); err != nil {
		t.Fatal(err)
	}
	real := r.path
	noted := d.journal.note(&Receipt{path: filepath.Join(d.journal.Folder, "none", "r.json")})
	if !errors.As(noted, new(*noteError)) {
		t.Fatal(noted)
	}
	r.path = real
	d.put("abc\n") // as the undo left it
	d.journal.End()
	d.deadMarker()
	d.settle()
	if r := d.read(r); r.UndoneAt == nil {
		t.Error("the receipt is still open")
	}
}

// Two changes may have put the same text aside. It stays as long as one of them is not undone.
func TestSharedQuarantine(t *testing.T) {
	d := newDesk(t, "abc\n")
	beside := []NewFile{{d.path + ".quarantine.1", []byte("b")}}
	var receipts []*Receipt
	for range 2 {
		r, err := d.journal.Write(Change{Snapshot: d.open(), Edits: swapB, Command: "repair", Beside: beside})
		if err != nil {
			t.Fatal(err)
		}
		receipts = append(receipts, r)
	}
	if err := d.journal.Undo(receipts[1]); err != nil || len(d.left()) != 1 {
		t.Fatal(err, d.left())
	}
	if err := d.journal.Undo(receipts[0]); err != nil || len(d.left()) != 0 {
		t.Error(err, d.left())
	}
}

// What was put aside stays if nobody can tell whether another change needs it, and the receipt stays open.
func TestQuarantineStays(t *testing.T) {
	d := newDesk(t, "abc\n")
	beside := []NewFile{{d.path + ".quarantine.1", []byte("b")}}
	r, err := d.journal.Write(Change{Snapshot: d.open(), Edits: swapB, Command: "repair", Beside: beside})
	if err != nil {
		t.Fatal(err)
	}
	blind := *d.journal
	blind.Folder = d.path // not a folder
	if err := blind.close(r); err == nil || len(d.left()) != 1 || d.read(r).UndoneAt != nil {
		t.Error(err, d.left())
	}
	if err := d.journal.Undo(r); err != nil || len(d.left()) != 0 {
		t.Error(err, d.left())
	}
}

// One receipt that cannot be read does not hide the others.
func TestUnreadReceipts(t *testing.T) {
	d := newDesk(t, "abc\n")
	r := d.mustWrite()
	for name, text := range map[string]string{"a.json": "", "b.json": `{"schema_version":2}`, "c.json": "{"} {
		testkit.Write(t, filepath.Join(d.journal.Folder, name), text)
	}
	list, unread, err := d.journal.ReadReceipts()
	if err != nil || len(list) != 1 || len(unread) != 3 {
		t.Fatal(list, unread, err)
	}
	if found, _, err := d.journal.Find(Last); err != nil || found[0].ID != r.ID {
		t.Error(found, err)
	}
}

// The marker and the receipt are there before anything is written beside the file, so that nothing is left of a run
// that is killed between the two. Here the file goes to the folder of the markers, which only a run that has one makes.
func TestReceiptBeforeBeside(t *testing.T) {
	d := newDesk(t, "abc\n")
	beside := []NewFile{{filepath.Join(d.journal.Folder, markersFolder, "quarantine"), []byte("b")}}
	if _, err := d.journal.Write(Change{Snapshot: d.open(), Edits: swapB, Command: "repair", Beside: beside}); err != nil {
		t.Error(err)
	}
}

// A run reads the receipts of others once, not again for every change that it undoes.
func TestUndoReadsReceiptsOnce(t *testing.T) {
	allocations := func(others int) float64 {
		d := newDesk(t, "abc\n")
		d.writeOthers(others)
		var receipts []*Receipt
		for i := range 3 {
			beside := []NewFile{{fmt.Sprint(d.path, ".quarantine.", i), []byte("b")}}
			r, err := d.journal.Write(Change{Snapshot: d.open(), Edits: swapB, Command: "repair", Beside: beside})
			if err != nil {
				t.Fatal(err)
			}
			receipts = append(receipts, r)
		}
		last := len(receipts)
		return testing.AllocsPerRun(1, func() { // which calls it twice, and counts the second time
			last--
			if err := d.journal.Undo(receipts[last]); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocations(1), allocations(200); many > 1.5*few {
		t.Errorf("the second undo allocates %.0f times beside one other receipt, and %.0f beside 200", few, many)
	}
}

// writeOthers writes receipts of another file.
func (d *desk) writeOthers(n int) {
	r := Receipt{SchemaVersion: 1, Run: "other", Path: d.path + ".other"}
	if err := os.MkdirAll(d.journal.Folder, 0o700); err != nil {
		d.Fatal(err)
	}
	for i := range n {
		r.ID = fmt.Sprint("other-", i)
		if err := os.WriteFile(filepath.Join(d.journal.Folder, r.ID+receiptSuffix), r.encode(), 0o600); err != nil {
			d.Fatal(err)
		}
	}
}

// A run that changes files in many folders has short markers, which together name all folders. Its end removes them.
func TestManyFolders(t *testing.T) {
	d := newDesk(t, "abc\n")
	want := map[string]bool{}
	const folders = 100
	for i := range folders {
		folder := filepath.Join(d.journal.Folder, fmt.Sprint("folder", i))
		want[folder] = true
		if err := errors.Join(d.journal.enter(folder), d.journal.enter(folder)); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]bool{}
	markers, err := filepath.Glob(filepath.Join(d.journal.Folder, markersFolder, "*"+markerSuffix))
	if err != nil || len(markers) != folders {
		t.Fatal(markers, err)
	}
	for _, path := range markers {
		m, err := readMarker(path)
		if err != nil || len(m.Folders) > 1 || m.Run == "" {
			t.Errorf("%d folders of the run %q: %v", len(m.Folders), m.Run, err)
		}
		for _, folder := range m.Folders {
			got[folder] = true
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%d folders instead of %d", len(got), len(want))
	}
	d.journal.End()
	if left, _ := filepath.Glob(filepath.Join(d.journal.Folder, markersFolder, "*")); len(left) > 0 {
		t.Error("left:", left)
	}
}
