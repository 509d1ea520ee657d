package cli

import (
	"errors"
	"fmt"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/shell"
	"clawctl/internal/ui"
)

// A Console is what clawctl says on stderr: errors, remarks and progress. Nothing it prints repeats a transcript, and
// everything is escaped. With --json an error is one object.
type Console struct {
	Dst      *ui.Stream
	Term     ui.Terminal
	timing   ui.Timing
	Progress *ui.Progress

	Quiet, Verbose, JSON bool
	Outcome              failure.Tally // of what was blamed

	again func(flags ...string) string // the command of this run with more flags
	once  map[string]bool              // the failures that were printed and are not repeated
	inner *Inner                       // gets remarks and failures instead, if this run is inside another one
}

// Say writes a line, after erasing the progress.
func (c *Console) Say(format string, args ...any) {
	c.Progress.Print(func() { _ = c.Dst.WriteStyled(fmt.Sprintf(format+"\n", args...)) })
}

// sayJSON writes a value as a line of JSON.
func (c *Console) sayJSON(value any) { c.Say("%s", strings.TrimSuffix(JSONLine(value), "\n")) }

// Note prints a remark, unless --quiet or --json.
func (c *Console) Note(format string, args ...any) {
	text := ui.EscapeLine(fmt.Sprintf(format, args...))
	switch {
	case c.inner != nil:
		c.inner.Notes = append(c.inner.Notes, text)
	case !c.Quiet && !c.JSON:
		c.Say("clawctl: %s", c.wrap(text, len("clawctl: ")))
	}
}

// wrap breaks a line that follows a word of that width to the terminal.
func (c *Console) wrap(text string, taken int) string {
	if !c.Term.Is {
		return text
	}
	const indent = "  "
	filler := strings.Repeat("x", taken-1)
	wrapped := strings.TrimPrefix(ui.Wrap(filler+" "+text, c.Term.Columns, indent), indent+filler)
	return strings.TrimLeft(wrapped, " \n") // a first word that is longer than a line stays on this one
}

// Hint prints a command that helps, unless --quiet or --json.
func (c *Console) Hint(command string) {
	if command != "" && !c.Quiet && !c.JSON {
		c.Say("%s %s", c.Term.Paint(ui.Hint, "hint:"), ui.EscapeLine(shell.Current().Local(command)))
	}
}

// Complain prints a failure.
func (c *Console) Complain(f *failure.Error) {
	if f.Once {
		if c.once[f.Text] {
			return
		}
		c.once = map[string]bool{f.Text: true}
	}
	c.SettleHint(f)
	switch {
	case c.inner != nil:
		c.inner.Failures = append(c.inner.Failures, f)
		return
	case c.JSON:
		c.sayJSON(errorReport{Error: f.Body()})
		return
	}
	// A name in a message must not begin a line of its own, which could look like a message of another program.
	c.Say("%s %s", c.Term.Paint(ui.Error, "clawctl:"), c.wrap(ui.EscapeLine(f.Error()), len("clawctl: ")))
	for _, name := range f.List {
		c.Say("  %s", ui.EscapeLine(name))
	}
	if f.Hint != "" {
		c.Say("%s %s", c.Term.Paint(ui.Hint, "hint:"), ui.EscapeLine(f.Hint))
	}
}

// SettleHint makes the advice to run the command again a command, and every hint one for the shell in use.
func (c *Console) SettleHint(f *failure.Error) {
	if f.Hint == "" && f.Again != nil {
		f.Hint = c.again(f.Again...)
	}
	f.Hint = shell.Current().Local(f.Hint)
}

// Blame reports an error, unless that has been done, and adds it to the outcome of the run.
func (c *Console) Blame(err error) {
	var f *failure.Error
	var r *failure.ReportedError
	switch {
	case err == nil:
	case errors.As(err, &f):
		c.Complain(f)
		c.Outcome.Take(f.Status(), f.Done)
	case errors.As(err, &r):
		c.Outcome.Take(r.Exit, r.Done)
	default:
		c.Blame(failure.New(failure.IO, "%v", err))
	}
}

// finish prints the error that a run ended with and returns the exit status.
func (c *Console) finish(err error) int {
	if err == nil || IsClosedPipe(err) {
		return failure.ExitOK
	}
	var f *failure.Error
	var r *failure.ReportedError
	if errors.As(err, &r) && !errors.As(err, &f) {
		return r.Exit
	}
	if !errors.As(err, &f) {
		f = failure.New(failure.IO, "%v", err)
	}
	if f.Code != failure.Interrupted || !c.Quiet {
		c.Complain(f)
	}
	return f.Status()
}

// errorReport is the JSON form of an error.
type errorReport struct {
	OK    bool         `json:"ok"`
	Error failure.Body `json:"error"`
}
