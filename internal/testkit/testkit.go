// Package testkit has what tests of many packages do with files. What fails ends the test.
package testkit

import (
	"os"
	"path/filepath"
	"testing"
)

// Write writes a file, and makes the folders above it.
func Write[T string | []byte](t testing.TB, path string, text T) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Read returns what a file says.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
