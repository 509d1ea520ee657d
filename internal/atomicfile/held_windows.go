package atomicfile

import (
	"errors"

	"golang.org/x/sys/windows"
)

// mayBeHeld reports whether an error may mean that another program has a file open. For a file that is to be replaced,
// Windows says no more than that access is denied.
func mayBeHeld(err error) bool { return isSharing(err) || errors.Is(err, windows.ERROR_ACCESS_DENIED) }

func isSharing(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION) ||
		errors.Is(err, windows.ERROR_USER_MAPPED_FILE)
}

// isHeld reports whether another program has a file open in a way that keeps others from deleting it.
func isHeld(path string) bool {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return false
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	const attributes = windows.FILE_FLAG_BACKUP_SEMANTICS | windows.FILE_FLAG_OPEN_REPARSE_POINT
	handle, err := windows.CreateFile(name, windows.DELETE, share, nil, windows.OPEN_EXISTING, attributes, 0)
	if err != nil {
		return isSharing(err)
	}
	_ = windows.CloseHandle(handle)
	return false
}
