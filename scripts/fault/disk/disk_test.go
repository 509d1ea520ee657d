package disk

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// states builds many states of a record at a moment and returns each different result once.
func states[T comparable](r *Record, moment int, what func(State) T) map[T]int {
	seen := map[T]int{}
	for i := range 2000 {
		seen[what(r.State(moment, rand.New(rand.NewPCG(1, uint64(i)))))]++
	}
	return seen
}

// inOrder gives operations moments one after the other.
func inOrder(ops ...Op) *Record {
	r := &Record{Ops: ops, Moments: 2 * len(ops)}
	for i := range ops {
		ops[i].Start, ops[i].End = 2*i, 2*i+1
	}
	return r
}

func write(at int64, text string) Op { return Op{Kind: Write, File: 1, Offset: at, Data: []byte(text)} }

var (
	create  = Op{Kind: Create, File: 1, Path: "a"}
	syncA   = Op{Kind: Sync, File: 1}
	syncDir = Op{Kind: SyncDir, Path: "."}
)

func fileA(s State) string {
	data, ok := s.Files["a"]
	if !ok {
		return "none"
	}
	return string(data)
}

// expect compares the states that were seen with all that are possible.
func expect(t *testing.T, seen map[string]int, want ...string) {
	t.Helper()
	for text := range seen {
		if !slices.Contains(want, text) {
			t.Errorf("impossible state %.60q", text)
		}
	}
	for _, text := range want {
		if seen[text] == 0 {
			t.Errorf("the state %.60q was never built", text)
		}
	}
}

func TestSyncedIsThere(t *testing.T) {
	r := inOrder(create, write(0, "old"), syncA, syncDir, write(0, "new"))
	expect(t, states(r, r.Moments, fileA), "old", "new")
	expect(t, states(r, 8, fileA), "old") // the second write has not begun
	expect(t, states(r, 4, fileA), "none", "", "old", "\x00\x00\x00")
	expect(t, states(r, 0, fileA), "none")
}

// Either sync alone is not enough.
func TestBothSyncsAreNeeded(t *testing.T) {
	noDir := inOrder(create, write(0, "x"), syncA)
	expect(t, states(noDir, noDir.Moments, fileA), "none", "x")
	noFile := inOrder(create, write(0, "x"), syncDir)
	expect(t, states(noFile, noFile.Moments, fileA), "", "\x00", "x")
}

// A write that a sync did not wait for is not durable, and neither is anything before the sync has ended.
func TestOverlappingSync(t *testing.T) {
	r := inOrder(create, syncDir, write(0, "x"), syncA)
	r.Ops[2].End, r.Ops[3].Start = 7, 6
	r.Ops[3].End, r.Moments = 8, 10
	expect(t, states(r, 9, fileA), "", "\x00", "x")
	r.Ops[2].End = 5
	expect(t, states(r, 8, fileA), "", "\x00", "x")
	expect(t, states(r, 9, fileA), "x")
}

// A write of several sectors may be torn, in any combination. A sector is never mixed.
func TestTornWrite(t *testing.T) {
	old, fresh := strings.Repeat("o", 1536), strings.Repeat("n", 1536)
	r := inOrder(create, write(0, old), syncA, syncDir, write(0, fresh))
	pattern := func(s State) string {
		var b strings.Builder
		for sector := range slices.Chunk(s.Files["a"], 512) {
			if bytes.Count(sector, sector[:1]) != 512 {
				t.Errorf("a sector is mixed: %q", sector)
			}
			b.WriteByte(sector[0])
		}
		return b.String()
	}
	expect(t, states(r, r.Moments, pattern), "ooo", "noo", "ono", "oon", "nno", "non", "onn", "nnn")
}

// A sector that was written several times has one of these contents, and never a later one without an earlier one.
func TestSectorHistory(t *testing.T) {
	r := inOrder(create, write(0, "----"), syncA, syncDir, write(0, "1"), write(1, "2"), write(0, "3"))
	expect(t, states(r, r.Moments, fileA), "----", "1---", "12--", "32--")
}

func TestTruncate(t *testing.T) {
	r := inOrder(create, write(0, "abcd"), syncA, syncDir, Op{Kind: Truncate, File: 1, Size: 1}, write(3, "z"))
	expect(t, states(r, r.Moments, fileA), "abcd", "abcz", "a", "a\x00\x00\x00", "a\x00\x00z")
}

// Of the changes to a folder, a prefix is there.
func TestFolderPrefix(t *testing.T) {
	r := inOrder(create, write(0, "new"), syncA, Op{Kind: Rename, Path: "a", To: "b"}, Op{Kind: Remove, Path: "c"})
	r.Before, r.Content = map[string]int{"b": 2, "c": 3}, map[int][]byte{2: []byte("old"), 3: nil}
	names := func(s State) string {
		return strings.Join(sortedKeys(s.Files), "") + " " + string(s.Files["b"])
	}
	expect(t, states(r, r.Moments, names), "bc old", "abc old", "bc new", "b new")
}

// A file in a new folder needs the folder's own entry.
func TestNewFolder(t *testing.T) {
	inside := Op{Kind: Create, File: 1, Path: "d/a"}
	r := inOrder(Op{Kind: Mkdir, Path: "d"}, inside, Op{Kind: SyncDir, Path: "d"})
	have := func(s State) string { return strings.Join(append(s.Folders, sortedKeys(s.Files)...), " ") }
	expect(t, states(r, r.Moments, have), "", "d d/a")
	r = inOrder(Op{Kind: Mkdir, Path: "d"}, inside, Op{Kind: SyncDir, Path: "d"}, syncDir)
	expect(t, states(r, r.Moments, have), "d d/a")
}

// Two names of a file in two folders come and go on their own, and have the same text.
func TestTwoNames(t *testing.T) {
	r := inOrder(Op{Kind: Create, File: 1, Path: "d/b"}, Op{Kind: Remove, Path: "a"}, write(0, "new"))
	r.Before, r.Content, r.Folders = map[string]int{"a": 1}, map[int][]byte{1: []byte("old")}, []string{"d"}
	have := func(s State) string {
		text := strings.Join(sortedKeys(s.Files), " ")
		for name, other := range s.Links {
			text += " " + name + "=" + other
			if !bytes.Equal(s.Files[name], s.Files[other]) {
				t.Errorf("one file with two texts: %q", s.Files)
			}
		}
		return text
	}
	expect(t, states(r, r.Moments, have), "", "a", "d/b", "a d/b d/b=a")
}

func TestWithout(t *testing.T) {
	r := inOrder(create, write(0, "x"), syncA, syncDir)
	expect(t, states(r, r.Moments, fileA), "x")
	broken := r.Without(func(op Op) bool { return op.Kind == Sync && op.File == syncA.File })
	expect(t, states(broken, r.Moments, fileA), "", "\x00", "x")
	if len(r.Ops) != 4 {
		t.Error("the record itself was changed")
	}
	if final := broken.Final(); fileA(final) != "x" {
		t.Errorf("%q", final.Files)
	}
}
