// Package process knows which processes are running, and gives temporary files names that say whose they are. So the
// next run can remove what a killed one has left.
package process

import (
	"crypto/rand"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// TempName returns a new name for a temporary file: prefix, the number of this process, the place where that number is
// valid, a random text, and suffix.
func TempName(prefix, suffix string) string {
	return fmt.Sprintf("%s%d-%s-%s%s", prefix, os.Getpid(), place(), rand.Text(), suffix)
}

// A TempFolderError says that nothing can be created in the folder for temporary files.
type TempFolderError struct {
	Folder string
	Err    error
}

func (e *TempFolderError) Error() string { return "create a temporary file: " + e.Err.Error() }
func (e *TempFolderError) Unwrap() error { return e.Err }

// place identifies where a process number is valid: this machine and, on Linux, this container.
var place = sync.OnceValue(func() string {
	host, _ := os.Hostname()
	container, _ := os.Readlink("/proc/self/ns/pid")
	h := fnv.New32a()
	fmt.Fprintf(h, "%s %s", host, container)
	return fmt.Sprintf("%08x", h.Sum32())
})

// IsStale reports whether TempName has made a name for a process of this place that is no longer running.
func IsStale(name, prefix, suffix string) bool {
	middle, ok := strings.CutPrefix(name, prefix)
	if !ok || !strings.HasSuffix(middle, suffix) {
		return false
	}
	parts := strings.Split(strings.TrimSuffix(middle, suffix), "-")
	if len(parts) != 3 || parts[1] != place() || len(parts[2]) != len(rand.Text()) {
		return false
	}
	pid, err := strconv.Atoi(parts[0])
	return err == nil && pid > 0 && !IsAlive(pid)
}

// RemoveStale removes what killed processes of this user have left in a folder: files, or folders that contain nothing
// but files with the given names.
func RemoveStale(folder, prefix, suffix string, inside ...string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !IsStale(entry.Name(), prefix, suffix) {
			continue // by its name alone: the folder may have thousands of other files
		}
		info, err := entry.Info()
		if err != nil || !isOwn(info) {
			continue
		}
		path := filepath.Join(folder, entry.Name())
		if entry.IsDir() {
			for _, name := range inside {
				_ = os.Remove(filepath.Join(path, name))
			}
		}
		if entry.IsDir() || info.Mode().IsRegular() {
			_ = os.Remove(path) // a folder with anything else in it stays
		}
	}
}

// Open is what processes had open at one time. The zero value and nil know nothing.
type Open struct {
	files map[fileID]bool
	known bool
}

// A fileID makes a file the same one under every name.
type fileID struct{ device, inode uint64 }

// Has reports whether a process had a file open. known is false if that cannot be said.
func (o *Open) Has(info fs.FileInfo) (held, known bool) {
	if o == nil {
		return false, false
	}
	return o.files[identify(info)], o.known
}
