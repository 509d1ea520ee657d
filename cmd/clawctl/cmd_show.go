package main

import (
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/showing"
	"clawctl/pkg/read/render"
	"clawctl/pkg/source"
)

func newShowCommand() *cli.Command {
	return &cli.Command{
		Paged:   true,
		Options: &showOptions{Options: showing.Options{Tools: render.ToolsLine}},
		Formats: showFormatNames(),
	}
}

// A showFormat is a form in which show prints a session.
type showFormat struct {
	name  string
	print func(s *showing.View) error
}

// showFormats are the formats of show; the first is the default.
var showFormats = []showFormat{
	{"text", showing.PrintText},
	{"markdown", showing.PrintMarkdown},
	{"html", showing.PrintHTML},
	{"json", func(s *showing.View) error { return showing.PrintParts(s, cli.ArrayFrame) }},
	{"ndjson", func(s *showing.View) error { return showing.PrintParts(s, cli.LinesFrame) }},
	{"csv", showing.PrintCSV},
}

func showFormatNames() (names []string) {
	for _, f := range showFormats {
		names = append(names, f.name)
	}
	return names
}

// showOptions are the flags of show.
type showOptions struct{ showing.Options }

// OwnFlags makes the flags.
func (o *showOptions) OwnFlags() []cli.Flag {
	tools := []render.Tools{render.ToolsNone, render.ToolsLine, render.ToolsFull}
	return cli.FlagsOf(&o.Options, cli.ChoiceFlag(&o.Tools, "tools", "HOW", tools, "how much of tool calls to show"))
}

// Run runs the command.
func (o *showOptions) Run(a *cli.App, operands []string) error {
	if err := o.check(a); err != nil {
		return err
	}
	span, err := o.Span.Resolve(a)
	if err != nil {
		return err
	}
	if o.Rules, err = o.Values.Rules(a, o.Raw); err != nil {
		return err
	}
	masks, err := cli.MasksReading(a)
	if err != nil {
		return err
	}
	o.Masks = masks || len(o.Rules) > 0
	session, err := reading.OneSession(a, operands, cli.Search{SourceOptions: o.SourceOptions,
		Defaults: cli.LiveOnly, Stdin: true, ByDefault: true, OrLast: true})
	if err != nil {
		return err
	}
	if len(operands) == 0 && session.Path == cli.StdinName && session.IsBlank() {
		return failure.New(failure.Nothing, "nothing to read: stdin is empty and no session is named").At(cli.StdinName).
			WithHint(a.ListCommand())
	}
	if err := o.checkFormat(a); err != nil {
		return err
	}
	if o.Lock, err = showing.NewLock(a, o.Password); err != nil {
		return err
	}
	if err := cli.JoinHarness(a, []*source.Session{session}, o.Harness); err != nil {
		return err
	}
	s := &showing.View{App: a, Options: &o.Options, Span: span, Session: session}
	s.Facts.Name = showing.NameOf(session, operands)
	if session.IsBlank() {
		a.Note("nothing to read: %s is empty", s.Facts.Name)
	}
	switch {
	case o.Tree:
		return showing.PrintTree(s)
	case o.Compactions:
		return showing.PrintCompactions(s)
	}
	err = formatOf(a).print(s)
	cli.NoteUnread(a, []*source.Session{session})
	if err != nil || !s.IsOutOfTime() {
		return err
	}
	return failure.Findings
}

// check refuses flags that exclude each other.
func (o *showOptions) check(a *cli.App) error {
	for _, group := range [][]string{
		{"around", "last", "from", "all"}, {"leaf", "all"}, {"around", "last", "from", "tree", "compactions"},
		{"plain", "encrypt"}, // which needs a script
	} {
		if given := a.Given(group...); len(given) > 1 {
			return cli.Conflict("--"+given[0], "--"+given[1])
		}
	}
	if o.Nearby > 0 && o.Around == "" {
		return cli.Usage("-C needs --around")
	}
	return nil
}

// checkFormat refuses flags that the format has no place for.
func (o *showOptions) checkFormat(a *cli.App) error {
	list, page := a.FirstGiven("tree", "compactions"), a.FirstGiven("plain", "encrypt")
	isPage := a.Format == "html"
	switch part := a.FirstGiven("last", "from", "around", "since", "until", "during", "tree", "width"); {
	case o.Subagents && formatOf(a).name != "text":
		return failure.Usage(a.CommandLine("--format", "text"), "--subagents needs --format text")
	case list != "" && a.Format == "csv":
		return failure.Usage(a.CommandLine("--format", "json"), "--%s has no --format csv", list)
	case page != "" && !isPage:
		return failure.Usage(a.CommandLine("--format", "html"), "--%s needs --format html", page)
	case part != "" && isPage:
		return cli.Usage("a page has the whole session, so --format html has no --%s", part)
	case isPage && a.Output.Term.Is:
		return failure.Usage(a.CommandLine("-o", "page.html"), "a page is not for a terminal; write it to a file")
	}
	return nil
}

// format is the one that was asked for.
func formatOf(a *cli.App) showFormat {
	for _, f := range showFormats {
		if f.name == a.Format {
			return f
		}
	}
	return showFormats[0]
}
