package cli

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

	"clawctl/internal/calendar"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/change"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/source"

	"github.com/urfave/cli/v2"
)

// An App is one run of clawctl: its streams, its clock and its context. What is said on stderr goes through its
// console, data through its output; folders and settings come from its environment.
type App struct {
	*Console
	*environment
	*resources

	Stdin  io.Reader
	Output *Output
	last   *atomic.Pointer[Console] // for the last words about a command that is left running
	Now    func() time.Time         // in the zone
	Zone   calendar.Zone            // of days and times that people read
	Ctx    context.Context
	cancel func()   // ends the command
	Args   []string // as given, without the program's name

	command  *Command        // that runs
	operands []string        // of it
	given    map[string]bool // flags

	Commands   []*Command // that help lists
	hidden     []*Command
	afterwards func(*App)

	Format string // of a report; "" is the command's own

	PollEvery time.Duration // of commands that follow sessions

	searched    []*source.Listing // of which all sessions were wanted
	choiceNoted bool              // that another place has the same sessions too
	known       []*source.Session // all of the places that were opened
	Read        []string          // the paths of places, and of files that were named alone
	Changes     *change.Journal   // of a run that changes files

	zoneError error  // if TZ names a zone that is not known
	zoneFlag  string // --timezone

	Kept *redact.Redactor // notes the names in copies whose texts are masked; nil if there are none
}

// A Setup is what a run begins with. Tests replace its clock and the timing of progress.
type Setup struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Now            func() time.Time
	Timing         ui.Timing
	Poll           time.Duration // how often what is followed is looked at
	Commands       []*Command
	Hidden         []*Command        // commands that help and completion do not list
	Afterwards     func(*App)        // makes the last remarks, after a command that was not interrupted
	Unsafe         func(text string) // gets text that was not escaped where it was laid out; nil: nobody asks
}

// defaultPoll is how often followed sessions are looked at.
const defaultPoll = 250 * time.Millisecond

func newApp(s Setup) *App {
	stdout, stderr := ui.NewStream(s.Stdout, os.Getenv), ui.NewStream(s.Stderr, os.Getenv)
	stdout.ReportUnsafe(s.Unsafe)
	stderr.ReportUnsafe(s.Unsafe)
	a := &App{
		Console:     &Console{Dst: stderr, Term: stderr.Terminal(), timing: s.Timing},
		environment: &environment{},
		resources:   &resources{},
		Stdin:       s.Stdin,
		Output:      NewOutput(stdout),
		last:        &atomic.Pointer[Console]{},
		PollEvery:   cmp.Or(s.Poll, defaultPoll),
		Commands:    s.Commands,
		hidden:      s.Hidden,
		afterwards:  s.Afterwards,
	}
	a.Now = func() time.Time { return a.Zone.In(s.Now()) }
	a.Console.again = a.CommandLine
	a.settleConsole()
	return a
}

// settleConsole makes the console known to runWith, which may have to speak while the command still uses its own.
func (a *App) settleConsole() {
	settled := *a.Console
	a.last.Store(&settled)
}

// run parses the arguments, runs the command and turns its error into an exit status.
func (a *App) run(ctx context.Context) (status int) {
	defer func() {
		if p := recover(); p != nil {
			a.abandon()
			status = a.finish(failure.Internal(fmt.Errorf("%v", p)))
		}
	}()
	a.Ctx, a.cancel = context.WithCancel(ctx)
	defer a.cancel()
	err := a.dispatch()
	a.Progress.End()
	if openErr := a.Output.check(); openErr != nil && failure.KeepsOutput(err) {
		err = openErr
	}
	a.resources.close()
	switch {
	case a.Output.Pager.wasLeft():
		err = nil
	case ctx.Err() != nil && err != nil && err != failure.Stopped:
		err = Interrupted(a)
	}
	if closeErr := a.Output.Finish(err); failure.KeepsOutput(err) {
		err = errors.Join(closeErr, err)
	}
	return a.finish(err)
}

// abandon removes the temporary files of a command that is left running.
func (a *App) abandon() {
	a.Output.Abandon()
	a.discardCopies()
}

