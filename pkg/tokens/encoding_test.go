package tokens

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"

	"clawctl/internal/longtest"
)

// rivals are the same encodings in tiktoken-go, the oracle. It takes quadratic time for long runs of one character.
var rivals = sync.OnceValue(func() map[*Encoding]*tiktoken.Tiktoken {
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	list := map[*Encoding]*tiktoken.Tiktoken{}
	for _, e := range []*Encoding{CL100K, O200K} {
		rival, err := tiktoken.GetEncoding(e.Name())
		if err != nil {
			panic(err)
		}
		list[e] = rival
	}
	return list
})

// compare counts a text with clawctl and with tiktoken-go.
func compare(t testing.TB, text string) {
	t.Helper()
	for e, rival := range rivals() {
		if got, want := e.Count(text), len(rival.EncodeOrdinary(text)); got != want {
			t.Errorf("%s: %d tokens, tiktoken-go counts %d, for %q", e.Name(), got, want, text)
		}
	}
}

// The tables match the vocabularies that OpenAI published.
func TestTables(t *testing.T) {
	for name, test := range map[string]struct {
		table []byte
		want  string
	}{
		"cl100k_base": {cl100kTable, "3c10315c5238c6fe15f58a57d4ba18fecd9b57a253a00196fe8bf9d237104b0d"},
		"o200k_base":  {o200kTable, "a196e55b80c6dc2adce05ed38f4dd1a73e8b97392a7bef5a7298e222eb5e70dc"},
	} {
		sum := sha256.Sum256(test.table)
		if got := hex.EncodeToString(sum[:]); got != test.want {
			t.Errorf("%s: SHA-256 is %s, want %s: run go generate ./pkg/tokens", name, got, test.want)
		}
	}
}

// Texts that tokenizers get wrong.
var odd = []string{
	"", " ", "  ", "\n", "\r", "\r\n", " \n ", "a\n\n  b", "  x", "   ", "x   ", "\t\t x", "a \u00a0 b", "\u0085",
	"a\u0085b", " \u0085 x", "\x7f", "a\x7fb",
	"it's", "IT'S", "it'ſ", "'ſ", "we'Re'VE", "'ll'LL'lL'", "''s", "'", "don't'd", "l'été", "x're\n", "'s's's",
	"1234567", "12 345", "٣٤٥٦", "ⅷ½²", "v1.2.3", "CamelCase", "HTTPServer", "iPhone", "ÀÉî", "ǅungla", "ʰʱ", "日本語のテキスト",
	"中文字符", "한국어", "ไทย", "नमस्ते", "العربية", "עברית",
	"e\u0301te\u0301", "\u0301a", "A\u0301\u0301B", "\u0301A", "a\u0301'S", "👩\u200d👩\u200d👧", "🇺🇳", "🧪x",
	"\u202eabc\u202c", "\u200b\ufeffx", "line\u2028sep\u2029par",
	"\xff", "a\xffb", "\xe2\x82", "\xf0\x9f\x98x", "\xed\xa0\x80", "\x00", "\x01\x02",
	"func main() {\n\treturn x[i] != nil // ok\n}\n\n\n", "{\"a\": [1, 2.5e-7, " +
		"\"\\u00e9\"]}", "https://example.com/a/b?c=d#e", "a//b///\n/c", "foo/\r\nbar", "--- ***///\n\n", "<|endoftext|>",
	"<|fim_prefix|> x",
	"aGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQgdGV4dA==", "0xDEADBEEF", "a_b__c___d", "....", "!?!?\r\n\r\n", " .", "  .",
	" \t.", "\u3000x", "\u3000\u3000x", "\u3000\n",
}

func TestOddTexts(t *testing.T) {
	for _, text := range odd {
		compare(t, text)
		compare(t, "x"+text+"y")
		compare(t, text+" "+text)
	}
	for _, unit := range []string{"a", " ", "_", "\n", "日", "1", "=", "\t", "é", "A", "🧪", "ab", " a"} {
		for _, n := range []int{2, 3, 50, 95, 96, 97, 98, 200, 500} {
			compare(t, strings.Repeat(unit, n))
		}
	}
}

// alphabet has the parts of random texts: pieces that merge in surprising ways.
var alphabet = append([]string{
	"the", "The", "THE", " ", " ", " ", "\n", "\r\n", "'", "s", "S", "t", "re", "ll", "1", "12", "0", "a", "B", "é", "É",
	"日", "本", "ß", "ǅ", "ʰ", "\u0301", "\u200d", "👩", "🇺",
	"_", "-", "/", "//", ".", ",", "(", ")", "{", "}", "\"", "\\", "=", "==", "\t", "\u00a0", "\u0085", "\u2028", "\x7f",
	"\x00", "\xff", "\xe2", "ſ", "'ſ", "K", "İ", "ı", "<|endoftext|>", "token", "izer", "function",
}, odd...)

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(12) {
		if r.IntN(12) == 0 {
			b.WriteRune(rune(r.IntN(0x11000)))
			continue
		}
		b.WriteString(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

// Random texts have the same number of tokens in tiktoken-go. CLAWCTL_TEXTS sets how many are tried: a million takes
// some minutes.
func TestRandomTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range longtest.Rounds(t, "CLAWCTL_TEXTS", 6000, 200_000) {
		compare(t, randomText(r))
		if t.Failed() {
			return
		}
	}
}

// FuzzCount compares any text with tiktoken-go. Runs of one character are kept short for the oracle.
func FuzzCount(f *testing.F) {
	for _, text := range odd {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) <= 2048 {
			compare(t, text)
		}
	})
}

