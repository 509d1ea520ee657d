package textid

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

// Every single bit of a text, and its length, decide the id.
func TestOfTellsTextsApart(t *testing.T) {
	for _, size := range []int{0, 1, 15, 16, 17, 127, 128, 129, 1000} {
		text := bytes.Repeat([]byte{'x'}, size)
		seen := map[ID]bool{Of(text): true}
		texts := [][]byte{append(bytes.Clone(text), 0), append(bytes.Clone(text), 'x')}
		for bit := range size * 8 {
			other := bytes.Clone(text)
			other[bit/8] ^= 1 << (bit % 8)
			texts = append(texts, other)
		}
		for _, other := range texts {
			seen[Of(other)] = true
		}
		if len(seen) != len(texts)+1 || seen[ID{}] {
			t.Errorf("%d different texts of about %d bytes have %d ids", len(texts)+1, size, len(seen))
		}
		if Of(text) != Of(bytes.Clone(text)) {
			t.Errorf("equal texts of %d bytes have different ids", size)
		}
	}
}

func TestPartsAreKeptApart(t *testing.T) {
	join := func(parts ...string) (text []byte) {
		for _, p := range parts {
			text = AppendPart(text, p)
		}
		return text
	}
	lists := [][]string{{}, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"", "ab"}, {"ab", ""}, {"\x01b"}, {"a\x01b"}}
	for i, a := range lists {
		for _, b := range lists[:i] {
			if bytes.Equal(join(a...), join(b...)) {
				t.Errorf("%q and %q make the same text", a, b)
			}
		}
	}
}

// A process that may use approved functions only has ids too.
func TestWithApprovedFunctionsOnly(t *testing.T) {
	if os.Getenv("GODEBUG") == "fips140=only" {
		if processMAC() != nil {
			t.Skip("GMAC is allowed")
		}
		if Of([]byte("a")) != strongID([]byte("a")) {
			t.Error("the id is not the strong one")
		}
		return
	}
	again := exec.Command(os.Args[0], "-test.run", "TestOfTellsTextsApart|TestWithApprovedFunctionsOnly")
	again.Env = append(os.Environ(), "GODEBUG=fips140=only")
	switch out, err := again.CombinedOutput(); {
	case bytes.Contains(out, []byte("incompatible with the purego build tag")):
		t.Skip("the standard library has no approved functions with this build tag")
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	}
}

func BenchmarkOf(b *testing.B) {
	text := make([]byte, 3000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Of(text)
	}
}
