package render

import (
	"regexp"
	"strings"
	"sync"
)

// Page renders a page of documentation for a terminal of the style's width. The lines of a paragraph are joined before
// they are wrapped, comments are left out, and links to other pages are only text.
func Page(text string, style Style) string {
	style = style.withDefaults()
	text = pageLinks().ReplaceAllString(text, "$1")
	m := &markdown{style: style, width: style.Prose, wide: style.Width}
	lines := m.render(strings.Join(joinParagraphs(text), "\n"))
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n")) + "\n"
}

// pageLinks matches links that lead to a file or a heading, not to an address.
var pageLinks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[([^\]\n]+)\]\((?:#|[\w./-]+\.md)[^)\s]*\)`)
})

// joinParagraphs returns the lines of a text with each paragraph and each item of a list on one line.
func joinParagraphs(text string) []string {
	var lines []string
	inCode, continues := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		words := strings.TrimSpace(line)
		_, _, isItem := listMark(words)
		switch {
		case isFence(words):
			inCode = !inCode
			lines, continues = append(lines, line), false
		case inCode || words == "" || isHeading(words) || strings.HasPrefix(words, "|"):
			lines, continues = append(lines, line), false
		case strings.HasPrefix(words, "<!--"):
			continues = false
		case continues && !isItem:
			lines[len(lines)-1] += " " + words
		default:
			lines, continues = append(lines, line), true
		}
	}
	return lines
}
