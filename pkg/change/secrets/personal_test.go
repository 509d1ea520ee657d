package secrets

import "testing"

// A literal may have bytes that are not UTF-8, as secrets in damaged lines do.
func TestLiteralThatIsNotUTF8(t *testing.T) {
	const secret = "hunter\xff\xaa\x80two"
	for _, text := range []string{secret, "a " + secret + " b", "\xff" + secret + "\xff"} {
		found := NewDetector(Literal("value", secret)).Find([]byte(text))
		if len(found) != 1 || text[found[0].Start:found[0].End] != secret {
			t.Errorf("%q: found %v", text, found)
		}
	}
	if found := NewDetector(Literal("value", secret)).Find([]byte("hunterxyztwo")); len(found) > 0 {
		t.Error("another text was found")
	}
}
