// Command tiktoken counts the tokens of a file with pkoukk/tiktoken-go and prints how many seconds it took,
// without the time to load the tables.
//
//	tiktoken ENCODING FILE
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "tiktoken:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: tiktoken ENCODING FILE")
	}
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	encoding, err := tiktoken.GetEncoding(args[0])
	if err != nil {
		return err
	}
	text, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	begun := time.Now()
	encoding.EncodeOrdinary(string(text))
	fmt.Println(time.Since(begun).Seconds())
	return nil
}
