//go:build linux || darwin

package spool

import "golang.org/x/sys/unix"

func freeSpace(folder string) (bytes int64, known bool) {
	var disk unix.Statfs_t
	if err := unix.Statfs(folder, &disk); err != nil || disk.Blocks == 0 {
		return 0, false // some network drives have no size
	}
	return int64(disk.Bavail) * int64(disk.Bsize), true
}
