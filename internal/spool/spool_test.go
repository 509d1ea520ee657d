package spool

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
)

// What was written can be read as a whole and in sections, by several readers, and no file can be seen on Unix.
func TestFile(t *testing.T) {
	folder := t.TempDir()
	file, err := Create(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Copy(t.Context(), strings.NewReader("one two")); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(folder); runtime.GOOS != "windows" && (err != nil || len(entries) > 0) {
		t.Errorf("the folder has %v, %v", entries, err)
	}
	second := file.Section(4, 3)
	for range 2 {
		for section, want := range map[*Section]string{file.All(): "one two", second.Open(): "two"} {
			info, err := section.Stat()
			if err != nil || info.Size() != int64(len(want)) || !info.Mode().IsRegular() {
				t.Errorf("%+v, %v", info, err)
			}
			if text, err := io.ReadAll(section); err != nil || string(text) != want {
				t.Errorf("%q, want %q: %v", text, want, err)
			}
			section.Close()
		}
	}
}

// Nothing is left of a closed file, whatever the system.
func TestClose(t *testing.T) {
	folder := t.TempDir()
	file, err := Create(folder)
	if err != nil {
		t.Fatal(err)
	}
	section := file.All()
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
	if _, err := section.Stat(); err == nil {
		t.Error("a section of a closed file can be read")
	}
}

// A File stops when as much is free as has to stay free, and everything before that was written.
func TestFull(t *testing.T) {
	const gigabyte = int64(1e9)
	for _, c := range []struct{ free, reserve int64 }{
		{gigabyte, gigabyte / 10}, {9 * gigabyte, gigabyte * 9 / 10}, {10 * gigabyte, gigabyte}, {90 * gigabyte, gigabyte},
		{1000, 100}, {0, 0},
	} {
		disk := c.free
		file, err := createWith(t.TempDir(), func(string) (int64, bool) { return disk, true })
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		disk = c.reserve + 1
		_, fits := file.Write([]byte("x"))
		disk = c.reserve
		_, err = file.Write([]byte("y"))
		var full *FullError
		if fits != nil || !errors.As(err, &full) || full.Reserve != c.reserve || full.Free != disk || file.Size() != 1 {
			t.Errorf("%d bytes free: %v, then %v", c.free, fits, err)
		}
	}
}

// A disk whose free space nobody knows has no limit.
func TestUnknownSpace(t *testing.T) {
	file, err := createWith(t.TempDir(), func(string) (int64, bool) { return 0, false })
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Copy(t.Context(), strings.NewReader("text")); err != nil || file.Size() != 4 {
		t.Errorf("%d bytes, %v", file.Size(), err)
	}
}

// The disk of a folder says how much is free.
func TestFreeSpace(t *testing.T) {
	if free, known := freeSpace(t.TempDir()); !known || free <= 0 {
		t.Errorf("%d bytes, known: %v", free, known)
	}
}

// Copying ends with its context, even if the input does not end.
func TestCopyStops(t *testing.T) {
	file, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ctx, cancel := context.WithCancel(t.Context())
	endless := readerFunc(func(p []byte) (int, error) {
		cancel()
		return len(p), nil
	})
	if err := file.Copy(ctx, endless); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
