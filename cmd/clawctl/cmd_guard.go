package main

import (
	"context"
	"errors"
	"io"
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/internal/reading"
	"clawctl/internal/shrinking"
	"clawctl/internal/ui"
	"clawctl/pkg/window/guard"
)

func newGuardCommand() *cli.Command {
	return &cli.Command{
		Missing: func() string { return shrinking.SummaryRules },
		Options: &guardOptions{
			SummaryOptions: shrinking.NewSummaryOptions(), CounterOption: reading.CounterOption{Encoding: reading.Encodings[0]},
		},
	}
}

// guardOptions are the flags of guard.
type guardOptions struct {
	shrinking.SummaryOptions
	reading.CounterOption
	budget *int64
}

// OwnFlags makes the flags.
func (o *guardOptions) OwnFlags() []cli.Flag {
	file := o.FileFlag("read the summary of the older half from FILE").Checked(func() error {
		if o.File == "-" {
			return errors.New(`must be a file, got "-"; stdin is the request`)
		}
		return nil
	})
	return slices.Concat(
		[]cli.Flag{
			cli.TokensFlag(&o.budget, "budget", 1, "how many tokens the request may have").WithDefault("180000, as in claw0"),
			file,
		},
		o.OtherFlags(),
		[]cli.Flag{o.CounterOption.Flag("how to count")},
	)
}

// Run runs the command.
func (o *guardOptions) Run(a *cli.App, operands []string) error {
	if err := o.Check(); err != nil {
		return err
	}
	g, err := o.shrinker(a)
	if err != nil {
		return err
	}
	name, body, err := readRequestBody(a, operands)
	if err != nil {
		return err
	}
	a.Progress.Begin("Counting tokens", 0, ui.Unit{})
	result, err := g.Fit(a.Ctx, body)
	a.Progress.End()
	switch f := failure.From(name, err); {
	case f != nil:
		return f
	case err != nil:
		return err
	}
	if result.Cut > 0 {
		a.Note("%s: cut %s", name, ui.Count(result.Cut, "tool result"))
	}
	if result.Summarized > 0 {
		a.Note("%s: summarized %s", name, ui.Count(result.Summarized, "message"))
	}
	if result.Before != result.After {
		a.Note("%s: reduced %s tokens to %s (budget: %s)", name, ui.Thousands(int64(result.Before)),
			ui.Thousands(int64(result.After)), ui.Thousands(int64(g.Budget)))
	}
	return a.Print(string(result.Body))
}

// shrinker returns what the flags describe.
func (o *guardOptions) shrinker(a *cli.App) (*guard.Shrinker, error) {
	g := &guard.Shrinker{Counter: o.Counter(), Budget: guard.DefaultBudget, Offline: o.Offline}
	if o.budget != nil {
		g.Budget = int(*o.budget)
	}
	if o.File != "" {
		text, err := cli.ReadTextFile(a, "summary", o.File)
		g.Summarizer = func(context.Context, func(io.Writer) error) (string, error) { return text, nil }
		return g, err
	}
	g.Summarizer = o.Summarizer(a)
	return g, nil
}

// maxRequest is the largest request that is read. It is that of the longest line.
const maxRequest = 256 << 20

func readRequestBody(a *cli.App, operands []string) (name string, body []byte, err error) {
	switch {
	case len(operands) > 1:
		return "", nil, cli.Usage("guard takes one request, got %d arguments", len(operands))
	case len(operands) == 0 && ui.IsTerminal(a.Stdin):
		return "", nil, cli.Usage("no request given, and stdin is a terminal")
	case len(operands) == 0 || operands[0] == "-":
		name = cli.StdinName
		body, err = openfile.ReadAll(a.Stdin, maxRequest)
	default:
		name = operands[0]
		body, err = openfile.NamedContent(name, maxRequest)
	}
	if err != nil {
		return name, nil, a.MissingPath(name, err, "clawctl help guard")
	}
	return name, body, nil
}
