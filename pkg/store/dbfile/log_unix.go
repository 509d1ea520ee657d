//go:build unix

package dbfile

import (
	"bytes"
	"io/fs"
	"os"
	"slices"
	"sync"
	"syscall"

	"clawctl/internal/openfile"
)

// Positions in the files beside a database: the random numbers that distinguish one log from the next, in the -wal and
// in the -shm file, and the byte of the -shm file that every process locks while it has the database open.
const (
	walSalts, shmSalts, saltBytes = 16, 32, 8
	openLock                      = 128
	headSize                      = 96 // of the -shm file: what the log has, twice
)

// logHead returns what the shared memory of a log says the log has. It changes with every commit.
func logHead(path string) (head string, ok bool) {
	fd, ok := sharedMemory(path + "-shm")
	if !ok {
		return "", false
	}
	bytes := make([]byte, headSize)
	n, err := syscall.Pread(fd, bytes, 0)
	return string(bytes[:max(n, 0)]), err == nil && n == headSize
}

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

// closeRemoved closes a file that was removed, which SQLite does only when nobody has it open, and reports whether it
// was.
func (f sharedFile) closeRemoved() bool {
	var stat syscall.Stat_t
	return syscall.Fstat(f.fd, &stat) == nil && stat.Nlink == 0 && syscall.Close(f.fd) == nil
}

// sharedMemory returns a descriptor of a -shm file.
func sharedMemory(path string) (fd int, ok bool) {
	sharedFiles.Lock()
	defer sharedFiles.Unlock()
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	for _, f := range sharedFiles.list {
		if os.SameFile(f.info, info) {
			return f.fd, true
		}
	}
	sharedFiles.list = slices.DeleteFunc(sharedFiles.list, sharedFile.closeRemoved)
	if fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|openfile.NonBlocking, 0); err != nil {
		return 0, false
	}
	sharedFiles.list = append(sharedFiles.list, sharedFile{fd, info})
	return fd, true
}
