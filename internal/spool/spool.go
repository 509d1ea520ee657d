// Package spool keeps input that can be read only once in private temporary files that cannot stay behind. A file has
// no name while it is used, or is deleted by the system with its last handle, so neither Ctrl-C nor a kill leaves a
// copy of somebody's conversations. A spool also stops before it fills the disk.
package spool

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"clawctl/internal/process"
)

// The names of the files. Older versions of clawctl left files with such names behind, and a kill in the instant
// between creating a file and removing its name leaves an empty one.
const prefix, suffix = "clawctl-in-", ".jsonl"

// A File is a private temporary file. It is written from the beginning to the end, and can be read at the same time
// in sections.
type File struct {
	file *os.File
	room room
	size int64
}

// Create creates a file in a folder, and removes what killed processes have left there.
func Create(folder string) (*File, error) { return createWith(folder, freeSpace) }

func createWith(folder string, free freeSpaceFunc) (*File, error) {
	process.RemoveStale(folder, prefix, suffix)
	file, err := createUnnamed(filepath.Join(folder, process.TempName(prefix, suffix)))
	if err != nil {
		return nil, &process.TempFolderError{Folder: folder, Err: err}
	}
	return &File{file: file, room: newRoom(folder, free)}, nil
}

// Write appends to the file. It refuses to fill the disk with a FullError.
func (f *File) Write(p []byte) (int, error) {
	if err := f.room.take(int64(len(p))); err != nil {
		return 0, err
	}
	n, err := f.file.Write(p)
	f.size += int64(n)
	return n, err
}

// Copy appends everything that src has, unless ctx is done before.
func (f *File) Copy(ctx context.Context, src io.Reader) error {
	_, err := io.Copy(f, &stoppableReader{src, ctx})
	return err
}

// A stoppableReader ends with the error of its context.
type stoppableReader struct {
	from io.Reader
	ctx  context.Context
}

func (r *stoppableReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}

// Size returns how many bytes were written.
func (f *File) Size() int64 { return f.size }

// All returns everything that was written so far as a section.
func (f *File) All() *Section { return f.Section(0, f.size) }

// Section returns a part of the file. Several sections can be read at the same time.
func (f *File) Section(offset, size int64) *Section {
	return &Section{io.NewSectionReader(f.file, offset, size), f.file}
}

// Close deletes the file. Its sections can no longer be read.
func (f *File) Close() error { return f.file.Close() }

// A Section is a part of a File that is read like a file of its own.
type Section struct {
	*io.SectionReader
	file *os.File
}

// Open returns the section from its beginning.
func (s *Section) Open() *Section {
	return &Section{io.NewSectionReader(s.SectionReader, 0, s.Size()), s.file}
}

// Close does nothing: the File is closed by whoever created it.
func (s *Section) Close() error { return nil }

// Stat describes the File, with the size of the section.
func (s *Section) Stat() (fs.FileInfo, error) {
	info, err := s.file.Stat()
	if err != nil {
		return nil, err
	}
	return sectionInfo{info, s.Size()}, nil
}

type sectionInfo struct {
	fs.FileInfo
	size int64
}

func (i sectionInfo) Size() int64 { return i.size }

// A FullError says that writing more would fill the disk of a folder.
type FullError struct {
	Folder        string
	Free, Reserve int64 // bytes that are free, and that stay free
}

func (e *FullError) Error() string {
	return fmt.Sprintf("%s has too little space: %d bytes are free, and %d stay free", e.Folder, e.Free, e.Reserve)
}

// maxReserve is what stays free on a large disk. Other programs need space to keep running, and so do the databases
// that clawctl writes.
const maxReserve = 1e9

// A freeSpaceFunc returns how many bytes this user can write to the disk of a folder, or false if nobody knows.
type freeSpaceFunc func(folder string) (bytes int64, known bool)

// A room is the part of a disk that may be written.
type room struct {
	folder  string
	free    freeSpaceFunc
	reserve int64 // what stays free
}

// newRoom leaves free what maxReserve says, or a tenth of what is free now if that is less.
func newRoom(folder string, free freeSpaceFunc) room {
	now, _ := free(folder)
	return room{folder, free, min(maxReserve, now/10)}
}

// take returns an error if n more bytes do not fit. It asks each time, because others write to the disk too.
func (r room) take(n int64) error {
	if free, known := r.free(r.folder); known && free-n < r.reserve {
		return &FullError{r.folder, free, r.reserve}
	}
	return nil
}
