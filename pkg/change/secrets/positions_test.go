package secrets

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"clawctl/pkg/jsontext"
)

// A sighting is a keyword and where it begins.
type sighting struct {
	text string
	fold bool
	at   int
}

// sightings returns what an index finds, in order.
func sightings(x *index, text []byte) (list []sighting) {
	x.each(text, func(k *keyword, at int) bool {
		list = append(list, sighting{k.text, k.fold, at})
		return true
	})
	return sortSightings(list)
}

// plainSightings looks for every keyword at every place.
func plainSightings(x *index, text []byte) (list []sighting) {
	for at := range text {
		for i := range x.keywords {
			if k := &x.keywords[i]; k.isAt(text[at:]) {
				list = append(list, sighting{k.text, k.fold, at})
			}
		}
	}
	return sortSightings(list)
}

func sortSightings(list []sighting) []sighting {
	slices.SortFunc(list, func(a, b sighting) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.text, b.text)) })
	return list
}

// hostileText returns bytes that are hard for a filter: random ones, those of keywords in any order, and keywords that
// are cut off, glued together, in the wrong case, or across the places where blocks of the filter end.
func hostileText(dice *rand.Rand, keywords []keyword) []byte {
	var b strings.Builder
	for length := dice.IntN(200); b.Len() < length; {
		k := keywords[dice.IntN(len(keywords))].text
		switch dice.IntN(7) {
		case 0:
			b.WriteByte(byte(dice.Uint32()))
		case 1:
			b.WriteByte(k[dice.IntN(len(k))])
		case 2:
			b.WriteString(k[:dice.IntN(len(k)+1)])
		case 3:
			b.WriteString(k[dice.IntN(len(k)):])
		case 4:
			b.WriteString(strings.ToUpper(k))
		case 5:
			b.WriteString(k)
		case 6:
			b.WriteString(strings.Repeat(string(k[0]|0x80), dice.IntN(40)))
		}
	}
	return []byte(b.String())
}

// The index finds exactly what a search for every keyword at every place finds, wherever the text is in memory.
func TestIndexAgainstPlainSearch(t *testing.T) {
	x := standard().index
	dice := rand.New(rand.NewPCG(5, 19))
	total := 0
	for range 3000 {
		text := hostileText(dice, x.keywords)
		text = text[min(len(text), dice.IntN(33)):] // at any distance from a block
		got, want := sightings(x, text), plainSightings(x, text)
		if !slices.Equal(got, want) {
			t.Fatalf("%q: found %v, want %v", text, got, want)
		}
		total += len(want)
	}
	if total < 5000 {
		t.Errorf("only %d keywords in all texts", total)
	}
}

// Words that may be base64 are found wherever they are.
func TestEncodedTextsAreAllFound(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 14))
	pieces := []string{
		"c2VjcmV0IHBhc3N3b3Jk", "aGVsbG8gd29ybGQxMQ==", "configuration", " ", "\\n", "\"", "=", "/", "ZGF0", "é",
	}
	for range 20_000 {
		var text []byte
		for range dice.IntN(24) {
			text = append(text, pieces[dice.IntN(len(pieces))]...)
		}
		checkEncodedTexts(t, text)
	}
}

// checkEncodedTexts compares with a search byte by byte, for what follows a text too.
func checkEncodedTexts(t *testing.T, text []byte) {
	t.Helper()
	for _, text := range [][]byte{text, append(bytes.Repeat([]byte("a word. "), 16), text...)} {
		want := slowEncodedTexts(text)
		if got := encodedTexts(text); !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
	}
}

// FuzzEncodedTexts checks that no word is overlooked.
func FuzzEncodedTexts(f *testing.F) {
	f.Add([]byte("c2VjcmV0IHBhc3N3b3Jk"), 0)
	f.Add([]byte(`\nc2VjcmV0IHBhc3N3b3Jk==c2VjcmV0IHBhc3N3b3Jk`), 63)
	f.Fuzz(func(t *testing.T, text []byte, before int) {
		checkEncodedTexts(t, append(bytes.Repeat([]byte{' '}, before&127), text...))
	})
}

func slowEncodedTexts(text []byte) (list []span) {
	for i := 0; i < len(text); i++ {
		start := i
		for i < len(text) && jsontext.IsData(text[i]) {
			i++
		}
		end := i
		for end < len(text) && end < i+2 && text[end] == '=' {
			end++
		}
		if start > 0 && start < i && text[start-1] == '\\' {
			start++
		}
		if word := text[start:end]; i > start && isEncodedText(word) {
			list = append(list, span{start, end})
		}
	}
	return list
}
