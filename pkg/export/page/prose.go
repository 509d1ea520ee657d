package page

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// A proseWriter writes the Markdown of a message for a page without a script. It sets off code, tables and headings,
// and recognizes code, bold text and links in a line. Everything else stays as it was written.
type proseWriter struct {
	out       markup
	paragraph []string
	isTable   bool // of the paragraph
}

func (m markup) writeProse(text string) {
	p := &proseWriter{out: m}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		if fence := fenceOf(lines[i]); fence != "" {
			end := fenceEnd(lines, i+1, fence)
			p.flush()
			p.out.element("pre", "code", strings.Join(lines[i+1:end], "\n"))
			i = end
			continue
		}
		p.line(lines[i])
	}
	p.flush()
}

// fenceOf returns the marks that begin a code block, or "".
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, mark := range []string{"`", "~"} {
		n := len(line) - len(strings.TrimLeft(line, mark))
		if n >= 3 && !strings.Contains(line[n:], "`") {
			return line[:n]
		}
	}
	return ""
}

// fenceEnd returns the line that ends a code block, or the number of lines if it never ends.
func fenceEnd(lines []string, from int, fence string) int {
	for i := from; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		if len(line) >= len(fence) && strings.Trim(line, fence[:1]) == "" {
			return i
		}
	}
	return len(lines)
}

var headingPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^ {0,3}(#{1,6})[ \t]+(.*)$`)
})

// line takes a line that is not code.
func (p *proseWriter) line(line string) {
	isTable := strings.HasPrefix(strings.TrimSpace(line), "|")
	heading := headingPattern().FindStringSubmatch(line)
	if heading != nil || isTable != p.isTable || strings.TrimSpace(line) == "" {
		p.flush()
		p.isTable = isTable
	}
	switch {
	case heading != nil:
		level := strconv.Itoa(len(heading[1]))
		p.out.raw(`<p class="h` + level + `"><b>` + inline(heading[2]) + "</b></p>")
	case strings.TrimSpace(line) != "":
		p.paragraph = append(p.paragraph, line)
	}
}

// flush writes the paragraph.
func (p *proseWriter) flush() {
	text := strings.Join(p.paragraph, "\n")
	switch {
	case text == "":
	case p.isTable:
		p.out.element("pre", "code", text)
	default:
		p.out.raw(`<p class="text">` + inline(text) + "</p>")
	}
	p.paragraph = p.paragraph[:0]
}

// inlinePattern finds code, bold text, links, and bare addresses.
var inlinePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("`([^`\n]+)`" + `|\*\*([^*\n]+)\*\*` +
		`|\[([^\]\n]{1,300})\]\((https?://[^\s()<>"]{1,900})\)` + `|(https?://[^\s()<>"'\]` + "`]{1,900})")
})

// inline returns the HTML of a text. Links lead to http and https only.
func inline(text string) string {
	var b strings.Builder
	from := 0
	for _, m := range inlinePattern().FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(escape(text[from:m[0]]))
		group := func(n int) string { return escape(text[m[2*n]:m[2*n+1]]) }
		switch {
		case m[2] >= 0:
			b.WriteString("<code>" + group(1) + "</code>")
		case m[4] >= 0:
			b.WriteString("<b>" + group(2) + "</b>")
		case m[6] >= 0:
			b.WriteString(link(group(4), group(3)))
		default:
			b.WriteString(link(group(5), group(5)))
		}
		from = m[1]
	}
	return b.String() + escape(text[from:])
}

func link(address, text string) string {
	return `<a href="` + address + `" rel="noopener noreferrer nofollow">` + text + "</a>"
}

// escape makes a text safe inside an element and inside an attribute in quotes.
func escape(text string) string { return html.EscapeString(strings.ToValidUTF8(text, "\ufffd")) }
