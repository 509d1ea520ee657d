package spool

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
