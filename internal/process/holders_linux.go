package process

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// OpenFiles finds out which files the processes of this machine have open. A process of another user may not be
// examined, and a file that only its owner may write does not interest it.
func OpenFiles() *Open {
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return &Open{}
	}
	o := &Open{files: map[fileID]bool{}, known: true}
	for _, p := range processes {
		if _, err := strconv.Atoi(p.Name()); err == nil {
			o.add(filepath.Join("/proc", p.Name()))
		}
	}
	return o
}

// add adds the open files of a process.
func (o *Open) add(folder string) {
	list, err := os.ReadDir(filepath.Join(folder, "fd"))
	if err != nil {
		if info, statErr := os.Stat(folder); statErr == nil && isOwn(info) {
			o.known = false
		}
		return
	}
	for _, entry := range list {
		if info, err := os.Stat(filepath.Join(folder, "fd", entry.Name())); err == nil && info.Mode().IsRegular() {
			o.files[identify(info)] = true
		}
	}
}

// identify returns what makes a file the same one under every name.
func identify(info fs.FileInfo) fileID {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}
	}
	return fileID{uint64(stat.Dev), stat.Ino}
}
