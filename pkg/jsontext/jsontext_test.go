package jsontext

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"unicode/utf8"
)

// decode decodes the inside of a JSON string as encoding/json does, with U+FFFD for halves of surrogate pairs.
func decode(inside []byte) string {
	var text string
	_ = json.Unmarshal([]byte(`"`+string(inside)+`"`), &text)
	return text
}

func TestDecodeSurrogates(t *testing.T) {
	for inside, want := range map[string]string{
		`plain`:              "plain",
		`a\ud800`:            "a\xed\xa0\x80",
		`a\ud801b`:           "a\xed\xa0\x81b",
		`\udfff`:             "\xed\xbf\xbf",
		`\ud83d\ude00`:       "\U0001f600",
		`\ud83d\ud83d\ude00`: "\xed\xa0\xbd\U0001f600",
		`\\ud800`:            `\ud800`,
		`\\\ud800`:           "\\\xed\xa0\x80",
		`\ufffd`:             "\ufffd",
		`\uD800\n`:           "\xed\xa0\x80\n",
	} {
		if got := string(Decode(nil, []byte(inside))); got != want {
			t.Errorf("Decode(%s) = %q, want %q", inside, got, want)
		}
	}
}

// FuzzDecodeSurrogates checks that a name is readable as the text that encoding/json decodes, and that it differs from
// the name of every string with another lone surrogate.
func FuzzDecodeSurrogates(f *testing.F) {
	for _, inside := range []string{`a\ud800`, `\ud83d\ude00`, `\\ud800`, `é\udfff\ud800`, "\u0fff\ud7ff"} {
		f.Add(inside)
	}
	f.Fuzz(func(t *testing.T, inside string) {
		if !json.Valid([]byte(`"`+inside+`"`)) || !utf8.ValidString(inside) {
			t.Skip()
		}
		name := Decode(nil, []byte(inside))
		if got, want := Readable(name), decode([]byte(inside)); got != want {
			t.Fatalf("the name of %q reads %q, want %q", inside, got, want)
		}
		if HasLoneSurrogate([]byte(inside)) == utf8.Valid(name) {
			t.Fatalf("the name of %q is %q", inside, name)
		}
		one, other := Decode(nil, []byte(inside+`\ud800`)), Decode(nil, []byte(inside+`\ud801`))
		if string(one) == string(other) {
			t.Fatalf("two strings have the name %q", one)
		}
	})
}

// Numbers with a decimal point are read exactly as strconv reads them.
func TestFloatIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 200_000 {
		whole, places := r.Int64N(int64(powersOfTen[r.IntN(16)])), r.IntN(18)
		text := fmt.Sprintf("%d.%0*d", whole, max(places, 1), r.Int64N(int64(powersOfTen[min(places, 15)])))
		want, err := strconv.ParseFloat(text, 64)
		if got := Value(text).Float(); err != nil || got != want {
			t.Fatalf("%s: got %v, want %v, %v", text, got, want, err)
		}
	}
}

// White space at the end of a string is seen as it is and as an escape, whatever stands before it.
func TestEndsWithSpace(t *testing.T) {
	for _, before := range []string{``, `a`, `\\`, `\"`, `\n`, `\u00e9`, `\\\"`, `é`} {
		for _, between := range []string{``, `1`, `12`, `123`, `1234`, `12345`} {
			for end, want := range map[string]bool{
				` `: true, `\n`: true, `\u0020`: true, `\u00a0`: true, `x`: false, `\"`: false,
			} {
				if text := before + between + end; EndsWithSpace([]byte(text)) != want {
					t.Errorf("%s: want %v", text, want)
				}
			}
		}
	}
}
