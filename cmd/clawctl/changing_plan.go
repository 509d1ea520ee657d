package main

import (
	"fmt"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
)

// planFormats are the formats of a list of changes.
var planFormats = []string{"text", "json", "ndjson"}

// A changeList is a list of changes: lines for people, objects for programs.
type changeList struct {
	lines   []changeLine
	objects []any
}

// A changeLine is one change, or something that is left alone.
type changeLine struct {
	path  string
	line  int64 // 0 if it is about the whole file
	code  failure.Code
	words string
	cost  string // "" if there is none
	left  bool
}

func (l *changeList) add(object any, line changeLine) {
	l.objects, l.lines = append(l.objects, object), append(l.lines, line)
}

// addObject adds an object that only programs see.
func (l *changeList) addObject(object any) { l.objects = append(l.objects, object) }

// text is what is done, and what it costs.
func (c changeLine) text() string {
	if c.cost == "" {
		return c.words
	}
	return c.words + " (" + c.cost + ")"
}

// printChanges prints a list of changes.
func (a *app) printChanges(l *changeList) error {
	if a.wantsJSON() {
		var b strings.Builder
		for _, object := range l.objects {
			b.WriteString(jsonLine(object))
		}
		return a.print(b.String())
	}
	var b strings.Builder
	file := ""
	for _, c := range l.lines {
		if a.output.term.Is && c.path != file {
			file = c.path
			b.WriteString(a.output.term.Paint(ui.Bold, ui.CutMiddle(ui.EscapeLine(c.path), a.output.term.Columns)) + "\n")
		}
		b.WriteString(a.changeText(c))
	}
	return a.printStyled(b.String())
}

// changeText returns a change as a line, below the name of its file on a terminal.
func (a *app) changeText(c changeLine) string {
	place, line := ui.EscapeLine(c.path), ""
	if c.line > 0 {
		line = fmt.Sprint(c.line)
		place += ":" + line
	}
	if !a.output.term.Is {
		return fmt.Sprintf("%s: %s %s\n", place, c.code, ui.EscapeLine(c.text()))
	}
	code := string(c.code)
	if c.left {
		code = a.output.term.Paint(ui.Warning, code)
	}
	indent := strings.Repeat(" ", 16)
	text := strings.TrimPrefix(ui.Wrap(ui.EscapeLine(c.text()), a.output.term.Columns, indent), indent)
	return fmt.Sprintf("%7s  %s  %s\n", line, code, text)
}
