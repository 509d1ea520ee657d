package failure

import "strings"

// Command joins words into a command that a shell reads unchanged.
func Command(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Quote(word)
	}
	return strings.Join(quoted, " ")
}

// Quote quotes a word for a shell if necessary.
func Quote(word string) string {
	if word != "" && strings.IndexFunc(word, needsQuoting) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func needsQuoting(r rune) bool {
	plain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return !plain && !strings.ContainsRune("/._-+:@%,=", r)
}
