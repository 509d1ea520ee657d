package showing

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/read/render"
	"clawctl/pkg/source"
)

// A Line is a line of a conversation as show draws it.
type Line struct {
	Text   string // may carry codes of styles
	Entry  string // the id of the entry that it was drawn with, or ""
	Prompt bool   // it begins what the user said
}

// A Drawing says how a session is drawn as lines.
type Drawing struct {
	Session  *source.Session
	Columns  int
	Last     int             // only the last turns, or 0
	Tree     bool            // the branches instead of the text
	Expanded map[string]bool // the entries whose calls and thinking are shown in full
	Masks    bool
}

// Draw returns a session as the lines that show draws on a terminal. What cannot be shown is said in the lines.
func (d Drawing) Draw(ctx context.Context, a *cli.App) []Line {
	out := &lineWriter{}
	sub := quietRun(ctx, a, out, d.Columns)
	view := &View{App: sub, Session: d.Session, Options: &Options{Last: d.Last, Tools: render.ToolsLine, Masks: d.Masks}}
	view.Facts.Name = d.Session.Name()
	view.observe = func(e *parts.Entry, text *render.Text) {
		tools, thinking := render.ToolsLine, false
		if d.Expanded[e.ID] {
			tools, thinking = render.ToolsFull, true
		}
		text.Restyle(tools, thinking)
		out.begin(e)
	}
	print := PrintText
	if d.Tree {
		print = PrintTree
	}
	err := print(view)
	switch {
	case out.isFull:
		out.lines = append(out.lines, Line{}, Line{Text: "This is as much as fits here. All of it: " +
			failure.Command("clawctl", "show", ui.EscapeLine(d.Session.Place()))})
	case err != nil && ctx.Err() == nil:
		sub.Complain(cli.InputError(d.Session.Place(), err))
	}
	return out.finish()
}

// quietRun returns a run whose output and messages go to a writer, as wide as a part of the screen.
func quietRun(ctx context.Context, a *cli.App, out io.Writer, columns int) *cli.App {
	sub, console := *a, *a.Console
	term := a.Output.Term
	term.Columns = columns
	stream := ui.NewStreamFor(out, term)
	console.Dst, console.Term, console.Progress = stream, term, nil
	sub.Console, sub.Ctx, sub.Output = &console, ctx, cli.NewOutput(stream)
	return &sub
}

// A lineWriter collects lines.
type lineWriter struct {
	lines []Line
	open  bytes.Buffer // a line that has not ended
	entry *parts.Entry
	first bool // the next line is the first of its entry

	isFull bool // there are more lines than anybody reads
}

// maxLines is how many lines of a session are drawn. A gigabyte of conversation would not fit into memory.
const maxLines = 20_000

var errFull = errors.New("enough lines")

func (w *lineWriter) begin(e *parts.Entry) { w.entry, w.first = e, true }

func (w *lineWriter) Write(p []byte) (int, error) {
	n := len(p)
	if w.isFull = w.isFull || len(w.lines) > maxLines; w.isFull {
		return 0, errFull
	}
	for {
		line, rest, ended := bytes.Cut(p, []byte("\n"))
		w.open.Write(line)
		if !ended {
			return n, nil
		}
		w.end()
		p = rest
	}
}

// end ends a line. Lines between entries belong to neither.
func (w *lineWriter) end() {
	line := Line{Text: w.open.String()}
	w.open.Reset()
	if w.entry != nil && strings.TrimSpace(ui.Unpainted(line.Text)) != "" {
		line.Entry = w.entry.ID
		line.Prompt = w.first && w.entry.Role == "user"
		w.first = false
	}
	w.lines = append(w.lines, line)
}

func (w *lineWriter) finish() []Line {
	if w.open.Len() > 0 {
		w.end()
	}
	return w.lines
}
