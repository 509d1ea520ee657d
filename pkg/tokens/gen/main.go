// Gen makes the tables that package tokens embeds, from the vocabularies of the module tiktoken-go-loader. `go generate
// ./pkg/tokens` runs it. The same vocabulary gives the same bytes.
package main

import (
	"fmt"
	"os"

	"clawctl/pkg/tokens"

	loader "github.com/pkoukk/tiktoken-go-loader"
)

func main() {
	for _, name := range []string{"cl100k_base", "o200k_base"} {
		if err := generate(name); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}

func generate(name string) error {
	ranks, err := loader.NewOfflineLoader().LoadTiktokenBpe(name + ".tiktoken")
	if err != nil {
		return err
	}
	words := make([]string, len(ranks))
	for word, rank := range ranks {
		if rank >= len(words) {
			return fmt.Errorf("%s: rank %d is out of range for %d words", name, rank, len(words))
		}
		words[rank] = word
	}
	table, err := tokens.MakeTable(words)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.WriteFile(name+".bin", table, 0o644)
}
