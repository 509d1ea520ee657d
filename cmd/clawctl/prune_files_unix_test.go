//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"clawctl/pkg/change"
	"clawctl/pkg/store"
)

// A prunedFile is an archive that is pruned and restored.
type prunedFile struct {
	id, path string
	text     []byte
	modified time.Time
}

// prunedFiles is how many archives the home has.
const prunedFiles = 6

// writeHome writes a home with a live session and archives of others.
func (k *pruneKiller) writeHome() error {
	sessions := k.path("home", "agents", "main", "sessions")
	if err := os.MkdirAll(sessions, 0o700); err != nil {
		return err
	}
	live := filepath.Join(sessions, "live.jsonl")
	err := errors.Join(
		os.WriteFile(filepath.Join(sessions, "sessions.json"), []byte(`{"agent:main:main":{"sessionId":"live"}}`), 0o600),
		os.WriteFile(live, k.transcript("live"), 0o600))
	for i := range prunedFiles {
		id := fmt.Sprintf("%08x-0000-4000-8000-00000000000%x", i, i)
		f := &prunedFile{id: id, modified: time.Date(2026, 1, i+1, 0, 0, 0, 0, time.UTC), text: k.transcript(id)}
		f.path = filepath.Join(sessions, id+".jsonl"+[]string{".bak", ".reset.2026-01-01T00-00-00.000Z"}[i%2])
		err = errors.Join(err, os.WriteFile(f.path, f.text, 0o640), os.Chtimes(f.path, f.modified, f.modified))
		k.files = append(k.files, f)
	}
	return err
}

// transcript makes a transcript of some length.
func (k *pruneKiller) transcript(id string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":%q,"timestamp":"2026-01-01T10:00:00.000Z","cwd":"/"}`+"\n", id)
	parent := "null"
	for i := range 20 + k.dice.IntN(200) {
		fmt.Fprintf(&b, `{"type":"message","id":"%s-%d","parentId":%s,"timestamp":"2026-01-01T10:00:01.000Z",`+
			`"message":{"role":"user","content":"%s"}}`+"\n", id, i, parent, strings.Repeat("x", k.dice.IntN(300)))
		parent = fmt.Sprintf(`"%s-%d"`, id, i)
	}
	return b.Bytes()
}

// look looks for every file. It must be in its place or in the trash, as it was, and if it is in the trash, a receipt
// must know where. A file with both names, which the next command takes care of, is in its place; two files never are.
// It returns how many are in the trash.
func (k *pruneKiller) look() (moved int, err error) {
	journal := change.Journal{Folder: k.path("data", "clawctl", "receipts")}
	receipts, err := journal.Receipts()
	if err != nil {
		return 0, err
	}
	places, doubles := map[string]string{}, 0
	for _, r := range receipts {
		if r.Moved == nil {
			continue
		}
		there, err := os.Lstat(r.Moved.To)
		here, _ := os.Lstat(r.Path)
		switch {
		case err != nil:
		case os.SameFile(here, there):
			doubles++
		default:
			places[r.Path] = r.Moved.To
		}
	}
	inTrash, err := k.countTrash()
	if known := len(places) + doubles; err != nil || inTrash != known {
		return 0, fmt.Errorf("%d files in the trash, %d of them with a receipt: %w", inTrash, known, err)
	}
	for _, f := range k.files {
		to, isMoved := places[f.path]
		_, here := os.Lstat(f.path)
		switch {
		case isMoved == (here == nil):
			return 0, fmt.Errorf("%s: in the trash: %v, in its place: %v", f.path, isMoved, here == nil)
		case isMoved:
			moved++
			err = f.isAt(to)
		default:
			err = f.isAt(f.path)
		}
		if err != nil {
			return 0, err
		}
	}
	return moved, nil
}

// countTrash counts the files in the trash.
func (k *pruneKiller) countTrash() (n int, err error) {
	err = filepath.WalkDir(k.path("home", ".clawctl-trash"), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() {
			n++
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return n, err
}

// isAt checks that the file at a path is this one, with its time and mode.
func (f *prunedFile) isAt(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(text, f.text) || !info.ModTime().Equal(f.modified) || info.Mode().Perm() != 0o640 {
		return fmt.Errorf("%s has changed: %d bytes, %v", path, len(text), info.Mode())
	}
	return nil
}

// storeHas reports whether a store has a file as a session, byte for byte. Part of one is an error.
func storeHas(ctx context.Context, path string, f *prunedFile) (bool, error) {
	if !store.IsStore(ctx, path) {
		return false, nil // it was killed before it created the store
	}
	r, err := store.OpenReader(ctx, path)
	if err != nil {
		return false, err
	}
	defer r.Close()
	if faults, err := store.NewAuditor(ctx, r).Audit(); err != nil || len(faults) > 0 {
		return false, fmt.Errorf("the store is damaged: %v %w", faults, err)
	}
	list, err := r.Transcripts(ctx)
	if err != nil || len(list) == 0 {
		return false, err
	}
	in, err := r.Text(ctx, list[0], store.Whole)
	if err != nil {
		return false, err
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err == nil && !bytes.Equal(text, f.text) {
		err = fmt.Errorf("the store has %d of %d bytes", len(text), len(f.text))
	}
	return err == nil, err
}

// isFolderOf checks that the restored folder has the transcript and its registration.
func (k *pruneKiller) isFolderOf(f *prunedFile) error {
	sessions := k.path("out", "agents", "main", "sessions")
	text, err := os.ReadFile(filepath.Join(sessions, f.id+".jsonl"))
	if err != nil {
		return err
	}
	index, err := os.ReadFile(filepath.Join(sessions, "sessions.json"))
	if err != nil {
		return err
	}
	if !bytes.Equal(text, f.text) || !bytes.Contains(index, []byte(f.id)) {
		return fmt.Errorf("the restored folder has %d of %d bytes", len(text), len(f.text))
	}
	return nil
}

// isTidy checks that nothing is left of folders in the making after a restore was completed.
func (k *pruneKiller) isTidy() error {
	left, err := filepath.Glob(k.path(".clawctl-restore-*"))
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("left: %s", left)
	}
	return nil
}
