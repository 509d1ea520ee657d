//go:build unix

package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

// hex writes a text as strace -xx does.
func hex(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, `\x%02x`, c)
	}
	return b.String()
}

// trace replaces 'text' by a string and <text> by a path, as they are in a trace.
func trace(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, "'") {
		if i%2 == 1 {
			part = `"` + hex(part) + `"`
		}
		b.WriteString(part)
	}
	text = b.String()
	for _, path := range []string{"/d/new", "/d/old", "/d/sub", "/d", "pipe"} {
		text = strings.ReplaceAll(text, "<"+path+">", "<"+hex(path)+">")
	}
	return text
}

func record(t *testing.T, text string) *Record {
	t.Helper()
	r := &Record{Before: map[string]int{"old": 1}, Content: map[int][]byte{1: []byte("before")}}
	if err := r.ReadTrace(strings.NewReader(trace(text)), "/d"); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReadTrace(t *testing.T) {
	r := record(t, `7 openat(AT_FDCWD</d>, 'new', O_RDWR|O_CREAT|O_EXCL, 0600) = 3</d/new>
8 write(1<pipe>, 'early', 5) = 5
7 write(3</d/new>, 'ab', 2) = 2
7 write(3</d/new>, 'cd', 2) = 1
7 pwrite64(3</d/new>, 'X', 1, 6 <unfinished ...>
8 fsync(3</d/new>) = 0
7 <... pwrite64 resumed>) = 1
7 close(3</d/new>) = 0
7 renameat(AT_FDCWD</d>, 'new', AT_FDCWD</d>, 'old') = 0
7 openat(AT_FDCWD</d>, '/d', O_RDONLY) = 3</d>
7 fsync(3</d> <unfinished ...>
8 openat(AT_FDCWD</d>, 'x', O_RDWR) = -1 ENOENT (No such file or directory)
7 <... fsync resumed>) = 0
8 mkdirat(AT_FDCWD</d>, 'sub', 0700) = 0
8 unlink('/d/old') = 0
8 unlink('/elsewhere/old') = 0
7 write(1<pipe>, 'done', 4) = 4
8 ???( <unfinished ...>
8 ???()
8 ???(
7 +++ exited with 0 +++
`)
	var kinds []Kind
	for _, op := range r.Ops {
		kinds = append(kinds, op.Kind)
	}
	want := []Kind{Create, Write, Write, Write, Sync, Rename, SyncDir, Mkdir, Remove}
	if !slices.Equal(kinds, want) {
		t.Errorf("operations %v, want %v", kinds, want)
	}
	if r.Ops[2].Offset != 2 || string(r.Ops[2].Data) != "c" || r.Ops[3].Offset != 6 {
		t.Errorf("%+v", r.Ops[:4])
	}
	if overlapping := r.Ops[3]; overlapping.End < r.Ops[4].Start {
		t.Error("the sync began before the write ended")
	}
	if r.PrintedBefore(r.Moments) != "earlydone" || r.PrintedBefore(r.Printed[1].Moment) != "early" {
		t.Errorf("%+v", r.Printed)
	}
	if final := r.Final(); len(final.Files) != 0 || fmt.Sprint(final.Folders) != "[sub]" {
		t.Errorf("%+v", final)
	}
	before := r.Without(func(op Op) bool { return op.Kind == Remove }).Final()
	if string(before.Files["old"]) != "abc\x00\x00\x00X" {
		t.Errorf("%q", before.Files)
	}
}

// A link is another name of the same file. What is written through one name is there under both.
func TestLink(t *testing.T) {
	r := record(t, `7 mkdirat(AT_FDCWD</d>, 'sub', 0700) = 0
7 linkat(AT_FDCWD</d>, 'old', AT_FDCWD</d>, '/d/sub/kept', 0) = 0
7 openat(AT_FDCWD</d>, 'old', O_WRONLY|O_APPEND) = 3</d/old>
7 write(3</d/old>, ' and', 4) = 4
7 write(3</d/old>, ' after', 6) = 6
7 link('/d/sub/kept', '/d/new') = -1 EEXIST (File exists)
7 unlinkat(AT_FDCWD</d>, 'old', 0) = 0
7 link('/d/sub/kept', '/d/new') = 0
`)
	var names []string
	for _, op := range r.Ops {
		if op.Kind == Create && op.File == 1 {
			names = append(names, op.Path)
		}
	}
	if !slices.Equal(names, []string{"sub/kept", "new"}) {
		t.Errorf("further names %v", names)
	}
	final := r.Final()
	if len(final.Files) != 2 || string(final.Files["sub/kept"]) != "before and after" {
		t.Errorf("%q", final.Files)
	}
	if fmt.Sprint(final.Links) != "map[sub/kept:new]" {
		t.Errorf("links %v", final.Links)
	}
}

// A write begins where the last seek has left the position.
func TestSeek(t *testing.T) {
	r := record(t, `7 openat(AT_FDCWD</d>, 'old', O_RDWR) = 3</d/old>
7 lseek(3</d/old>, -2, SEEK_END) = 4
7 write(3</d/old>, 'XY', 2) = 2
7 lseek(9</other>, 0, SEEK_SET) = 0
`)
	if text := string(r.Final().Files["old"]); text != "befoXY" {
		t.Error(text)
	}
}

// What the model does not know is refused, and never left out in silence.
func TestUnknownCalls(t *testing.T) {
	for _, text := range []string{
		`7 fallocate(3</d/new>, 0, 0, 4096) = 0`,
		`7 writev(3</d/new>, [{iov_base='x', iov_len=1}], 1) = 1`,
		`7 pwrite64(3</d/new>, 'x', 1, 0) = 1`, // opened before the trace
		`7 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3</d/new>, 0) = 0x7f`,
		`7 rename('/d/old', '/d/sub/old') = 0`,
		`7 openat(AT_FDCWD</d>, '/d', O_WRONLY|O_TMPFILE, 0600) = 3</d/new>`,
		`7 linkat(AT_FDCWD</d>, '/other/new', AT_FDCWD</d>, 'new', 0) = 0`,
		"7 openat(AT_FDCWD</d>, 'new', O_WRONLY|O_CREAT, 0600) = 3</d/new>\n7 write(3</d/new>, 'cut'..., 9) = 9",
	} {
		if err := (&Record{}).ReadTrace(strings.NewReader(trace(text)), "/d"); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
	other := `7 fallocate(3</other/new>, 0, 0, 4096) = 0`
	if err := (&Record{}).ReadTrace(strings.NewReader(trace(other)), "/d"); err != nil {
		t.Error(err)
	}
}

func TestSnapshot(t *testing.T) {
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "sub", "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, filepath.Join(folder, "sub", "x"), "text")
	r, err := Snapshot(folder)
	if err != nil {
		t.Fatal(err)
	}
	final := r.Final()
	if string(final.Files["sub/x"]) != "text" || fmt.Sprint(final.Folders) != "[sub sub/deep]" {
		t.Errorf("%+v", final)
	}
}
