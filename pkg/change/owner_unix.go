//go:build unix

package change

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a new file the owner of the old one. Otherwise a repair by the administrator would lock out the user.
func keepOwner(file *os.File, old fs.FileInfo) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	was, ok1 := old.Sys().(*syscall.Stat_t)
	is, ok2 := info.Sys().(*syscall.Stat_t)
	if !ok1 || !ok2 || was.Uid == is.Uid && was.Gid == is.Gid {
		return nil
	}
	return file.Chown(int(was.Uid), int(was.Gid))
}