// dispatch runs the command that the arguments name. urfave/cli parses the flags, but only after normalize has turned
// the arguments into what it reads without surprises: command, flags, --, operands.
func (a *App) dispatch() error {
	all := slices.Concat(a.Commands, a.hidden)
	parsed, err := Normalize(a.Args, all)
	a.JSON = parsed.json
	if err != nil {
		return err
	}
	c, err := FindCommand(parsed.Command, all)
	if err != nil {
		return err
	}
	common := &commonOptions{color: ui.ColorModes[0]}
	if parsed.Args[0] == "--" { // there are no flags to parse, only flags whose defaults count
		c.OwnFlags()
		return a.perform(c, common, parsed.Args[1:])
	}
	return a.framework(c, common).RunContext(a.Ctx, append([]string{"clawctl", parsed.Command}, parsed.Args...))
}

// framework describes a command to urfave/cli and takes every decision about output and exit away from it. The other
// commands would only cost time at the start.
func (a *App) framework(c *Command, common *commonOptions) *cli.App {
	flags, parsing := frameworkFlags(append(common.flags(c), c.OwnFlags()...))
	a.given = parsing.given
	return &cli.App{
		Name:                      "clawctl",
		HideHelp:                  true,
		HideVersion:               true,
		DisableSliceFlagSeparator: true,
		Writer:                    io.Discard,
		ErrWriter:                 io.Discard,
		ExitErrHandler:            func(*cli.Context, error) {},
		Commands: []*cli.Command{{
			Name: c.Name, HideHelp: true, Flags: flags,
			OnUsageError: func(_ *cli.Context, err error, _ bool) error { return parsing.explain(c, a.Args, err) },
			Action:       func(ctx *cli.Context) error { return a.perform(c, common, ctx.Args().Slice()) },
		}},
	}
}

// commonOptions are the flags of every command.
type commonOptions struct {
	quiet, verbose, json, force, noPager bool
	format, output, config, color, zone  string
}

func (o *commonOptions) flags(c *Command) []Flag {
	flags := []Flag{
		SwitchFlag(&o.quiet, "quiet", "print only errors on stderr").WithShort("q"),
		SwitchFlag(&o.verbose, "verbose", "print more on stderr").WithShort("v"),
		SwitchFlag(&o.json, "json", "print reports and errors as JSON (same as --format json)"),
		formatFlag(&o.format, c),
		TextFlag(&o.output, "output", "FILE", "write to FILE instead of stdout").WithShort("o"),
		SwitchFlag(&o.force, "force", "let --output replace an existing file"),
		TextFlag(&o.config, "config", "FILE", "read the configuration from FILE (see clawctl env)"),
		ChoiceFlag(&o.color, "color", "WHEN", ui.ColorModes, "when to use color"),
		RequiredTextFlag(&o.zone, "timezone", "ZONE", "use "+zoneHelp+" for days and times").WithDefault("yours"),
		SwitchFlag(&o.noPager, "no-pager", "do not page long output"),
	}
	return flags
}

// formatFlag is --format. It is hidden if the command knows only one form of output.
func formatFlag(dst *string, c *Command) Flag {
	f := ChoiceFlag(dst, "format", "FORMAT", c.Formats, "output format")
	switch {
	case c.Name == "":
		f.Usage = "output format (see the help of each command)"
	case len(c.Formats) == 0:
		f.Hidden = true
	case len(c.Formats) > 1:
		f.Fallback = cmp.Or(c.Plain, c.Formats[0])
	}
	return f
}

// perform runs a command with the common flags in force.
func (a *App) perform(c *Command, o *commonOptions, operands []string) error {
	a.command, a.operands = c, operands
	a.Quiet, a.Verbose, a.JSON = o.quiet, o.verbose, o.json
	a.configFlag, a.zoneFlag = o.config, o.zone
	a.Console.Term = a.Console.Dst.SetColor(o.color)
	a.Output.Term = a.Output.Stdout.SetColor(o.color)
	if err := o.check(c); err != nil {
		return err
	}
	if !c.Instant || o.zone != "" { // otherwise it shows no time
		if err := a.settleZone(o.zone); err != nil {
			return err
		}
	}
	a.Format = cmp.Or(o.format, map[bool]string{true: "json"}[o.json])
	a.JSON = a.JSON || a.Format == "json" || a.Format == "ndjson" && c.Formats[0] != "ndjson"
	a.Output.Options = OutputOptions{Path: o.output, Force: o.force, ForceHint: a.CommandLine("--force")}
	if !c.OpensOutput {
		if err := a.Output.Open(); err != nil {
			return err
		}
	}
	if c.Paged && !o.noPager {
		a.startPager()
	}
	a.startProgress(c)
	a.settleConsole()
	defer a.Progress.End()
	err := a.runCommand()
	if a.Ctx.Err() == nil {
		a.noteSkipped()
		a.afterwards(a)
	}
	var f *failure.Error
	if errors.As(err, &f) && f.Code == failure.UsageCode && f.Hint == "" && f.Again == nil {
		f.Hint = c.helpCommand()
	}
	return err
}

