package secrets

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// classes are the characters of random parts of examples, by the letter that stands for them.
var classes = map[byte]string{
	'a': "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
	'd': "0123456789",
	'h': "0123456789abcdef",
	'l': "abcdefghijklmnopqrstuvwxyz0123456789",
	'q': "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
	's': "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
	'u': "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
	'w': "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
}

// random is a random part of an example: a class and a length, i for a UUID, or p for a number of words.
var random = lazy(`\{([adhilpqsuw])([0-9]*)\}`)

// Generate returns an example of what the rule finds, and the random parts of it that must not be left. Nothing that
// looks like a key has to be in a source file that way.
func (r *Rule) Generate(seed uint64) (text string, parts []string) {
	dice := rand.New(rand.NewPCG(seed, uint64(r.rank)))
	text = random().ReplaceAllStringFunc(r.Example, func(part string) string {
		made := ""
		if part[1] == 'p' {
			n, _ := strconv.Atoi(part[2 : len(part)-1])
			for range n {
				made += " " + randomText(dice, "aeilnorstu", 4+dice.IntN(3))
			}
			made = made[1:]
		} else if part[1] == 'i' {
			lengths := []int{8, 4, 4, 4, 12}
			groups := make([]string, len(lengths))
			for i, n := range lengths {
				groups[i] = randomText(dice, classes['h'], n)
			}
			made = strings.Join(groups, "-")
		} else {
			n, _ := strconv.Atoi(part[2 : len(part)-1])
			made = randomText(dice, classes[part[1]], n)
		}
		if part[1] != 'd' { // numbers are the public parts of keys
			parts = append(parts, made)
		}
		return made
	})
	return text, parts
}

// randomText returns n characters. The first and the last are letters or digits, some are digits, and it does not look
// by chance like what people write in place of a secret.
func randomText(dice *rand.Rand, class string, n int) string {
	text := make([]byte, n)
	for isMade := false; !isMade; isMade = n < 8 || hasDigit(text) && !placeholder().Match(text) {
		fillAtRandom(dice, class, text)
	}
	return string(text)
}

func fillAtRandom(dice *rand.Rand, class string, text []byte) {
	n := len(text)
	for i := range text {
		text[i] = class[dice.IntN(len(class))]
		for (i == 0 || i == n-1) && !isAlnum(text[i]) {
			text[i] = class[dice.IntN(len(class))]
		}
	}
}
