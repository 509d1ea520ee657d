package source

import "clawctl/pkg/source/openclaw"

// readLock adds a lock. A lock that cannot be read is ignored.
func (w *walker) readLock(path string) {
	file, err := w.openAny(path)
	if err != nil {
		return
	}
	defer file.Close()
	if lock, ok := openclaw.ReadLock(file); ok {
		lock.Path = w.displayPath(path)
		w.place.Locks = append(w.place.Locks, lock)
	}
}
