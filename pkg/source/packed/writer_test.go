package packed

import (
	"bytes"
	"io"
	"testing"
)

func TestWriter(t *testing.T) {
	for _, magic := range [][]byte{[]byte("\x1f\x8b"), []byte("\x28\xb5\x2f\xfd")} {
		var packed bytes.Buffer
		w, err := NewWriter(&packed, magic)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte("some text")); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !IsPacked(packed.Bytes()) || !bytes.HasPrefix(packed.Bytes(), magic) {
			t.Errorf("%x is not compressed in the same way", packed.Bytes())
		}
		in, err := NewReader(&packed, bytes.Clone(packed.Bytes()[:MagicSize]))
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if text, err := io.ReadAll(in); err != nil || string(text) != "some text" {
			t.Errorf("%q, %v", text, err)
		}
	}
	if IsPacked([]byte("{}")) || IsPacked(nil) {
		t.Error("a plain text counts as compressed")
	}
}
