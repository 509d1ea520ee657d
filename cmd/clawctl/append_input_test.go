package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
)

func TestReadInput(t *testing.T) {
	for _, size := range []int{0, 1, 1<<20 - 1, 1 << 20, 1<<20 + 1, 5 << 20} {
		want := bytes.Repeat([]byte("abc"), size/3+1)[:size]
		got, err := readInput(iotest.HalfReader(bytes.NewReader(want)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: got %d, %v", size, len(got), err)
		}
	}
	if _, err := readInput(iotest.ErrReader(io.ErrClosedPipe)); err == nil {
		t.Error("the error of stdin is missing")
	}
}

// A file that is too long is refused before it is read.
func TestReadInputTooLong(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "long"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(maxInput + 1); err != nil {
		t.Fatal(err)
	}
	if _, err := readInput(file); err == nil {
		t.Error("no error")
	}
	if at, err := file.Seek(0, io.SeekCurrent); at != 0 || err != nil {
		t.Errorf("%d bytes were read, %v", at, err)
	}
}
