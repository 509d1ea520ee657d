package openfile

import (
	"os"
	"path/filepath"
	"strings"
)

// WithoutLinks returns a path that is valid in every folder, without links if it exists.
func WithoutLinks(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// IsBelow reports whether a path is a folder, or in it.
func IsBelow(path, folder string) bool {
	below, err := filepath.Rel(folder, path)
	return err == nil && below != ".." && !strings.HasPrefix(below, ".."+string(filepath.Separator))
}

// IsThere reports whether there is something at a path.
func IsThere(path string) bool {
	_, err := os.Stat(path)
	return path != "" && err == nil
}