// runCommand runs the command, which may take no operands.
func (a *App) runCommand() error {
	if a.command.Operands == "" {
		if err := a.NoOperands(); err != nil {
			return err
		}
	}
	if a.command.Run == nil {
		return a.command.Options.Run(a, a.operands)
	}
	return a.command.Run(a, a.operands)
}

// Blame reports an error and adds it to the outcome of the run. What fails because of an interruption is not reported.
func (a *App) Blame(err error) {
	if err != nil && a.Ctx.Err() != nil {
		err = &failure.ReportedError{Exit: failure.ExitInterrupted}
	}
	a.Console.Blame(err)
}

// NoOperands refuses operands.
func (a *App) NoOperands() error {
	if len(a.operands) > 0 {
		return Usage("%s takes no argument, got %q", a.command.Name, a.operands[0])
	}
	return nil
}

// CommandName is the name of the command that runs.
func (a *App) CommandName() string { return a.command.Name }

// check refuses flags that contradict each other, and a configuration that does not exist.
func (o *commonOptions) check(c *Command) error {
	switch {
	case o.json && !slices.Contains([]string{"", "json", "ndjson"}, o.format):
		return Conflict("--json", "--format "+o.format).WithHint(c.helpCommand())
	case o.config == "":
		return nil
	}
	if _, err := os.Stat(ExpandHome(o.config)); err != nil {
		return configFileError("--config", o.config, err)
	}
	return nil
}

// startProgress shows progress on a terminal that can erase a line, unless it would be mixed with records that scroll
// by.
func (a *App) startProgress(c *Command) {
	if !a.Console.Term.Is || a.Console.Term.Legacy || a.Quiet || os.Getenv("CI") != "" || c.Streams && a.Output.Term.Is {
		return
	}
	dst := a.Console.Dst
	if a.Output.Pager != nil {
		dst = a.Output.Pager.progress
	}
	a.Progress = ui.NewProgress(dst, a.Console.Term.Columns, a.timing)
	a.Output.before = a.Progress.Print
}

// Print writes text to the output: escaped on a terminal, byte for byte elsewhere.
func (a *App) Print(text string) error {
	_, err := a.Output.Write([]byte(text))
	return err
}

// PrintJSON writes a value as a line of JSON.
func (a *App) PrintJSON(value any) error { return a.Print(JSONLine(value)) }

// PrintStyled writes text to the output that was escaped piece by piece and may be coloured.
func (a *App) PrintStyled(text string) error { return a.Output.PrintStyled(text) }

// CommandLine is the run's own command with more arguments, for a hint: a flag, or flags with their values, which
// replace those that were given.
func (a *App) CommandLine(more ...string) string { return commandLine(a.Args, more...) }

// CommandWithout is the run's own command without a flag and its value, and with more arguments.
func (a *App) CommandWithout(flag string, more ...string) string {
	return commandLine(WithoutFlag(a.Args, flag), more...)
}

// CommandWithoutSwitch is the run's own command without a flag that takes no value.
func (a *App) CommandWithoutSwitch(flag string) string {
	return commandLine(slices.DeleteFunc(slices.Clone(a.Args), func(arg string) bool { return arg == flag }))
}

// CommandInstead is the run's own command with an operand before the others, instead of flags.
func (a *App) CommandInstead(flags []string, operand string) string {
	args := a.Args
	for _, flag := range flags {
		args = WithoutFlag(args, flag)
	}
	isCommand := func(arg string) bool { return arg == a.command.Name || slices.Contains(a.command.Aliases, arg) }
	return commandLine(slices.Insert(slices.Clone(args), slices.IndexFunc(args, isCommand)+1, operand))
}

// commandLine is a command with more arguments, as for CommandLine.
func commandLine(args []string, more ...string) string {
	for i := 0; len(more)%2 == 0 && i < len(more); i += 2 {
		args = WithoutFlag(args, more[i])
	}
	at := len(args)
	if end := slices.Index(args, "--"); end >= 0 {
		at = end // everything after it is an operand
	}
	if len(more) == 1 && slices.Contains(args[:at], more[0]) {
		more = nil // it was given already
	}
	return failure.Command(append([]string{"clawctl"}, slices.Insert(slices.Clone(args), at, more...)...)...)
}

// WithoutFlag leaves a flag and its value out of arguments.
func WithoutFlag(args []string, flag string) []string {
	var rest []string
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
