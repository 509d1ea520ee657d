//go:build !windows

package spool

import "os"

// createUnnamed creates a file for this user alone and removes its name at once. The system frees the space when the
// process ends, however that happens.
func createUnnamed(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
