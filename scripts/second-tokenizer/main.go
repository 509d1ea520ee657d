// Command second-tokenizer compares our token counts with those of tiktoken-go/tokenizer, a second implementation, on
// texts that are hard for a tokenizer. It also fails if that implementation has an encoding for a model that we lack.
// It is a module of its own, so that clawctl does not depend on the other implementation.
//
//	second-tokenizer [-n TEXTS] [-seed N]
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"

	"clawctl/pkg/tokens"

	"github.com/tiktoken-go/tokenizer"
)

// ours are the encodings of clawctl, by the names that both have for them.
var ours = map[tokenizer.Encoding]*tokens.Encoding{
	tokenizer.Cl100kBase: tokens.CL100K, tokenizer.O200kBase: tokens.O200K,
}

// conversing are models for conversations whose encoding the other implementation knows.
var conversing = []tokenizer.Model{
	tokenizer.O1, tokenizer.O3, tokenizer.O3Mini, tokenizer.O4Mini, tokenizer.GPT5, tokenizer.GPT5Mini,
	tokenizer.GPT5Nano, tokenizer.GPT41, tokenizer.GPT4o, tokenizer.GPT4, tokenizer.GPT35Turbo,
}

func main() {
	n := flag.Int("n", 20_000, "how many texts to compare")
	seed := flag.Uint64("seed", 1, "the seed of the texts")
	flag.Parse()
	if err := run(*n, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "second-tokenizer:", err)
		os.Exit(1)
	}
}

func run(n int, seed uint64) error {
	if err := checkModels(); err != nil {
		return err
	}
	for name, encoding := range ours {
		other, err := tokenizer.Get(name)
		if err != nil {
			return err
		}
		if err := compare(encoding, other, n, rand.New(rand.NewPCG(seed, 1))); err != nil {
			return err
		}
		fmt.Printf("%s: %d texts have the same number of tokens\n", name, n)
	}
	return nil
}

// checkModels looks for models whose encoding clawctl does not have.
func checkModels() error {
	for _, model := range conversing {
		codec, err := tokenizer.ForModel(model)
		if err != nil {
			return fmt.Errorf("%s: %w", model, err)
		}
		if ours[tokenizer.Encoding(codec.GetName())] == nil {
			return fmt.Errorf("%s is counted with %s, which clawctl lacks", model, codec.GetName())
		}
	}
	return nil
}

// compare counts random texts with both.
func compare(encoding *tokens.Encoding, other tokenizer.Codec, n int, random *rand.Rand) error {
	words := encoding.Words()
	for range n {
		text := randomText(random, words)
		for misread.MatchString(text) {
			text = randomText(random, words)
		}
		want, err := other.Count(text)
		if err != nil {
			return err
		}
		if got := encoding.Count(text); got != want {
			return fmt.Errorf("%s: %q has %d tokens, the other implementation counts %d", encoding.Name(), text, got, want)
		}
	}
	return nil
}

// misread matches what version 0.10 of the other implementation gets wrong: it cuts line ends with other space between
// them into two pieces, and counts nothing for DEL. tiktoken-go and js-tiktoken count as we do.
var misread = regexp.MustCompile(`[\r\n][\s\p{Z}\x{85}]*[\t\v\f\p{Z}\x{85}][\s\p{Z}\x{85}]*[\r\n]|\x7f`)

// odd are texts at which tokenizers differ: spaces, line ends, contractions, numbers, and characters of several bytes.
var odd = []string{" ", "  ", "\n", "\r\n", "\t", "'s", "'LL", "1", "12345", "a", "B", "é", "ſ", "日本", "한", "🧪",
	"👩‍💻", "/", "{\"a\":", "==", "\u00a0", "\u2028", "\u0301", "_", "-", "."}

// randomText joins words of the vocabulary and odd texts. Words that are not text by themselves are left out.
func randomText(random *rand.Rand, words []string) string {
	var b strings.Builder
	for range 1 + random.IntN(24) {
		if random.IntN(2) == 0 {
			b.WriteString(odd[random.IntN(len(odd))])
			continue
		}
		b.WriteString(strings.ToValidUTF8(words[random.IntN(len(words))], ""))
	}
	return b.String()
}
