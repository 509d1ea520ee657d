package render

import "strings"

// Quote begins every line of a text with a mark, so that no text can look like what is around it.
func Quote(mark, text string) string {
	lines := strings.FieldsFunc(strings.NewReplacer("\r\n", "\n", "\n", " \n").Replace(text), isLineEnd)
	for i, line := range lines {
		lines[i] = strings.TrimRight(mark+strings.TrimSuffix(line, " "), " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// OneLine returns a text without line ends.
func OneLine(text string) string { return strings.Join(strings.FieldsFunc(text, isLineEnd), " ") }

// isLineEnd reports whether a character begins a new line for some reader.
func isLineEnd(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}
