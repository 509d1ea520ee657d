package source

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"clawctl/internal/openfile"
)

// A tree is what a walker searches: a folder or a bundle. Paths are below its root.
type tree interface {
	open(path string) (fs.File, error)
	readDir(path string) ([]fs.DirEntry, error)
	Stat(path string) (fs.FileInfo, error)
	Lstat(path string) (fs.FileInfo, error)
}

// A folderTree is a folder. Nothing outside it can be reached. The path of a file is resolved one element after the
// other, so the folders of the last files stay open for the next ones.
type folderTree struct {
	root    *os.Root
	mutex   sync.Mutex
	folders map[string]*os.Root
}

// keptFolders is how many folders of a tree stay open.
const keptFolders = 32

func openFolderTree(folder string) (*folderTree, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	return &folderTree{root: root, folders: map[string]*os.Root{}}, nil
}

// Close closes the folder, and those below it that are open.
func (t *folderTree) Close() error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.closeFolders()
	return t.root.Close()
}

func (t *folderTree) Stat(path string) (fs.FileInfo, error) { return t.root.Stat(path) }

func (t *folderTree) Lstat(path string) (fs.FileInfo, error) { return t.root.Lstat(path) }

// open opens a file. It does not wait for a pipe.
func (t *folderTree) open(path string) (fs.File, error) {
	const mode = os.O_RDONLY | openfile.NonBlocking
	if folder := t.folderOf(path); folder != nil {
		if file, err := folder.OpenFile(filepath.Base(path), mode, 0); err == nil {
			return file, nil // otherwise it may be a link to another folder
		}
	}
	file, err := t.root.OpenFile(path, mode, 0)
	if err != nil {
		return nil, err
	}
	return file, nil
}

// folderOf returns the folder of a file, or nil if that is the tree itself or cannot be opened. Closing one while a
// file in it is being opened is safe.
func (t *folderTree) folderOf(path string) *os.Root {
	name := filepath.Dir(path)
	if name == "." {
		return nil
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if folder, ok := t.folders[name]; ok {
		return folder
	}
	folder, err := t.root.OpenRoot(name)
	if err != nil {
		return nil
	}
	if len(t.folders) >= keptFolders {
		t.closeFolders()
	}
	t.folders[name] = folder
	return folder
}

func (t *folderTree) closeFolders() {
	for _, folder := range t.folders {
		folder.Close()
	}
	clear(t.folders)
}

func (t *folderTree) readDir(path string) ([]fs.DirEntry, error) {
	dir, err := t.root.Open(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.ReadDir(-1)
}
