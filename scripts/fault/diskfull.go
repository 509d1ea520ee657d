//go:build linux

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// diskFull is R4: an import into a file system of 64 KiB, of 128 KiB, and so on until everything fits.
func (f *fault) diskFull() (string, error) {
	if err := canMount(); err != nil {
		return "", err
	}
	folder, err := f.newFolder("tmpfs")
	if err != nil {
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
			return fmt.Sprintf("%d sizes up to %d KiB: never a success, clear words, store intact, no file left, digest equal with more space", size/step-1, size-step), nil
		}
	}
}

// fill imports into a folder that may be too small, and completes the import with more space.
func (f *fault) fill(folder string) (fits bool, err error) {
	db := filepath.Join(folder, "store.db")
	ended := f.importInto(db, f.middle.path)
	if ended.code == 0 {
		return true, f.isComplete(db, f.middle)
	}
	if ended.code < 0 || !strings.Contains(ended.stderr, "full") {
		return false, fmt.Errorf("no clear words: %v", ended)
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

// intact makes sure that a store opens and is sound. One that was never begun is an empty file.
func intact(db string) error {
	if _, err := readContent(db); err != nil && !strings.Contains(err.Error(), "no such table") {
		return err
	}
	return nil
}

// onlyStore makes sure that no other file was left.
func onlyStore(folder string) error {
	names, err := filesIn(folder)
	if names = slices.DeleteFunc(names, func(name string) bool { return name == "store.db" }); len(names) > 0 {
		return fmt.Errorf("files were left: %v", names)
	}
	return err
}
