package process

import "io/fs"

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
