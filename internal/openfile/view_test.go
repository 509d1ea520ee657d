package openfile

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"clawctl/internal/testkit"
)

// newFile returns an open file with a content that tells places apart.
func newFile(t *testing.T, size int) (*os.File, []byte) {
	t.Helper()
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(i * 7 >> 3)
	}
	path := filepath.Join(t.TempDir(), "a.jsonl")
	testkit.Write(t, path, content)
	file, err := Named(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file, content
}

// mapped is Map for a system that has it.
func mapped(t *testing.T, file *os.File, offset int64, length int) *View {
	t.Helper()
	v, err := Map(file, offset, length)
	if errors.Is(err, errors.ErrUnsupported) && runtime.GOOS == "windows" {
		t.Skip("Windows does not let others shorten a mapped file, so nothing is mapped there")
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A view has the bytes of the file from any offset, and ends with the file.
func TestMap(t *testing.T) {
	file, content := newFile(t, 3*os.Getpagesize()+100)
	for _, offset := range []int{0, 1, os.Getpagesize() - 1, os.Getpagesize(), len(content) - 1} {
		for _, length := range []int{1, 100, os.Getpagesize(), 2 * len(content)} {
			v := mapped(t, file, int64(offset), length)
			want := content[offset:min(len(content), offset+length)]
			if isComplete := v.Look(func() {
				if !bytes.Equal(v.Bytes, want) {
					t.Errorf("%d bytes at %d: got others", length, offset)
				}
			}); !isComplete {
				t.Errorf("%d bytes at %d: stopped", length, offset)
			}
			if err := v.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := Map(file, int64(len(content)), 1); err != io.EOF {
		t.Errorf("after the end: got %v", err)
	}
}

// Somebody who shortens a file stops those who look at it, and does not end the program.
func TestLookAtLostPage(t *testing.T) {
	file, content := newFile(t, 4*os.Getpagesize())
	v := mapped(t, file, 0, len(content))
	defer v.Close()
	if err := os.Truncate(file.Name(), int64(os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	if v.Look(func() { bytes.Count(v.Bytes, []byte{'\n'}) }) {
		t.Error("a lost page was read")
	}
	if !v.Look(func() { bytes.Count(v.Bytes[:100], []byte{'\n'}) }) {
		t.Error("the page that is left was not read")
	}
}

// A mistake in looking is no lost page.
func TestLookPassesPanicsOn(t *testing.T) {
	file, content := newFile(t, 100)
	v := mapped(t, file, 0, len(content))
	defer v.Close()
	defer func() {
		if recover() == nil {
			t.Error("the panic got lost")
		}
	}()
	v.Look(func() { _ = v.Bytes[len(v.Bytes)] })
}
