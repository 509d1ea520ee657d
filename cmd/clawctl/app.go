package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/change"
	"clawctl/pkg/redact"
	"clawctl/pkg/source"

	"github.com/urfave/cli/v2"
)

// An app is one run of clawctl: its streams, its clock and its context. What is said on stderr goes through its
// console, data through its output; folders and settings come from its environment.
type app struct {
	*console
	*environment
	*resources

	stdin  io.Reader
	output *output
	last   *atomic.Pointer[console] // for the last words about a command that is left running
	now    func() time.Time
	ctx    context.Context
	cancel func()   // ends the command
	args   []string // as given, without the program's name

	commands []*command // that help lists

	format string // of a report; "" is the command's own

	pollEvery time.Duration // of commands that follow sessions

	searched []*source.Place // of which all sessions were wanted
	read     []string        // the paths of places, and of files that were named alone
	changes  *change.Journal // of a run that changes files

	kept *redact.Redactor // notes the names in copies whose texts are masked; nil if there are none
}

// A setup is what a run begins with. Tests replace its clock and the timing of progress.
type setup struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	now            func() time.Time
	timing         ui.Timing
	poll           time.Duration     // how often what is followed is looked at
	unsafe         func(text string) // gets text that was not escaped where it was laid out; nil: nobody asks
}

func newApp(s setup) *app {
	stdout, stderr := ui.NewStream(s.stdout, os.Getenv), ui.NewStream(s.stderr, os.Getenv)
	stdout.ReportUnsafe(s.unsafe)
	stderr.ReportUnsafe(s.unsafe)
	a := &app{
		console:     &console{dst: stderr, term: stderr.Terminal(), timing: s.timing},
		environment: &environment{},
		resources:   &resources{},
		stdin:       s.stdin,
		output:      newOutput(stdout),
		last:        &atomic.Pointer[console]{},
		now:         s.now,
		pollEvery:   cmp.Or(s.poll, defaultPoll),
	}
	a.console.again = a.commandLine
	a.settleConsole()
	return a
}

// settleConsole makes the console known to runWith, which may have to speak while the command still uses its own.
func (a *app) settleConsole() {
	settled := *a.console
	a.last.Store(&settled)
}

// run parses the arguments, runs the command and turns its error into an exit status.
func (a *app) run(ctx context.Context) (status int) {
	defer func() {
		if p := recover(); p != nil {
			a.abandon()
			status = a.finish(failure.Internal(fmt.Errorf("%v", p)))
		}
	}()
	a.ctx, a.cancel = context.WithCancel(ctx)
	defer a.cancel()
	err := a.dispatch()
	a.progress.End()
	if openErr := a.output.check(); openErr != nil && failure.KeepsOutput(err) {
		err = openErr
	}
	a.resources.close()
	switch {
	case a.output.pager.wasLeft():
		err = nil
	case ctx.Err() != nil && err != nil && err != failure.Stopped:
		err = interrupted(a)
	}
	if closeErr := a.output.finish(err); failure.KeepsOutput(err) {
		err = errors.Join(closeErr, err)
	}
	return a.finish(err)
}

// abandon removes the temporary files of a command that is left running.
func (a *app) abandon() {
	a.output.abandon()
	a.resources.abandon()
}

// dispatch runs the command that the arguments name. urfave/cli parses the flags, but only after normalize has turned
// the arguments into what it reads without surprises: command, flags, --, operands.
func (a *app) dispatch() error {
	a.commands = commands()
	all := slices.Concat(a.commands, hiddenCommands())
	parsed, err := normalize(a.args, all)
	a.json = parsed.json
	if err != nil {
		return err
	}
	c, err := findCommand(parsed.command, all)
	if err != nil {
		return err
	}
	return a.framework(c).RunContext(a.ctx, append([]string{"clawctl", parsed.command}, parsed.args...))
}

// framework describes a command to urfave/cli and takes every decision about output and exit away from it. The other
// commands would only cost time at the start.
func (a *app) framework(c *command) *cli.App {
	common := &commonOptions{color: ui.ColorModes[0]}
	flags, parsing := frameworkFlags(append(common.flags(c), c.flags...))
	return &cli.App{
		Name:                      "clawctl",
		HideHelp:                  true,
		HideVersion:               true,
		DisableSliceFlagSeparator: true,
		Writer:                    io.Discard,
		ErrWriter:                 io.Discard,
		ExitErrHandler:            func(*cli.Context, error) {},
		Commands: []*cli.Command{{
			Name: c.name, HideHelp: true, Flags: flags,
			OnUsageError: func(_ *cli.Context, err error, _ bool) error { return parsing.explain(c, err) },
			Action:       func(ctx *cli.Context) error { return a.perform(c, common, ctx.Args().Slice()) },
		}},
	}
}

// commonOptions are the flags of every command.
type commonOptions struct {
	quiet, verbose, json, force, noPager bool
	format, output, config, color        string
}

