package jsontext

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func checkValid(t *testing.T, text []byte) {
	t.Helper()
	want := utf8.Valid(text)
	if ValidUTF8(text) != want {
		t.Fatalf("%q: got %v, want %v", text, ValidUTF8(text), want)
	}
}

// Every sequence of up to four bytes that matters, at every place around the border of two blocks.
func TestValidUTF8(t *testing.T) {
	edges := []byte{0, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed,
		0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff}
	text := []byte(strings.Repeat("a", 72))
	for _, a := range edges {
		for _, b := range edges {
			for _, c := range edges {
				for _, d := range edges {
					for _, at := range []int{0, 29, 30, 31, 61, 68} {
						copy(text[at:], []byte{a, b, c, d})
						checkValid(t, text)
						copy(text[at:], "aaaa")
					}
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 3))
	for range 20_000 {
		text := []byte(strings.Repeat("aé漢😀", 1+r.IntN(20)))
		for range r.IntN(3) {
			text[r.IntN(len(text))] = byte(r.IntN(256))
		}
		checkValid(t, text[r.IntN(len(text)):])
	}
}

func FuzzValidUTF8(f *testing.F) {
	f.Add([]byte(strings.Repeat("aé漢😀", 10)))
	f.Fuzz(checkValid)
}