// A piece that is merged in blocks has the same number of tokens as one that is merged as a whole.
func TestBlocksAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	units := []string{"a", " ", "=", "日", "ab", "\n", "aaaaaaaaab", "🧪"}
	for i := range 60 {
		var b strings.Builder
		for b.Len() < 3*block+r.IntN(block) {
			switch i % 3 {
			case 0:
				b.WriteByte('a' + byte(r.IntN(2+i%25)))
			case 1:
				b.WriteString(strings.Repeat(units[r.IntN(len(units))], 1+r.IntN(40*i)))
			default:
				b.WriteString(randomText(r))
			}
		}
		for _, e := range []*Encoding{CL100K, O200K} {
			m := &merger{table: e.table()}
			if blocks, whole := m.count([]byte(b.String())), m.merge([]byte(b.String())); blocks != whole {
				t.Fatalf("%s: %d tokens in blocks, %d as a whole, for %q", e.Name(), blocks, whole, b.String())
			}
		}
	}
}

// Long runs take linear time: in quadratic time this test would take minutes. A run is counted as repetitions of its
// longest token.
func TestLongRuns(t *testing.T) {
	for unit, longest := range map[string]int{"a": 8, " ": 81, "_": 64, "\n": 32} {
		const runs = 3000
		got := CL100K.Count(strings.Repeat(unit, runs*longest))
		if want := len(rivals()[CL100K].EncodeOrdinary(strings.Repeat(unit, 10*longest))) * runs / 10; got > want+want/10 ||
			got < want-want/10 {
			t.Errorf("%d tokens for a run of %q, want about %d", got, unit, want)
		}
	}
}

// Counting is safe for concurrent use.
func TestConcurrentCounts(t *testing.T) {
	text := strings.Join(odd, " ")
	want := CL100K.Count(text)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				if got := CL100K.Count(text); got != want {
					t.Errorf("%d tokens, want %d", got, want)
				}
			}
		})
	}
	group.Wait()
}

func BenchmarkCount(b *testing.B) {
	text := strings.Repeat(strings.Join(odd[20:],
		" ")+"The quick brown fox jumps over the lazy dog, and reads main.go again.\n", 50)
	if path := os.Getenv("CLAWCTL_BENCH"); path != "" {
		data, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		text = string(data)
	}
	for _, e := range []*Encoding{CL100K, O200K} {
		b.Run(e.Name(), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				e.Count(text)
			}
		})
		b.Run("tiktoken-go "+e.Name(), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				rivals()[e].EncodeOrdinary(text)
			}
		})
	}
}

// A stream has as many tokens as its text, wherever the reads split it.
func TestCountStream(t *testing.T) {
	var b strings.Builder
	r := rand.New(rand.NewPCG(5, 6))
	for b.Len() < 3*chunk {
		b.WriteString(randomText(r))
		if r.IntN(3) == 0 {
			b.WriteByte('\n')
		}
	}
	text := strings.ToValidUTF8(b.String(), "x")
	for name, c := range map[string]Counter{"cl100k_base": CL100K, "o200k_base": O200K, "heuristic": Heuristic{}} {
		got, size, err := CountStream(strings.NewReader(text), c)
		if want := int64(c.Count(text)); got != want || err != nil || size != int64(len(text)) {
			t.Errorf("%s: %d tokens for a stream, %d for its text, %d bytes, %v", name, got, want, size, err)
		}
	}
}

// A longTexts is a counter that notes the longest text, and counts bytes.
type longTexts struct{ longest int }

func (l *longTexts) Count(text string) int {
	if !utf8.ValidString(text) {
		return -1 << 30
	}
	l.longest = max(l.longest, len(text))
	return len(text)
}

// A stream without line ends is cut, and not inside a character.
func TestCountStreamWithoutLines(t *testing.T) {
	defer func(most int) { maxHeld = most }(maxHeld)
	maxHeld = 2 * chunk
	text := strings.Repeat("aäö", 3*chunk)
	var c longTexts
	got, _, err := CountStream(strings.NewReader(text), &c)
	if got != int64(len(text)) || err != nil || c.longest > maxHeld {
		t.Errorf("%d of %d bytes, %v, %d at once", got, len(text), err, c.longest)
	}
}
