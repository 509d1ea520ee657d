//go:build unix

package dbfile

import (
	"bytes"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"clawctl/internal/openfile"
)

// Positions in the files beside a database: the random numbers that distinguish one log from the next, in the -wal and
// in the -shm file, and the byte of the -shm file that every process locks while it has the database open.
const (
	walSalts, shmSalts, saltBytes = 16, 32, 8
	openLock                      = 128
)

// isAbortedLog reports whether a -wal file was left by a process that died in the first transaction of this log, before
// its -shm file recorded the log, or by a power cut that the -shm file did not survive. SQLite cannot read such a log
// without writing, and gives up after ten seconds.
func isAbortedLog(path string) bool {
	wal := make([]byte, saltBytes)
	log, err := openfile.Regular(path + "-wal")
	if err != nil {
		return false
	}
	defer log.Close()
	if _, err := log.ReadAt(wal, walSalts); err != nil {
		return false // no log was started
	}
	fd, ok := sharedMemory(path + "-shm")
	if !ok {
		return false
	}
	shm := make([]byte, saltBytes)
	n, err := syscall.Pread(fd, shm, shmSalts) // after a power cut, the file may be empty
	if err != nil || n == saltBytes && bytes.Equal(wal, shm) {
		return false
	}
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: openLock, Len: 1}
	err = syscall.FcntlFlock(uintptr(fd), syscall.F_GETLK, &lock)
	return err == nil && lock.Type == syscall.F_UNLCK
}

// sharedFiles are the -shm files that were opened. Closing one would release the locks that this process may hold on it
// through SQLite, so each stays open, once.
var sharedFiles struct {
	sync.Mutex
	list []sharedFile
}

type sharedFile struct {
	fd   int
	info fs.FileInfo
}

// sharedMemory returns a descriptor of a -shm file.
func sharedMemory(path string) (fd int, ok bool) {
	sharedFiles.Lock()
	defer sharedFiles.Unlock()
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	for _, f := range sharedFiles.list {
		if os.SameFile(f.info, info) {
			return f.fd, true
		}
	}
	if fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|openfile.NonBlocking, 0); err != nil {
		return 0, false
	}
	sharedFiles.list = append(sharedFiles.list, sharedFile{fd, info})
	return fd, true
}
