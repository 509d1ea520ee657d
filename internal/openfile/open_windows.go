package openfile

import (
	"os"

	"golang.org/x/sys/windows"
)

// NonBlocking is not needed on Windows, where an open does not wait.
const NonBlocking = 0

// read opens a file as os.Open does, but lets others rename and delete it. The flag for backups is what opens folders.
func read(path string, _ int) (*os.File, error) {
	handle, err := open(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

func open(path string) (windows.Handle, error) {
	if path == "" {
		return windows.InvalidHandle, windows.ERROR_FILE_NOT_FOUND
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return windows.InvalidHandle, err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	const attributes = windows.FILE_ATTRIBUTE_NORMAL | windows.FILE_FLAG_BACKUP_SEMANTICS
	return windows.CreateFile(name, windows.GENERIC_READ, share, nil, windows.OPEN_EXISTING, attributes, 0)
}
