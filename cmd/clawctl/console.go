package main

import (
	"errors"
	"fmt"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
)

// A console is what clawctl says on stderr: errors, remarks and progress. Nothing it prints repeats a transcript, and
// everything is escaped. With --json an error is one object.
type console struct {
	dst      *ui.Stream
	term     ui.Terminal
	timing   ui.Timing
	progress *ui.Progress

	quiet, verbose, json bool

	again func(flags ...string) string // the command of this run with more flags
}

// say writes a line, after erasing the progress.
func (c *console) say(format string, args ...any) {
	c.progress.Print(func() { _ = c.dst.WriteStyled(fmt.Sprintf(format+"\n", args...)) })
}

// note prints a remark, unless --quiet or --json.
func (c *console) note(format string, args ...any) {
	if c.quiet || c.json {
		return
	}
	c.say("clawctl: %s", c.wrap(ui.EscapeLine(fmt.Sprintf(format, args...)), len("clawctl: ")))
}

// wrap breaks a line that follows a word of that width to the terminal.
func (c *console) wrap(text string, taken int) string {
	if !c.term.Is {
		return text
	}
	const indent = "  "
	filler := strings.Repeat("x", taken-1) + " "
	return strings.TrimPrefix(ui.Wrap(filler+text, c.term.Columns, indent), indent+filler)
}

// hint prints a command that helps, unless --quiet or --json.
func (c *console) hint(command string) {
	if command != "" && !c.quiet && !c.json {
		c.say("%s %s", c.term.Paint(ui.Hint, "hint:"), ui.EscapeLine(command))
	}
}

// complain prints a failure.
func (c *console) complain(f *failure.Error) {
	c.settleHint(f)
	if c.json {
		c.say("%s", strings.TrimSuffix(jsonLine(errorReport{Error: newErrorBody(f)}), "\n"))
		return
	}
	// A name in a message must not begin a line of its own, which could look like a message of another program.
	c.say("%s %s", c.term.Paint(ui.Error, "clawctl:"), c.wrap(ui.EscapeLine(f.Error()), len("clawctl: ")))
	for _, name := range f.List {
		c.say("  %s", ui.EscapeLine(name))
	}
	if f.Hint != "" {
		c.say("%s %s", c.term.Paint(ui.Hint, "hint:"), ui.EscapeLine(f.Hint))
	}
}

// settleHint makes the advice to run the command again a command.
func (c *console) settleHint(f *failure.Error) {
	if f.Hint == "" && f.Again != nil {
		f.Hint = c.again(f.Again...)
	}
}

// blame reports an error, unless that has been done, and adds it to the outcome of the run.
func (c *console) blame(outcome *failure.Tally, err error) {
	var f *failure.Error
	var r *failure.Reported
	switch {
	case err == nil:
	case errors.As(err, &f):
		c.complain(f)
		outcome.Take(f.Status(), f.Done)
	case errors.As(err, &r):
		outcome.Take(r.Exit, r.Done)
	default:
		c.complain(failure.New(failure.IO, "%v", err))
		outcome.Take(failure.ExitUsage, false)
	}
}

// finish prints the error that a run ended with and returns the exit status.
func (c *console) finish(err error) int {
	if err == nil || isClosedPipe(err) {
		return failure.ExitOK
	}
	var f *failure.Error
	var r *failure.Reported
	if errors.As(err, &r) && !errors.As(err, &f) {
		return r.Exit
	}
	if !errors.As(err, &f) {
		f = failure.New(failure.IO, "%v", err)
	}
	if f.Code != failure.Interrupted || !c.quiet {
		c.complain(f)
	}
	return f.Status()
}

// errorReport is the JSON form of an error.
type errorReport struct {
	OK    bool      `json:"ok"`
	Error errorBody `json:"error"`
}

type errorBody struct {
	Code    failure.Code `json:"code"`
	Message string       `json:"message"`
	Hint    string       `json:"hint,omitempty"`
	Path    string       `json:"path,omitempty"`
	Line    int64        `json:"line,omitempty"`
}

func newErrorBody(f *failure.Error) errorBody {
	return errorBody{f.Code, strings.Join(append([]string{f.Text}, f.List...), "\n  "), f.Hint, f.Path, f.Line}
}