func (o *commonOptions) flags(c *command) []flag {
	flags := []flag{
		switchFlag(&o.quiet, "quiet", "print only errors on stderr").withShort("q"),
		switchFlag(&o.verbose, "verbose", "print more on stderr").withShort("v"),
		switchFlag(&o.json, "json", "print reports and errors as JSON (same as --format json)"),
		formatFlag(&o.format, c),
		textFlag(&o.output, "output", "FILE", "write to FILE instead of stdout").withShort("o"),
		switchFlag(&o.force, "force", "let --output replace an existing file"),
		textFlag(&o.config, "config", "FILE", "read the configuration from FILE (see clawctl env)"),
		choiceFlag(&o.color, "color", "WHEN", ui.ColorModes, "when to use color"),
		switchFlag(&o.noPager, "no-pager", "do not page long output"),
	}
	return flags
}

// formatFlag is --format. It is hidden if the command knows only one form of output.
func formatFlag(dst *string, c *command) flag {
	f := choiceFlag(dst, "format", "FORMAT", c.formats, "output format")
	switch {
	case c.name == "":
		f.usage = "output format (see the help of each command)"
	case len(c.formats) == 0:
		f.hidden = true
	case len(c.formats) > 1:
		f.fallback = cmp.Or(c.plain, c.formats[0])
	}
	return f
}

// perform runs a command with the common flags in force.
func (a *app) perform(c *command, o *commonOptions, operands []string) error {
	a.quiet, a.verbose, a.json = o.quiet, o.verbose, o.json
	a.configFlag = o.config
	a.console.term = a.console.dst.SetColor(o.color)
	a.output.term = a.output.stdout.SetColor(o.color)
	if err := o.check(c); err != nil {
		return err
	}
	a.format = cmp.Or(o.format, map[bool]string{true: "json"}[o.json])
	a.json = a.json || a.format == "json" || a.format == "ndjson" && len(c.formats) > 1
	a.output.options = outputOptions{path: o.output, force: o.force, forceHint: a.commandLine("--force")}
	if !c.opensOutput {
		if err := a.output.open(); err != nil {
			return err
		}
	}
	if c.paged && !o.noPager {
		a.startPager()
	}
	a.startProgress(c)
	a.settleConsole()
	defer a.progress.End()
	err := c.run(a, operands)
	if a.ctx.Err() == nil {
		a.noteSkipped()
		a.noteInterrupted()
	}
	var f *failure.Error
	if errors.As(err, &f) && f.Code == failure.UsageCode && f.Hint == "" {
		f.Hint = "clawctl help " + c.name
	}
	return err
}

// check refuses flags that contradict each other, and a configuration that does not exist.
func (o *commonOptions) check(c *command) error {
	switch {
	case o.json && !slices.Contains([]string{"", "json", "ndjson"}, o.format):
		return c.conflict("--json", "--format "+o.format)
	case o.config == "":
		return nil
	}
	if _, err := os.Stat(expandHome(o.config)); err != nil {
		return configFileError(o.config, err)
	}
	return nil
}

// startProgress shows progress on a terminal, unless it would be mixed with records that scroll by.
func (a *app) startProgress(c *command) {
	if !a.console.term.Is || a.quiet || os.Getenv("CI") != "" || c.streams && a.output.term.Is {
		return
	}
	dst := a.console.dst
	if a.output.pager != nil {
		dst = a.output.pager.progress
	}
	a.progress = ui.NewProgress(dst, a.console.term.Columns, a.timing)
	a.output.before = a.progress.Print
}

// print writes text to the output: escaped on a terminal, byte for byte elsewhere.
func (a *app) print(text string) error {
	if _, err := a.output.Write([]byte(text)); err != nil {
		return writeError(a, err)
	}
	return nil
}

// printStyled writes text to the output that was escaped piece by piece and may be coloured.
func (a *app) printStyled(text string) error {
	if err := a.output.printStyled(text); err != nil {
		return writeError(a, err)
	}
	return nil
}

// commandLine is the run's own command with more arguments, for a hint: a flag, or a flag and its value, which replaces
// the one that was given.
func (a *app) commandLine(more ...string) string {
	args := a.args
	if len(more) == 2 {
		args = withoutFlag(args, more[0])
	}
	at := len(args)
	if end := slices.Index(args, "--"); end >= 0 {
		at = end // everything after it is an operand
	}
	return failure.Command(append([]string{"clawctl"}, slices.Insert(slices.Clone(args), at, more...)...)...)
}

// withoutFlag leaves a flag and its value out of arguments.
func withoutFlag(args []string, flag string) (rest []string) {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--":
			return append(rest, args[i:]...)
		case args[i] == flag:
			i++ // and its value
		case !strings.HasPrefix(args[i], flag+"="):
			rest = append(rest, args[i])
		}
	}
	return rest
}
