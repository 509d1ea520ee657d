package render

import (
	"strings"
)

// How the text of a transcript becomes part of a document in GitHub's Markdown:
//
//   - Its Markdown stays, but no < of it does, except in fenced code. So nothing in it can be HTML. Code that contains
//     a < becomes a <code> element of ours.
//   - Fenced code begins in the first column. There, every reader of Markdown agrees on where it begins and ends, which
//     decides where < is harmless.
//   - A link whose address is not plainly one of the web, of mail or of a file becomes text.

// inert returns Markdown without HTML and without dangerous links.
func inert(text string) string {
	var b strings.Builder
	fence, depth := "", 0
	for line := range strings.SplitSeq(clean(text), "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "" && closesFence(trimmed, fence):
			b.WriteString(fence)
			fence = ""
		case fence != "":
			b.WriteString(cutIndent(line, depth))
		case isFence(trimmed) && !strings.Contains(trimmed[len(fenceOf(trimmed)):], "`"):
			fence, depth = fenceOf(trimmed), indentation(line)
			b.WriteString(fence + strings.ReplaceAll(trimmed[len(fence):], "<", "&lt;"))
		default:
			b.WriteString(withoutFence(inertLine(line)))
		}
		b.WriteByte('\n')
	}
	if fence != "" {
		b.WriteString(fence + "\n")
	}
	return b.String()
}

// withoutFence keeps a line of text from looking like the beginning of fenced code.
func withoutFence(line string) string {
	trimmed := strings.TrimLeft(line, " \t")
	if !isFence(trimmed) {
		return line
	}
	return line[:len(line)-len(trimmed)] + entities.Replace(trimmed[:1]) + trimmed[1:]
}

func closesFence(line, fence string) bool {
	return strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == ""
}

// inertLine makes a line outside of fenced code harmless.
func inertLine(line string) string {
	if !strings.ContainsAny(line, "<[") {
		return line
	}
	runs := backtickRuns(line)
	var b strings.Builder
	for i := 0; i < len(line); {
		n := 1
		switch c := line[i]; c {
		case '\\':
			n = min(2, len(line)-i)
			b.WriteString(strings.ReplaceAll(line[i:i+n], "<", "&lt;"))
		case '`':
			var code string
			code, n = inertCode(line, i, runs)
			b.WriteString(code)
		case '<':
			b.WriteString("&lt;")
		case ']':
			b.WriteString(inertBracket(line[i+1:]))
		default:
			b.WriteByte(c)
		}
		i += n
	}
	return b.String()
}

// inertCode returns the code that begins at an index, and its length. If it contains a <, it is an element.
func inertCode(line string, at int, runs map[int][]int) (text string, length int) {
	n, end := codeSpan(line, at, runs)
	if end < 0 {
		return line[at : at+n], n
	}
	length = end + n - at
	code := line[at : at+length]
	if !strings.Contains(code, "<") {
		return code, length
	}
	return "<code>" + entities.Replace(code[n:length-n]) + "</code>", length
}

// entities keeps text from being markup of any kind.
var entities = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "`", "&#96;", "*", "&#42;", "_", "&#95;", "[", "&#91;",
	"]", "&#93;", "|", "&#124;", "~", "&#126;", `\`, "&#92;",
)

// inertBracket returns a closing bracket, and escapes it if it would be that of a dangerous link.
func inertBracket(after string) string {
	if after == "" || after[0] != '(' && after[0] != ':' || isHarmless(strings.TrimLeft(after[1:], " \t")) {
		return "]"
	}
	return `\]`
}

// harmlessStarts are the beginnings of addresses that a document may link to.
var harmlessStarts = []string{"http://", "https://", "mailto:", "#", "/", "./", "../"}

// isHarmless reports whether an address is one that a document may link to.
func isHarmless(address string) bool {
	for _, start := range harmlessStarts {
		if len(address) >= len(start) && strings.EqualFold(address[:len(start)], start) {
			return true
		}
	}
	end := strings.IndexAny(address[:min(len(address), maxLink)], ") \t")
	return end >= 0 && !strings.ContainsAny(address[:end], `:&\<`)
}

// fenced returns text in a fence that is longer than any in it.
func fenced(text, language string) string {
	longest := 2
	for i := 0; i < len(text); {
		n := runLength(text, i, '`')
		longest = max(longest, n)
		i += max(1, n)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + strings.TrimRight(clean(text), "\n") + "\n" + fence + "\n"
}

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
