//go:build linux

package fault

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// diskFull imports into file systems of 64 KiB, 128 KiB, and so on until everything fits. An import that does not fit
// must fail with a clear error, leave an intact store and no other file, and succeed later with more space.
func (f *fault) diskFull(folder string) (string, error) {
	if err := canMount(); err != nil {
		return "", err
	}
	const step = 64
	for size := step; ; size += step {
		if err := command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dk,mode=700", size), "tmpfs", folder); err != nil {
			return "", skip("no tmpfs: " + err.Error())
		}
		fits, err := f.fill(folder)
		if err = errors.Join(err, unmount(folder)); err != nil {
			return "", fmt.Errorf("%d KiB: %w", size, err)
		}
		if fits {
			return fmt.Sprintf("%d sizes up to %d KiB: no false success, clear errors, store intact, no file left behind, "+
				"digest equal with more space", size/step-1, size-step), nil
		}
	}
}

// fill imports into a folder that may be too small. If it is, fill completes the import with more space.
func (f *fault) fill(folder string) (fits bool, err error) {
	db := filepath.Join(folder, "store.db")
	ended := f.importInto(db, f.middle.path)
	if ended.code == 0 {
		return true, f.isComplete(db, f.middle)
	}
	if ended.code < 0 || !strings.Contains(ended.stderr, "full") {
		return false, fmt.Errorf("the error does not say that the disk is full: %v", ended)
	}
	if err := onlyStore(folder); err != nil {
		return false, err
	}
	if err := command("mount", "-o", "remount,size=64m", folder); err != nil {
		return false, err
	}
	if err := intact(db); err != nil {
		return false, err
	}
	return false, errors.Join(f.complete(db, f.middle), onlyStore(folder))
}

// intact checks that a store opens and passes the integrity check. It may have no tables yet.
func intact(db string) error {
	if _, err := readContent(db); err != nil && !strings.Contains(err.Error(), "no such table") {
		return err
	}
	return nil
}

// onlyStore checks that the folder has no other file than the store.
func onlyStore(folder string) error {
	names, err := filesIn(folder)
	if names = slices.DeleteFunc(names, func(name string) bool { return name == "store.db" }); len(names) > 0 {
		return fmt.Errorf("files were left behind: %v", names)
	}
	return err
}
