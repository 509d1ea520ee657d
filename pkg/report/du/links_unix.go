//go:build unix

package du

import (
	"io/fs"
	"syscall"
)

// A link identifies a file that has several names.
type link struct{ device, inode uint64 }

// linkOf returns the identity of a file. ok is false if it has one name only.
func linkOf(info fs.FileInfo) (id link, ok bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok || s.Nlink < 2 {
		return id, false
	}
	return link{uint64(s.Dev), uint64(s.Ino)}, true
}
