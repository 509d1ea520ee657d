package change

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clawctl/internal/testkit"
)

var testTime = time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)

// erase removes a word from a file.
func erase(t *testing.T, j *Journal, path, word, keep string) (*Receipt, error) {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return j.Erase(Erasure{
		Snapshot: s, Command: "redact", Values: []string{"0123456789ab"}, Keep: keep,
		Text: func(w io.Writer) error {
			text, err := io.ReadAll(io.NewSectionReader(s, 0, s.Size))
			if err == nil {
				_, err = w.Write(bytes.ReplaceAll(text, []byte(word), []byte("[gone]")))
			}
			return err
		},
		Verify: func(text io.ReaderAt, size int64) error {
			data, err := io.ReadAll(io.NewSectionReader(text, 0, size))
			if bytes.Contains(data, []byte("refuse")) {
				return errors.New("refused")
			}
			return err
		},
	})
}

// mustHaveNowhere fails if any file below a folder has a text.
func mustHaveNowhere(t *testing.T, folder, text string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) {
			t.Errorf("%s has %q", path, text)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestErase(t *testing.T) {
	folder := t.TempDir()
	j := &Journal{Folder: filepath.Join(folder, "receipts"), Now: testTime}
	path := filepath.Join(folder, "home", "a.jsonl")
	kept := filepath.Join(folder, "kept", "a.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("one SECRET line\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := erase(t, j, path, "SECRET", kept)
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil || after.Mode() != before.Mode() || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("%v, %v instead of %v", err, after, before)
	}
	if data, _ := os.ReadFile(kept); string(data) != "one SECRET line\n" {
		t.Errorf("kept %q", data)
	}
	if err := os.RemoveAll(filepath.Dir(kept)); err != nil {
		t.Fatal(err)
	}
	mustHaveNowhere(t, folder, "SECRET")
	if state, err := r.State(); state != Final || err != nil {
		t.Error(state, err)
	}
	var erased *erasedError
	if err := j.Undo(r); !errors.As(err, &erased) || !strings.Contains(err.Error(), "keeps no copy") {
		t.Error(err)
	}
}

func TestEraseRefuses(t *testing.T) {
	folder := t.TempDir()
	j := &Journal{Folder: filepath.Join(folder, "receipts"), Now: testTime}
	path := filepath.Join(folder, "a.jsonl")
	testkit.Write(t, path, "SECRET refuse\n")
	if _, err := erase(t, j, path, "SECRET", ""); !errors.As(err, new(*VerifyError)) {
		t.Error(err)
	}
	if data, _ := os.ReadFile(path); string(data) != "SECRET refuse\n" {
		t.Errorf("the file has %q", data)
	}
	if list, err := j.Receipts(); err != nil || len(list) > 0 {
		t.Error(list, err)
	}
}

// An erasure is known to the receipts of the same file: what has no text can still be undone, and the others say why
// they cannot.
// dropOriginals removes the files that were replaced. Systems that do not say who has a file open keep them for a day.
func dropOriginals(t *testing.T, j *Journal) {
	t.Helper()
	all, err := j.Receipts()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if err := j.DropOriginals(r, nil); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEraseAfterOtherChanges(t *testing.T) {
	folder := t.TempDir()
	j := &Journal{Folder: filepath.Join(folder, "receipts"), Now: testTime}
	changed, moved := filepath.Join(folder, "changed.jsonl"), filepath.Join(folder, "moved.jsonl")
	for _, path := range []string{changed, moved} {
		testkit.Write(t, path, "old SECRET\nrest SECRET\n")
	}
	s, err := Open(changed)
	if err != nil {
		t.Fatal(err)
	}
	edit, err := j.Write(Change{Snapshot: s, Edits: Edits{{0, 11, []byte("new\n")}}, Command: "repair"})
	if err != nil {
		t.Fatal(err)
	}
	trash := filepath.Join(folder, "trash")
	move, err := j.Move(Move{Path: moved, Trash: trash, Below: "moved.jsonl", Command: "prune"})
	if err != nil {
		t.Fatal(err)
	}
	j.End()
	k := &Journal{Folder: j.Folder, Now: testTime}
	if _, err := k.Begin(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{changed, move.Moved.To} {
		r, err := erase(t, k, path, "SECRET", "")
		if err != nil {
			t.Fatal(err)
		}
		all, err := k.Receipts()
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Adopt(all, r); err != nil {
			t.Fatal(err)
		}
	}
	dropOriginals(t, k)
	k.End()
	mustHaveNowhere(t, folder, "SECRET")
	edit, move = readAgain(t, edit), readAgain(t, move)
	if len(edit.Changes) > 0 {
		t.Error(edit.Changes)
	}
	if err := k.Undo(edit); !errors.As(err, new(*erasedError)) || !strings.Contains(err.Error(), "this repair") {
		t.Error(err)
	}
	if err := k.Undo(move); err != nil {
		t.Error(err)
	}
	if data, _ := os.ReadFile(moved); string(data) != "old [gone]\nrest [gone]\n" {
		t.Errorf("moved back: %q", data)
	}
}

func readAgain(t *testing.T, r *Receipt) *Receipt {
	t.Helper()
	again, err := readReceipt(r.path)
	if err != nil {
		t.Fatal(err)
	}
	return again
}
