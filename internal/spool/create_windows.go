package spool

import (
	"os"

	"golang.org/x/sys/windows"
)

// createUnnamed creates a file that no other process can open, and that Windows deletes with its handle, however the
// process ends.
func createUnnamed(path string) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	const access = windows.GENERIC_READ | windows.GENERIC_WRITE | windows.DELETE
	const attributes = windows.FILE_ATTRIBUTE_TEMPORARY | windows.FILE_FLAG_DELETE_ON_CLOSE
	handle, err := windows.CreateFile(name, access, 0, nil, windows.CREATE_NEW, attributes, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}
