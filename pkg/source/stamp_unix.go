//go:build unix

package source

import (
	"io/fs"
	"syscall"
)

// identity distinguishes a file from another one that has taken its name.
func identity(info fs.FileInfo) (device, inode int64) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(stat.Dev), int64(stat.Ino)
	}
	return 0, 0
}
