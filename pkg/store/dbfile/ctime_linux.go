package dbfile

import (
	"io/fs"
	"syscall"
)

// ChangeTime returns when a file was last changed in any way, in nanoseconds. Unlike the time of its content, it cannot
// be set back. It is 0 if the system does not say.
func ChangeTime(info fs.FileInfo) int64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ctim.Nano()
	}
	return 0
}
