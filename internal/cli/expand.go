package cli

import (
	"path/filepath"
	"runtime"
	"strings"

	"clawctl/pkg/source"
)

// shellExpands is false if the shells of the system give ~ and patterns such as *.jsonl to programs as they are.
const shellExpands = runtime.GOOS != "windows"

// expandWords does to arguments what a POSIX shell does before a program gets them. A ~ at the beginning of a word is
// the home folder, and a path with * or ? becomes the files that it matches. A pattern that matches nothing stays. Only
// what can be meant as a path is a pattern, because search takes words with such characters.
func expandWords(words []string) []string {
	var all []string
	for _, word := range words {
		word = ExpandHome(word)
		files := []string{word}
		if strings.ContainsAny(word, "*?") && !strings.HasPrefix(word, "-") && source.LooksLikePath(word) {
			if found, err := filepath.Glob(word); err == nil && len(found) > 0 {
				files = found
			}
		}
		all = append(all, files...)
	}
	return all
}
