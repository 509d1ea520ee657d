package media

import (
	"bytes"
	"strings"
	"testing"
)

// A byte outside the alphabet is found at every place of a text of every length.
func TestIsBase64(t *testing.T) {
	for _, length := range []int{4, 32, 36, 64, 100} {
		text := []byte(strings.Repeat(base64Alphabet, 3)[:length])
		if !IsBase64(text) {
			t.Fatalf("%d characters of the alphabet are not base64", length)
		}
		for at := range text {
			for c := range 256 {
				changed := bytes.Clone(text)
				changed[at] = byte(c)
				isPadding := c == '=' && at == length-1
				if got, want := IsBase64(changed), isPadding || strings.IndexByte(base64Alphabet, byte(c)) >= 0; got != want {
					t.Fatalf("byte %#x at %d of %d: got %v", c, at, length, got)
				}
			}
		}
	}
}
