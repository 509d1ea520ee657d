package jsontext

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func TestDecode(t *testing.T) {
	for _, c := range []struct{ inside, want string }{
		{`plain é`, "plain é"},
		{`\"\\\/\b\f\n\r\t`, "\"\\/\b\f\n\r\t"},
		{`\u00e9\u0000`, "é\x00"},
		{`\ud83d\ude00!`, "😀!"},
		{`\ud83d`, "\xed\xa0\xbd"},
		{`\ude00\ud83d`, "\xed\xb8\x80\xed\xa0\xbd"},
		{`\ud83d\ud83d\ude00`, "\xed\xa0\xbd😀"},
		{`\ud83dx\\u0041`, "\xed\xa0\xbdx\\u0041"},
	} {
		if got := string(Decode(nil, []byte(c.inside))); got != c.want {
			t.Errorf("%s: got %q, want %q", c.inside, got, c.want)
		}
	}
}

// An escape may be anywhere in a word of bytes, and after what was there before.
func TestDecodePlaces(t *testing.T) {
	const plain = "0123456789abcdefghijklmnopqrstuvwxyz"
	for _, escape := range []string{`\n`, `\\`, `\u00e9`, `\ud83d\ude00`, `\n\n`, `\n\u0041\t`} {
		for at := range len(plain) + 1 {
			inside := plain[:at] + escape + plain[at:]
			var want string
			if err := json.Unmarshal([]byte(`"`+inside+`"`), &want); err != nil {
				t.Fatal(err)
			}
			if got := string(Decode([]byte("before "), []byte(inside))); got != "before "+want {
				t.Errorf("%s: got %q, want %q", inside, got, want)
			}
		}
	}
}

// Decode gives what encoding/json gives, except for halves of pairs, which it keeps apart.
func FuzzDecode(f *testing.F) {
	f.Add(`\ud83d\ude00 \u00e9`, `\n`)
	f.Add(`\ud800`, `\udfff`)
	f.Fuzz(func(t *testing.T, a, b string) {
		var textA, textB string
		if json.Unmarshal([]byte(`"`+a+`"`), &textA) != nil || json.Unmarshal([]byte(`"`+b+`"`), &textB) != nil {
			return
		}
		gotA, gotB := string(Decode(nil, []byte(a))), string(Decode(nil, []byte(b)))
		if utf8.ValidString(a) && !HasLoneSurrogate([]byte(a)) && gotA != textA {
			t.Errorf("%q: got %q, want %q", a, gotA, textA)
		}
		if gotA == gotB && textA != textB {
			t.Errorf("%q and %q have the same text %q", a, b, gotA)
		}
	})
}
