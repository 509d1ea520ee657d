package jsontext

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/tidwall/gjson"
)

// Quote writes what encoding/json writes. Conversions keep the escapes they have always written.
func TestQuote(t *testing.T) {
	texts := []string{"", "plain", `a "quote" and a \`, "<b>&amp;</b>", "\u2028\u2029\u2027", "\xff\xfe half \xe2\x80",
		"\ufffd", "👩\x7f"}
	for c := range 256 {
		texts = append(texts, string([]byte{byte(c)}), "x"+string(rune(c))+"y")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		text := make([]byte, random.IntN(12))
		for i := range text {
			text[i] = byte(random.UintN(256))
		}
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		if got, want := Quote(text), quoteByLibrary(text); got != want {
			t.Errorf("Quote(%q) = %s, want %s", text, got, want)
		}
		if got, want := QuoteEscaped(text), string(gjson.AppendJSONString(nil, text)); got != want {
			t.Errorf("QuoteEscaped(%q) = %s, want %s", text, got, want)
		}
	}
}

func quoteByLibrary(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string always encodes
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func BenchmarkQuote(b *testing.B) {
	text := string(bytes.Repeat([]byte("A line of text, \"quoted\".\n"), 100))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Quote(text)
	}
}
