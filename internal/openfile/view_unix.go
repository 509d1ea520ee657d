//go:build unix

package openfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapPages maps bytes of a file into memory, from the start of a page.
func mapPages(file *os.File, offset int64, length int) (pages []byte, err error) {
	conn, err := file.SyscallConn()
	if err != nil {
		return nil, err
	}
	failed := conn.Control(func(fd uintptr) {
		pages, err = unix.Mmap(int(fd), offset, length, unix.PROT_READ, unix.MAP_SHARED)
	})
	if failed != nil {
		return nil, failed
	}
	return pages, err
}

func unmapPages(pages []byte) error { return unix.Munmap(pages) }
