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
	c := &cli.Command{
		Operands: "[SESSION]",
		About: "Shows one session from its first entry to its last. Compactions and resets are marked, and so is where " +
			"the part begins that the model still sees. A tool call is one line with the first line of its result. " +
			"--tools full shows arguments and results as a whole, and edits as diffs.\n\n" +
			"A SESSION is a file, PLACE#SESSION, the name of a session, or - for stdin (see clawctl help sources). Without " +
			"SESSION, --session, --agent or --kind, it reads stdin or, on a terminal, shows session.defaultKey of the " +
			"configuration, or else the session that was used last.\n\n" +
			"On a terminal, lines are wrapped and Markdown is rendered. In a pipe, text is printed as it was written. " +
			"--width chooses a width for both.\n\n" +
			"If Claude Code or Codex did the work of a session of OpenClaw, --harness shows their tool calls and thinking in " +
			"their place, from their own folders. Such entries say where they are from.\n\n" +
			"The call that started a subagent of Claude Code or Codex names it, with the command that shows it. --subagents " +
			"shows its conversation there.\n\n" +
			"OpenClaw may send more than the user wrote, such as what hooks add. If it recorded that, a remark says so, and " +
			"--sent shows the text.\n\n" +
			"--format markdown prints a document for GitHub. What looks like a key or a password is masked, unless --raw. " +
			"With -o FILE, images are written to the folder FILE-images. --format html writes one page that works offline: " +
			"the whole session with its branches, images, search and filters. Keys are masked there too. With --encrypt, only " +
			"a password opens the page, and nothing about the session can be read without it. --format json and ndjson print " +
			"the parts of the conversation as objects. --format csv prints a row for each message, for spreadsheets, with the " +
			"columns of the table messages of export --as parquet, then agent, month and the text. Keys are masked there too, " +
			"and no cell can become a formula.\n\n" +
			"--around shows an entry that search has found, with -C messages before and after it. It is marked, and all of it " +
			"is shown: arguments, results and thinking too.\n\n" +
			"--last reads only the end of a large file if the rest cannot change the result. Damage before that is then " +
			"not reported.\n\n" +
			"--tree shows the branches instead of the text, and what became of the conversation in other sessions. With " +
			"--format json it is one object.\n\n" +
			"--compactions lists the compactions and resets instead: when and why, the tokens before and after, the turns, " +
			"tool results and files that the model no longer sees, the length of the summary, and how many of the dropped " +
			"files and open calls it names. STATE says whether it is empty, a skeleton of headings, cut off, or was added " +
			"late: after another run began.",
		Examples: []cli.Example{
			{"Read the session that was used last", "clawctl show --session @last"},
			{"Read its last three turns with everything", "clawctl show --session @last --last 3 --tools full --thinking"},
			{"Read the messages around one that search has found", "clawctl show agent:main:main --around 3461ecaf -C 3"},
			{"Write a document for a colleague", "clawctl show agent:main:main --format markdown -o talk.md"},
			{"Make a page to send to somebody", "clawctl show agent:main:main --format html -o talk.html"},
			{"Make a page that only a password opens",
				"clawctl show agent:main:main --format html --encrypt --password-file password.txt -o talk.html"},
			{"List what the user said", "clawctl show SESSION.jsonl --format ndjson | jq -r 'select(.kind == \"user\").text'"},
			{"Show the branches of a session", "clawctl show agent:main:main --tree"},
			{"List what compactions dropped", "clawctl show agent:main:main --compactions"},
		},
		Exits: []int{
			failure.ExitOK, failure.ExitFindings, failure.ExitUsage, failure.ExitDamaged, failure.ExitNothing,
			failure.ExitDatabase, failure.ExitLocked, failure.ExitInterrupted,
		},
		Outcomes: map[int]string{failure.ExitFindings: "no entry is from the time of --since and --until"},
		Paged:    true,
		Flags:    o.flags,
		Formats:  showFormatNames(),
	}
	c.Run = func(a *cli.App, operands []string) error { return o.run(a, c, operands) }
	return c
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

func (o *showFlags) run(a *cli.App, c *cli.Command, operands []string) error {
	if err := o.check(c); err != nil {
		return err
	}
	span, err := o.Span.Resolve(a)
	if err != nil {
		return err
	}
	if err := o.mask(a); err != nil {
		return err
	}
	session, err := reading.OneSession(a, c.Name, operands, o.search())
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
	if o.Rules, err = o.values.Rules(a, "show", o.Raw); err != nil {
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
func (o *showFlags) check(c *cli.Command) error {
	last, from := cli.Given("last", o.Last > 0), cli.Given("from", o.From != "")
	around, all := cli.Given("around", o.Around != ""), cli.Given("all", o.All)
	for _, group := range [][]cli.GivenFlag{
		{around, last, from, all},
		{cli.Given("leaf", o.Leaf != ""), all},
		{around, last, from, cli.Given("tree", o.Tree), cli.Given("compactions", o.Compactions)},
		{cli.Given("plain", o.Plain), cli.Given("encrypt", o.password.Encrypt)}, // which needs a script
	} {
		if given := cli.AllGiven(group...); len(given) > 1 {
			return c.Conflict("--"+given[0], "--"+given[1])
		}
	}
	if o.Nearby > 0 && !around.Given {
		return c.Usage("-C needs --around")
	}
	return nil
}

// checkFormat refuses flags that the format has no place for.
func (o *showFlags) checkFormat(a *cli.App) error {
	if o.Subagents && formatOf(a).name != "text" {
		return failure.Usage(a.CommandLine("--format", "text"), "--subagents needs --format text")
	}
	if flag := cli.FirstGiven(cli.Given("tree", o.Tree), cli.Given("compactions", o.Compactions)); flag != "" &&
		a.Format == "csv" {
		return failure.Usage(a.CommandLine("--format", "json"), "--%s has no --format csv", flag)
	}
	if a.Format != "html" {
		if flag := cli.FirstGiven(cli.Given("plain", o.Plain), cli.Given("encrypt", o.password.Encrypt)); flag != "" {
			return failure.Usage(a.CommandLine("--format", "html"), "--%s needs --format html", flag)
		}
		return nil
	}
	given := cli.FirstGiven(
		cli.Given("last", o.Last > 0), cli.Given("from", o.From != ""), cli.Given("around", o.Around != ""),
		cli.Given("since", o.Span.Since.IsSet()), cli.Given("until", o.Span.Until.IsSet()),
		cli.Given("during", o.Span.During != ""),
		cli.Given("tree", o.Tree), cli.Given("width", o.Width > 0),
	)
	switch {
	case given != "":
		return failure.Usage("clawctl help show", "a page has the whole session, so --format html has no --%s", given)
	case a.Output.Term.Is:
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
