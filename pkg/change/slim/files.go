package slim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"clawctl/internal/atomicfile"
	"clawctl/internal/failure"
	"clawctl/internal/openfile"
)

// ManifestSuffix ends the name of the file that says what was moved from a copy.
const ManifestSuffix = ".slim.json"

// ErrNoManifest is the error for a file that has no manifest beside it.
var ErrNoManifest error = &failure.Sentinel{Code: failure.NotFound, Text: "not a copy made by slim"}

// ReadManifest reads the manifest beside a copy.
func ReadManifest(copyPath string) (*Manifest, error) {
	path := copyPath + ManifestSuffix
	data, err := openfile.Content(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: there is no %s", ErrNoManifest, path)
	case err != nil:
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrManifest, err)
	}
	return m, nil
}

// Open returns the function that reads the content of the copy at a path, for Restore.
func (m *Manifest) Open(copyPath string) func(name string) ([]byte, error) {
	folder := filepath.Join(filepath.Dir(copyPath), filepath.FromSlash(m.Folder))
	return func(name string) ([]byte, error) { return openfile.Content(filepath.Join(folder, name)) }
}

// Files are what is written beside copies. What was written for a copy that fails can be removed again.
type Files struct {
	Root  *os.Root
	fresh []string // what was written for the copy that is being made
}

// Has reports whether there is a file with a name.
func (f *Files) Has(name string) bool {
	_, err := f.Root.Stat(filepath.FromSlash(name))
	return err == nil
}

// Keep writes a content file, unless there is one already. It is synced.
func (f *Files) Keep(name string, content []byte) error {
	if f.Has(name) {
		return nil
	}
	native := filepath.FromSlash(name)
	if err := atomicfile.MkdirAllIn(f.Root, filepath.Dir(native)); err != nil {
		return err
	}
	file, err := atomicfile.CreateIn(f.Root, native, atomicfile.Options{})
	if err != nil {
		return err
	}
	defer file.Abandon()
	if _, err := file.Write(content); err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return err
	}
	f.Note(name)
	return nil
}

// Note remembers a file that was written for the copy that is being made.
func (f *Files) Note(name string) { f.fresh = append(f.fresh, filepath.FromSlash(name)) }

// End ends a copy. If it failed or was interrupted, what was written for it is removed, and the folder of its content
// if it is empty then.
func (f *Files) End(folder string, failed bool) {
	if failed {
		for _, native := range f.fresh {
			_ = f.Root.Remove(native)
		}
		if len(f.fresh) > 0 {
			_ = f.Root.Remove(filepath.FromSlash(folder))
		}
	}
	f.fresh = nil
}
