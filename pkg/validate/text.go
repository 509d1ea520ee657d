package validate

import (
	"bufio"
	"fmt"
	"path/filepath"
	"strings"

	"clawctl/internal/ui"
)

// A Printer writes findings in one format.
type Printer interface {
	// Print writes what was found in one session or place.
	Print(*CheckedSession) error
	// Finish writes the rest. complete says that everything could be read.
	Finish(complete bool) error
}

type linePrinter struct {
	out   *bufio.Writer
	lines func(*CheckedSession) string
}

// NewLinePrinter returns a printer of whole lines about each session or place.
func NewLinePrinter(out *bufio.Writer, lines func(*CheckedSession) string) Printer {
	return &linePrinter{out, lines}
}

func (p *linePrinter) Print(c *CheckedSession) error {
	_, err := p.out.WriteString(p.lines(c))
	return err
}

func (p *linePrinter) Finish(bool) error { return p.out.Flush() }

func (c *CheckedSession) join(line func(*Finding) string) string {
	var b strings.Builder
	for i := range c.Findings {
		b.WriteString(line(&c.Findings[i]))
	}
	return b.String()
}

var severityStyles = [...]ui.Style{Info: ui.Plain, Warn: ui.Warning, Error: ui.Error}

// SeverityStyle is how a severity is shown.
func SeverityStyle(s Severity) ui.Style { return severityStyles[s] }

// text is what is wrong, with the entry.
func (f *Finding) text() string {
	if f.Entry == "" {
		return f.Message()
	}
	return f.Message() + " [entry " + f.Entry + "]"
}

// FileLine names the file that findings on a terminal are listed below.
func (f *Finding) FileLine(term ui.Terminal) string {
	return term.Paint(ui.Bold, ui.CutMiddle(ui.EscapeLine(f.Path), term.Columns)) + "\n"
}

// TextLine is a finding for people: one line that other programs parse, or on a terminal what comes below the name of
// its file: line, severity, code, and what is wrong, wrapped.
func (f *Finding) TextLine(term ui.Terminal) string {
	severity := term.Paint(SeverityStyle(f.Severity), f.Severity.String())
	text := ui.EscapeLine(f.text())
	if !term.Is {
		return fmt.Sprintf("%s: %s %s: %s\n", atLine(ui.EscapeLine(f.Path), f.Line), f.Rule.Code, severity, text)
	}
	line := ""
	if f.Line > 0 {
		line = fmt.Sprint(f.Line)
	}
	indent := strings.Repeat(" ", 23)
	pad := strings.Repeat(" ", len("error")-len(f.Severity.String()))
	wrapped := strings.TrimPrefix(ui.Wrap(text, term.Columns, indent), indent)
	return fmt.Sprintf("%7s  %s%s  %s  %s\n", line, severity, pad, f.Rule.Code, wrapped)
}

// Place is where the example of a row is, on a terminal without its folder.
func (r *TallyRow) Place(term ui.Terminal) string {
	if term.Is {
		return atLine(filepath.Base(r.Path), r.Line)
	}
	return atLine(r.Path, r.Line)
}

// atLine is a path with a line, unless the line is 0.
func atLine(path string, line int64) string {
	if line == 0 {
		return path
	}
	return fmt.Sprintf("%s:%d", path, line)
}

var githubLevels = [...]string{Info: "notice", Warn: "warning", Error: "error"}

var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GitHubLines are the findings as annotation commands of GitHub's runner.
func (c *CheckedSession) GitHubLines() string { return c.join((*Finding).githubLine) }

func (f *Finding) githubLine() string {
	properties := "file=" + githubProperty.Replace(ui.Escape(filepath.ToSlash(f.Path)))
	if f.Line > 0 {
		properties += fmt.Sprintf(",line=%d", f.Line)
	}
	return fmt.Sprintf("::%s %s,title=%s::%s\n", githubLevels[f.Severity], properties, f.Rule.Code,
		githubData.Replace(ui.EscapeLine(f.text())))
}
