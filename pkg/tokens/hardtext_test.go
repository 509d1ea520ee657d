package tokens

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// A hardText is a kind of text. Text returns the same n bytes every time, or a few less.
type hardText struct {
	Name string
	Text func(n int) string
}

// hardTexts returns all of them. vocabulary has the words of an encoding.
func hardTexts(vocabulary []string) []hardText {
	list := runs()
	list = append(list, letters()...)
	list = append(list, scripts()...)
	return append(list, glued(vocabulary)...)
}

// runs repeat something. The last two units have tokens of several units, so where they end depends on where a run
// begins.
func runs() []hardText {
	var list []hardText
	for _, unit := range []string{"a", " ", "_", "=", "1", "\n", "日", "🧪", "\xff", "ab", " a", "A", "/", "../", "்க"} {
		list = append(list, repeated(fmt.Sprintf("%q repeated", unit), unit))
	}
	for _, size := range []int{3, 7, 40, 300} {
		list = append(list, repeated(fmt.Sprintf("period of %d", size), random("abcdefghijklmnopqrstuvwxyz", size)))
	}
	return list
}

func repeated(name, unit string) hardText {
	return hardText{name, func(n int) string { return strings.Repeat(unit, n/len(unit)) }}
}

const (
	lowerCase  = "abcdefghijklmnopqrstuvwxyz"
	upperCase  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	decimals   = "0123456789"
	asciiSigns = "!#$%&()*+,-./:;<=>?@[]^_{|}~"
)

// letters are random letters, asciiSigns and decimals, also divided into words.
func letters() []hardText {
	var list []hardText
	add := func(name, alphabet string) {
		list = append(list, hardText{name, func(n int) string { return random(alphabet, n) }})
	}
	for _, size := range []int{2, 4, 8, 16} {
		add(fmt.Sprintf("%d letters", size), "etaoinshrdlucmfw"[:size])
	}
	add("letters", lowerCase)
	add("capitals", upperCase)
	add("both cases", lowerCase+upperCase)
	add("letters and decimals", lowerCase+decimals)
	add("decimals", decimals)
	add("asciiSigns", asciiSigns)
	add("white space", "    \t\n\r")
	add("spaces and tabs", "       \t")
	add("ASCII", lowerCase+upperCase+decimals+asciiSigns+" \n")
	for _, size := range []int{4, 8, 12, 15, 16, 25, 40, 64, 80, 200, 2000} {
		list = append(list, hardText{fmt.Sprintf("words of %d letters", size), func(n int) string {
			return spaced(random(lowerCase, n), size)
		}})
	}
	return append(list, hardText{"runs of asciiSigns", func(n int) string {
		r := source()
		var s strings.Builder
		for s.Len() < n-100 {
			s.WriteString(strings.Repeat(asciiSigns[r.IntN(len(asciiSigns)):][:1], 1+r.IntN(100)))
		}
		return s.String()
	}}, hardText{"base64", func(n int) string {
		return base64.StdEncoding.EncodeToString([]byte(randomBytes(n * 3 / 4)))
	}}, hardText{"bytes", randomBytes}, hardText{"bytes and letters", func(n int) string {
		return random(lowerCase+strings.Repeat("\xff", 26), n)
	}})
}

// scripts are random characters of other scripts.
func scripts() []hardText {
	var list []hardText
	for _, script := range []struct {
		name        string
		first, last rune
	}{
		{"Cyrillic", 'а', 'я'}, {"Greek", 'α', 'ω'}, {"Arabic", 'ء', 'ي'}, {"Devanagari", 'अ', 'ह'}, {"Thai", 'ก', 'ฮ'},
		{"kana", 'ぁ', 'ん'}, {"ideographs", '一', '龥'}, {"common ideographs", '一', '乿'}, {"Hangul", '가', '힣'},
		{"emoji", '🌀', '🙏'}, {"accents", 'À', 'ÿ'}, {"characters", '\u0080', '\uabff'}, {"rare characters", '𐀀', '🿿'},
	} {
		list = append(list, hardText{script.name, func(n int) string {
			r := source()
			var s strings.Builder
			for s.Len() < n-4 {
				s.WriteRune(script.first + rune(r.IntN(int(script.last-script.first)+1)))
			}
			return s.String()
		}})
	}
	return list
}

// glued are words without spaces between them.
func glued(vocabulary []string) []hardText {
	english := strings.Fields("the of and to in is that for with as on at by this from are was be have which not or an " +
		"they you but had his her were all their one would there been more when who will no out so said what up its about")
	list := []hardText{joined("glued words", english, func(w string) string { return w })}
	alphabetic := func(w string) string {
		if strings.Trim(w, lowerCase) != "" {
			return ""
		}
		return w
	}
	return append(list,
		joined("glued tokens of letters", vocabulary, alphabetic),
		joined("glued tokens of letters, cut", vocabulary, func(w string) string { return alphabetic(w[len(w)/2:]) }),
		joined("tokens", vocabulary, func(w string) string { return w }),
	)
}

// joined joins random words that change makes.
func joined(name string, words []string, change func(string) string) hardText {
	return hardText{name, func(n int) string {
		r := source()
		var s strings.Builder
		for s.Len() < n-128 {
			s.WriteString(change(words[r.IntN(len(words))]))
		}
		return s.String()
	}}
}

// random returns n bytes of an alphabet.
func random(alphabet string, n int) string {
	r := source()
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

func randomBytes(n int) string {
	r := source()
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return string(b)
}

func source() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// spaced divides a text into words of this size.
func spaced(text string, size int) string {
	var s strings.Builder
	for len(text) > size {
		s.WriteString(text[:size-1] + " ")
		text = text[size-1:]
	}
	return s.String()
}
