package source

import (
	"context"
	"hash/fnv"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"

	"clawctl/pkg/export/bundle"
	"clawctl/pkg/store"
)

// findBundle lists the transcripts of a bundle by the rules of Find. All of it is read and checked before.
func findBundle(ctx context.Context, file string, opts Options) (*Listing, error) {
	absolute, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	r, err := bundle.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	w := &walker{ctx: ctx, opts: opts, root: newBundleTree(r), absolute: absolute, inBundle: true,
		place: &Listing{Path: file, closers: []io.Closer{r}}}
	return w.find("")
}

// InBundle reports whether the session is in a bundle.
func (s *Session) InBundle() bool { return s.inBundle }

// bundlePath returns the path of a file in a bundle in the form of an argument.
func bundlePath(file, below string) string { return file + "#" + filepath.ToSlash(below) }

// A bundleTree is a bundle as a tree of files.
type bundleTree struct {
	reader  *bundle.Reader
	files   map[string]int // numbers in the manifest, by path
	folders map[string][]fs.DirEntry
}

func newBundleTree(r *bundle.Reader) *bundleTree {
	t := &bundleTree{r, map[string]int{}, map[string][]fs.DirEntry{".": nil}}
	for i := range r.Files {
		t.files[r.Files[i].Path] = i
		t.add(r.Files[i].Path, fs.FileInfoToDirEntry(&bundleInfo{file: &r.Files[i], name: path.Base(r.Files[i].Path)}))
	}
	return t
}

// add adds an entry to its folder, and the folder to the one above.
func (t *bundleTree) add(name string, entry fs.DirEntry) {
	dir := path.Dir(name)
	if _, known := t.folders[dir]; !known {
		t.add(dir, fs.FileInfoToDirEntry(&bundleInfo{name: path.Base(dir)}))
	}
	t.folders[dir] = append(t.folders[dir], entry)
}

func notFound(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist} }

func (t *bundleTree) open(name string) (fs.File, error) {
	i, known := t.files[filepath.ToSlash(name)]
	if !known {
		return nil, notFound("open", name)
	}
	in, err := t.reader.Open(i)
	if err != nil {
		return nil, err
	}
	return &bundleFile{in, &bundleInfo{file: &t.reader.Files[i], name: path.Base(filepath.ToSlash(name))}}, nil
}

func (t *bundleTree) readDir(name string) ([]fs.DirEntry, error) {
	entries, known := t.folders[filepath.ToSlash(name)]
	if !known {
		return nil, notFound("open", name)
	}
	return entries, nil
}

// Stat describes a file or folder.
func (t *bundleTree) Stat(name string) (fs.FileInfo, error) {
	name = filepath.ToSlash(name)
	if i, known := t.files[name]; known {
		return &bundleInfo{file: &t.reader.Files[i], name: path.Base(name)}, nil
	}
	if _, known := t.folders[name]; known {
		return &bundleInfo{name: path.Base(name)}, nil
	}
	return nil, notFound("stat", name)
}

// Lstat is Stat, because a bundle has no links.
func (t *bundleTree) Lstat(name string) (fs.FileInfo, error) { return t.Stat(name) }

// A bundleFile is an open file of a bundle.
type bundleFile struct {
	io.ReadCloser
	info *bundleInfo
}

// Stat describes the file.
func (f *bundleFile) Stat() (fs.FileInfo, error) { return f.info, nil }

// A bundleInfo describes a file of a bundle, or a folder if it has none.
type bundleInfo struct {
	file *bundle.File
	name string
}

// Name returns the last element of the path.
func (i *bundleInfo) Name() string { return i.name }

// Size returns the size of the file.
func (i *bundleInfo) Size() int64 {
	if i.file == nil {
		return 0
	}
	return i.file.Size
}

// Mode says whether it is a folder.
func (i *bundleInfo) Mode() fs.FileMode {
	if i.file == nil {
		return fs.ModeDir | 0o700
	}
	return 0o600
}

// ModTime returns when the original was modified.
func (i *bundleInfo) ModTime() time.Time {
	if i.file == nil {
		return time.Time{}
	}
	return i.file.ModTime()
}

// IsDir reports whether it is a folder.
func (i *bundleInfo) IsDir() bool { return i.file == nil }

// stamp changes with the content of the file.
func (i *bundleInfo) stamp() store.Stamp {
	h := fnv.New64a()
	io.WriteString(h, i.file.SHA256)
	return store.Stamp{Size: i.file.Size, MTime: i.file.Modified * 1e9, Inode: int64(h.Sum64() >> 1)}
}

// Sys returns nil.
func (i *bundleInfo) Sys() any { return nil }

// isFileName reports whether a name is that of the session's file, alone or with the folders in the place.
func (s *Session) isFileName(name string) bool {
	switch {
	case s.InDatabase || s.Below == "":
		return false
	case s.inBundle && strings.EqualFold(name, s.Below):
		return true
	}
	name = filepath.ToSlash(name)
	return name == s.Below || name == path.Base(s.Below)
}
