package writing

import (
	"fmt"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
)

// PlanFormats are the formats of a list of changes.
var PlanFormats = []string{"text", "json", "ndjson"}

// A ChangeList is a list of changes: lines for people, objects for programs.
type ChangeList struct {
	Lines   []ChangeLine
	Objects []any
}

// A ChangeLine is one change, or something that is left alone.
type ChangeLine struct {
	Path  string
	Line  int64 // 0 if it is about the whole file
	Code  failure.Code
	Words string
	Cost  string // "" if there is none
	Left  bool
}

// Add appends a change.
func (l *ChangeList) Add(object any, line ChangeLine) {
	l.Objects, l.Lines = append(l.Objects, object), append(l.Lines, line)
}

// AddObject adds an object that only programs see.
func (l *ChangeList) AddObject(object any) { l.Objects = append(l.Objects, object) }

// text is what is done, and what it costs.
func (c ChangeLine) text() string {
	if c.Cost == "" {
		return c.Words
	}
	return c.Words + " (" + c.Cost + ")"
}

// PrintChanges prints a list of changes.
func PrintChanges(a *cli.App, l *ChangeList) error {
	if a.WantsJSON() {
		var b strings.Builder
		for _, object := range l.Objects {
			b.WriteString(cli.JSONLine(object))
		}
		return a.Print(b.String())
	}
	var b strings.Builder
	file := ""
	for _, c := range l.Lines {
		if a.Output.Term.Is && c.Path != file {
			file = c.Path
			b.WriteString(a.Output.Term.Paint(ui.Bold, ui.CutMiddle(ui.EscapeLine(c.Path), a.Output.Term.Columns)) + "\n")
		}
		b.WriteString(changeText(a, c))
	}
	return a.PrintStyled(b.String())
}

// changeText returns a change as a line, below the name of its file on a terminal.
func changeText(a *cli.App, c ChangeLine) string {
	place, line := ui.EscapeLine(c.Path), ""
	if c.Line > 0 {
		line = fmt.Sprint(c.Line)
		place += ":" + line
	}
	if !a.Output.Term.Is {
		return fmt.Sprintf("%s: %s %s\n", place, c.Code, ui.EscapeLine(c.text()))
	}
	code := string(c.Code)
	if c.Left {
		code = a.Output.Term.Paint(ui.Warning, code)
	}
	indent := strings.Repeat(" ", 16)
	text := strings.TrimPrefix(ui.Wrap(ui.EscapeLine(c.text()), a.Output.Term.Columns, indent), indent)
	return fmt.Sprintf("%7s  %s  %s\n", line, code, text)
}
