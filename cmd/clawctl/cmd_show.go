package main

import (
	"slices"
	"strconv"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/showing"
	"clawctl/pkg/read/render"
	"clawctl/pkg/source"
)

func newShowCommand() *cli.Command {
	o := &showFlags{Options: showing.Options{Tools: render.ToolsLine}}
	return &cli.Command{
		Paged:   true,
		Flags:   o.flags,
		Formats: showFormatNames(),
		Run:     o.run,
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

// showFlags are what is shown, as flags.
type showFlags struct {
	showing.Options
	values   cli.ValuesOption
	harness  cli.HarnessOption
	password cli.PasswordOption
}

func (o *showFlags) flags() []cli.Flag {
	tools := []render.Tools{render.ToolsNone, render.ToolsLine, render.ToolsFull}
	flags := []cli.Flag{
		cli.CountFlag(&o.Last, "last", "N", 1, "only the last N turns"),
		cli.RequiredTextFlag(&o.From, "from", "ENTRY", "begin with this entry"),
		cli.RequiredTextFlag(&o.Around, "around", "ENTRY", "show this entry, and only the messages around it"),
		cli.CountFlag(&o.Nearby, "context", "N", 1, "with --around: N messages before and after it").WithShort("C").
			WithDefault(strconv.Itoa(showing.UsualNearby)),
		cli.RequiredTextFlag(&o.Leaf, "leaf", "ID", "end at this entry").WithDefault("the session's last"),
		cli.SwitchFlag(&o.All, "all", "show every branch, in the order of the file"),
		cli.SwitchFlag(&o.Tree, "tree", "show the branches and the related sessions instead of the text"),
		cli.SwitchFlag(&o.Compactions, "compactions", "list the compactions and what they dropped instead of the text"),
		cli.ChoiceFlag(&o.Tools, "tools", "HOW", tools, "how much of tool calls to show"),
		cli.SwitchFlag(&o.Thinking, "thinking", "show what the model thought"),
		cli.SwitchFlag(&o.Subagents, "subagents", "show the conversations of subagents below the calls that started them"),
		cli.SwitchFlag(&o.Sent, "sent", "show what the model was sent, if OpenClaw recorded another text than the user's"),
		cli.CountFlag(&o.Width, "width", "N", 20, "wrap to this width").WithDefault("that of the terminal"),
		cli.SwitchFlag(&o.Raw, "raw", "do not mask keys and passwords, in Markdown, HTML and CSV or with privacy.mask"),
		o.values.Flag(),
		o.harness.Flag(),
		cli.SwitchFlag(&o.Plain, "plain", "make the HTML page work without scripts, for mail; at most 2,000 entries"),
		o.ProgramOption.Flag(),
	}
	return slices.Concat(flags, o.password.Flags(), o.Span.Flags("entries"), o.SourceOptions.Flags())
}

func (o *showFlags) run(a *cli.App, operands []string) error {
	if err := o.check(a); err != nil {
		return err
	}
	span, err := o.Span.Resolve(a)
	if err != nil {
		return err
	}
	if err := o.mask(a); err != nil {
		return err
	}
	session, err := reading.OneSession(a, operands, o.search())
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
	if o.Lock, err = showing.NewLock(a, o.password); err != nil {
		return err
	}
	if err := cli.JoinHarness(a, []*source.Session{session}, o.harness); err != nil {
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

// mask learns what is masked.
func (o *showFlags) mask(a *cli.App) (err error) {
	if o.Rules, err = o.values.Rules(a, o.Raw); err != nil {
		return err
	}
	masks, err := cli.MasksReading(a)
	o.Masks = masks || len(o.Rules) > 0
	return err
}

func (o *showFlags) search() cli.Search {
	return cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly, Stdin: true, ByDefault: true,
		OrLast: true}
}

// check refuses flags that exclude each other.
func (o *showFlags) check(a *cli.App) error {
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
func (o *showFlags) checkFormat(a *cli.App) error {
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
