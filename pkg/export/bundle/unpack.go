package bundle

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"clawctl/internal/openfile"
	"clawctl/pkg/jsonl"
)

// An Unpacker makes the files of a bundle for a folder, with the paths in them changed.
type Unpacker struct {
	Reader *Reader
	// Changes are the paths that change. Check finds them.
	Changes []Change

	folder string
	mover  *mover
}

// NewUnpacker returns the unpacker of a bundle for a folder with an absolute path.
func NewUnpacker(r *Reader, folder string, mappings []Mapping) *Unpacker {
	u := &Unpacker{Reader: r, folder: folder}
	u.mover = newMover(&r.Manifest, folder, mappings, func(c Change) { u.Changes = append(u.Changes, c) })
	return u
}

// Copy writes a file of the bundle with its paths changed.
func (u *Unpacker) Copy(ctx context.Context, i int, w io.Writer) error {
	in, err := u.Reader.Open(i)
	if err != nil {
		return err
	}
	defer in.Close()
	return u.mover.copy(&u.Reader.Files[i], w, in, jsonl.Options{BeforeRead: ctx.Err})
}

// Check makes every file once without writing it, to learn what changes. It returns the files, as the manifest names
// them, that are there with another content.
func (u *Unpacker) Check(ctx context.Context) (inTheWay []string, err error) {
	for i := range u.Reader.Files {
		sum := sha256.New()
		if err := u.Copy(ctx, i, sum); err != nil {
			return nil, err
		}
		if name := u.Reader.Files[i].Path; !isFree(filepath.Join(u.folder, filepath.FromSlash(name)), sum) {
			inTheWay = append(inTheWay, name)
		}
	}
	u.mover.changed = func(Change) {} // they are complete
	return inTheWay, nil
}

// isFree reports whether a path has no file, or one with the same content.
func isFree(path string, want hash.Hash) bool {
	file, err := openfile.Regular(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer file.Close()
	have := sha256.New()
	_, err = io.Copy(have, file)
	return err == nil && string(have.Sum(nil)) == string(want.Sum(nil))
}

// A ChangeCount counts the changes of a field from one folder to another.
type ChangeCount struct {
	Field    string // its last part
	Old, New string // folders
	Count    int64
}

// CountChanges counts the changes by field and folder, in the order of the first of each. Paths of the same folder
// differ only in their ends, which stay.
func (u *Unpacker) CountChanges() []ChangeCount {
	var list []ChangeCount
	at := map[ChangeCount]int{}
	for _, c := range u.Changes {
		kind := ChangeCount{Field: c.Field[strings.LastIndexByte(c.Field, '.')+1:], Old: c.Folders.Old, New: c.Folders.New}
		if _, known := at[kind]; !known {
			at[kind] = len(list)
			list = append(list, kind)
		}
		list[at[kind]].Count++
	}
	return list
}
