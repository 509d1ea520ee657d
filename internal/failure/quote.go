package failure

import "clawctl/internal/shell"

// Command joins words into a command for the shell in use.
func Command(words ...string) string { return shell.Current().Command(words...) }

// Quote quotes a word for the shell in use, if necessary.
func Quote(word string) string { return shell.Current().Quote(word) }
