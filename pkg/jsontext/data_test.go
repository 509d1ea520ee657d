package jsontext

import (
	"strings"
	"testing"
)

// A run ends at the first byte that base64 does not have, wherever that is in a block.
func TestDataRun(t *testing.T) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	data := strings.Repeat(alphabet, 3)
	for c := range 256 {
		isData := strings.IndexByte(alphabet, byte(c)) >= 0
		if IsData(byte(c)) != isData {
			t.Errorf("%#x: got %t", c, !isData)
		}
		for n := range len(data) {
			text := append([]byte(data[:n]), byte(c), 'A')
			want := n
			if isData {
				want = len(text)
			}
			if got := DataRun(text); got != want {
				t.Fatalf("%#x after %d: got %d", c, n, got)
			}
		}
	}
}
