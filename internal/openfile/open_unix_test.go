//go:build !windows

package openfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A pipe, a device and a folder are neither read nor waited for, unless the user has named them.
func TestLookFirst(t *testing.T) {
	folder := t.TempDir()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := errors.Join(syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600), os.Mkdir(filepath.Join(folder, "folder"),
		0o700),
		os.Symlink("pipe", filepath.Join(folder, "link"))); err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go func() {
		for _, name := range []string{"pipe", "folder", "link"} {
			if _, err := Below(root, name); !errors.Is(err, ErrNotRegular) {
				t.Errorf("below, %s: %v", name, err)
			}
			if _, err := Content(filepath.Join(folder, name), 100); !errors.Is(err, ErrNotRegular) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := Content("/dev/zero", 100); !errors.Is(err, ErrNotRegular) {
			t.Errorf("a device: %v", err)
		}
		if _, err := NamedContent("/dev/zero", 100); !errors.Is(err, ErrTooLarge) {
			t.Errorf("a device that was named: %v", err)
		}
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it waits for a pipe")
	}
	go func() { // who names a pipe waits for it
		if file, err := os.OpenFile(filepath.Join(folder, "pipe"), os.O_WRONLY, 0); err == nil {
			_, _ = file.WriteString("text")
			file.Close()
		}
	}()
	if text, err := NamedContent(filepath.Join(folder, "pipe"), 100); err != nil || string(text) != "text" {
		t.Errorf("a pipe that was named: %q, %v", text, err)
	}
}
