package main

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"clawctl/pkg/config"

	"github.com/urfave/cli/v2"
)

// An app is one run of clawctl.
type app struct {
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	outTerm terminal
	errTerm terminal
	now     func() time.Time

	ctx      context.Context
	args     []string // as given, without the program's name
	output   *output
	progress *progress

	placesMu sync.Mutex
	places   []openPlace // that commands opened
	cleanup  []func()    // of temporary files

	configFlag string         // --config
	config     *config.Config // once it was asked for

	quiet, verbose, json bool
	format               string // of a report, "" for the command's own
}

func newApp(stdin io.Reader, stdout, stderr io.Writer) *app {
	return &app{
		stdin: stdin, stdout: stdout, stderr: stderr,
		outTerm: newTerminal(stdout), errTerm: newTerminal(stderr),
		now:    time.Now,
		output: &output{Writer: stdout, name: "stdout"},
	}
}

// A command is one subcommand: what help, completion and the parser know of it, and what it does.
type command struct {
	name     string
	group    string
	args     string // in the usage line
	summary  string
	about    string // paragraphs
	examples []string
	exits    []int
	flags    []cli.Flag
	operands []string // what completion offers besides files; nil: files
	formats  []string // what --format may be
	folders  bool     // --output may be a folder: the command opens it
	run      func(*app, *cli.Context) error
}

// groups are the headings of help, in order.
var groups = []string{"look", "check", "move", "shrink", "tool"}

// commands returns every command, in the order of help.
func commands() []*command {
	return []*command{sessionsCommand(), catCommand(), rebuildCommand(), tokensCommand(), statsCommand(), contextCommand(), validateCommand(), explainCommand(), importCommand(), exportCommand(), verifyCommand(), compactCommand(), checkpointCommand(), flushCommand(), guardCommand(), overviewCommand(), envCommand(), completionCommand(), versionCommand(), helpCommand()}
}

// commonFlags work with every command.
func commonFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no remarks on stderr, only errors"},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "say more on stderr"},
		&cli.BoolFlag{Name: "json", Usage: "reports and errors as JSON, like --format json"},
		&cli.StringFlag{Name: "format", Usage: "print as `FORMAT`: those of the command, such as table, json, ndjson, csv or markdown"},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of stdout"},
		&cli.BoolFlag{Name: "force", Usage: "let --output replace a file"},
		&cli.StringFlag{Name: "config", Usage: "read the configuration from `FILE`; clawctl env shows what is in force"},
		&cli.StringFlag{Name: "color", Value: "auto", Usage: "`WHEN` to use colour: auto, always or never"},
	}
}

// dispatch runs the command that the arguments name. urfave/cli parses the flags, but only after normalize has made of
// the arguments what it reads without surprises: command, flags, --, operands.
func (a *app) dispatch(args []string) error {
	if len(args) > 0 {
		a.args = args[1:]
	}
	all := commands()
	parsed, err := normalize(a.args, all)
	a.json = parsed.json
	if err != nil {
		return err
	}
	return a.framework(all).RunContext(a.ctx, append([]string{"clawctl", parsed.command}, parsed.args...))
}

// framework describes the commands to urfave/cli and takes every decision about output and exit away from it.
func (a *app) framework(all []*command) *cli.App {
	fw := &cli.App{
		Name:                      "clawctl",
		HideHelp:                  true,
		HideVersion:               true,
		DisableSliceFlagSeparator: true,
		Writer:                    io.Discard,
		ErrWriter:                 io.Discard,
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              onUsageError,
	}
	for _, c := range all {
		fw.Commands = append(fw.Commands, &cli.Command{
			Name: c.name, HideHelp: true, Flags: append(commonFlags(), c.flags...), OnUsageError: onUsageError,
			Action: func(ctx *cli.Context) error { return a.perform(c, ctx) },
		})
	}
	return fw
}

func onUsageError(ctx *cli.Context, err error, _ bool) error {
	return usageError("clawctl help "+ctx.Command.Name, "%s: %v", ctx.Command.Name, err)
}

// perform runs a command with the common flags in force.
func (a *app) perform(c *command, ctx *cli.Context) error {
	a.quiet, a.verbose, a.json = ctx.Bool("quiet"), ctx.Bool("verbose"), ctx.Bool("json")
	a.configFlag = ctx.String("config")
	switch when := ctx.String("color"); when {
	case "auto", "always", "never":
		a.errTerm.setColor(when)
		a.outTerm.setColor(when)
	default:
		return usageError("clawctl help "+c.name, "--color is auto, always or never, not %q", when)
	}
	a.format = cmp.Or(ctx.String("format"), jsonFormat[a.json])
	if ctx.IsSet("format") && !slices.Contains(c.formats, a.format) {
		return usageError("clawctl help "+c.name, "%s has %s, not --format %q", c.name, formatWords(c.formats), a.format)
	}
	a.json = a.json || a.format == "json" || a.format == "ndjson" && len(c.formats) > 1
	if !c.folders {
		if err := a.openOutput(ctx.String("output"), ctx.Bool("force")); err != nil {
			return err
		}
	}
	a.progress = a.newProgress()
	defer a.progress.clear()
	return c.run(a, ctx)
}

// jsonFormat is the format that --json asks for.
var jsonFormat = map[bool]string{true: "json"}

func formatWords(formats []string) string {
	if len(formats) == 0 {
		return "only one format"
	}
	return "the formats " + strings.Join(formats, ", ")
}

// commandLine is the run's own command with more arguments, for a hint: a flag, or a flag and its value, which takes the
// place of the one that was given.
func (a *app) commandLine(more ...string) string {
	args := a.args
	if len(more) == 2 {
		args = withoutFlag(args, more[0])
	}
	at := len(args)
	if end := slices.Index(args, "--"); end >= 0 {
		at = end // behind it everything is an operand
	}
	words := []string{"clawctl"}
	for _, arg := range slices.Insert(slices.Clone(args), at, more...) {
		words = append(words, shellQuote(arg))
	}
	return strings.Join(words, " ")
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
