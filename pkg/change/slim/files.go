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
	"clawctl/internal/rooted"
)

// ManifestSuffix ends the name of the file that says what was moved from a copy.
const ManifestSuffix = ".slim.json"

// ErrNoManifest is the error for a file that has no manifest beside it.
var ErrNoManifest error = &failure.Sentinel{Code: failure.NotFound, Text: "not a copy made by slim"}

// maxManifest and maxContent are the largest manifest and the largest content file that are read. A line of a
// transcript is not longer.
const maxManifest, maxContent = 256 << 20, 256 << 20

// ReadManifest reads the manifest beside a copy.
func ReadManifest(manifest rooted.File) (*Manifest, error) {
	data, err := manifest.Content(maxManifest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: there is no %s", ErrNoManifest, manifest.Shown)
	case err != nil:
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("%w: %w", errManifest, err)
	}
	return m, nil
}

// Open returns the function that reads the content of a copy, for Restore. folder is what the manifest calls its
// folder, as seen from the copy. No content is longer than the original.
func (m *Manifest) Open(folder rooted.File) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		content, err := folder.Join(name).Content(min(maxContent, m.Original.Bytes))
		if hostile := rooted.Hostile(err); hostile != nil {
			err = fmt.Errorf("%s %w", filepath.Join(folder.Shown, name), hostile)
		}
		return content, err
	}
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
