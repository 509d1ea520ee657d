package main

import (
	"slices"

	"clawctl/internal/failure"
	"clawctl/pkg/render"
)

func newShowCommand() *command {
	o := &showOptions{tools: render.ToolsLine}
	c := &command{
		name: "show", group: "read", operands: "[SESSION]", summary: "Show a conversation for reading",
		about: "Shows one session from its first entry to its last. Compactions and resets are marked, and so is where " +
			"the part begins that the model still sees. A tool call is one line with the first line of its result. " +
			"--tools full shows arguments and results as a whole, and edits as diffs.\n\n" +
			"A SESSION is a file, PLACE#SESSION, the name of a session, or - for stdin (see clawctl help sources). Without " +
			"SESSION, --session, --agent or --kind, it reads stdin or, on a terminal, shows session.defaultKey of the " +
			"configuration.\n\n" +
			"On a terminal, lines are wrapped and Markdown is rendered. In a pipe, text is printed as it was written. " +
			"--width chooses a width for both.\n\n" +
			"--format markdown prints a document for GitHub. What looks like a key or a password is masked, unless --raw. " +
			"With -o FILE, images are written to the folder FILE-images. --format html writes one page that works offline: " +
			"the whole session with its branches, images, search and filters. Keys are masked there too. --format json and " +
			"ndjson print the parts of the conversation as objects.\n\n" +
			"--last reads only the end of a large file if the rest cannot change the result. Damage before that is then " +
			"not reported.\n\n" +
			"--tree shows the branches instead of the text, and what became of the conversation in other sessions. With " +
			"--format json it is one object.",
		examples: []example{
			{"Read the session that was used last", "clawctl show --session @last"},
			{"Read its last three turns with everything", "clawctl show --session @last --last 3 --tools full --thinking"},
			{"Write a document for a colleague", "clawctl show agent:main:main --format markdown -o talk.md"},
			{"Make a page to send to somebody", "clawctl show agent:main:main --format html -o talk.html"},
			{"List what the user said", "clawctl show SESSION.jsonl --format ndjson | jq -r 'select(.kind == \"user\").text'"},
			{"Show the branches of a session", "clawctl show agent:main:main --tree"},
		},
		exits: []int{
			failure.ExitOK, failure.ExitUsage, failure.ExitDamaged, failure.ExitNothing, failure.ExitDatabase,
			failure.ExitLocked, failure.ExitInterrupted,
		},
		paged:   true,
		flags:   o.flags(),
		formats: showFormatNames(),
	}
	c.run = func(a *app, operands []string) error { return o.run(a, c, operands) }
	return c
}

// A showFormat is a form in which show prints a session.
type showFormat struct {
	name  string
	print func(s *showing) error
}

// showFormats are the formats of show; the first is the default.
var showFormats = []showFormat{
	{"text", printText},
	{"markdown", printMarkdown},
	{"html", printHTML},
	{"json", func(s *showing) error { return printParts(s, arrayFrame) }},
	{"ndjson", func(s *showing) error { return printParts(s, linesFrame) }},
}

func showFormatNames() (names []string) {
	for _, f := range showFormats {
		names = append(names, f.name)
	}
	return names
}

func (o *showOptions) flags() []flag {
	tools := []render.Tools{render.ToolsNone, render.ToolsLine, render.ToolsFull}
	flags := []flag{
		countFlag(&o.last, "last", "N", 1, "only the last N turns"),
		requiredTextFlag(&o.from, "from", "ENTRY", "begin with this entry"),
		requiredTextFlag(&o.leaf, "leaf", "ID", "end at this entry").withDefault("the session's last"),
		switchFlag(&o.all, "all", "show every branch, in the order of the file"),
		switchFlag(&o.tree, "tree", "show the branches and the related sessions instead of the text"),
		choiceFlag(&o.tools, "tools", "HOW", tools, "how much of tool calls to show"),
		switchFlag(&o.thinking, "thinking", "show what the model thought"),
		countFlag(&o.width, "width", "N", 20, "wrap to this width").withDefault("that of the terminal"),
		switchFlag(&o.raw, "raw", "do not mask keys and passwords in Markdown and HTML"),
		switchFlag(&o.plain, "plain", "make the HTML page work without scripts, for mail; at most 2,000 entries"),
		o.programOption.flag(),
	}
	return slices.Concat(flags, o.span.flags("entries"), o.sourceOptions.flags())
}

func (o *showOptions) run(a *app, c *command, operands []string) error {
	if err := o.check(c); err != nil {
		return err
	}
	span, err := o.span.resolve(a.now())
	if err != nil {
		return err
	}
	session, err := oneSession(a, c.name, operands, o.search())
	if err != nil {
		return err
	}
	if err := o.checkFormat(a); err != nil {
		return err
	}
	s := &showing{app: a, options: o, span: span, session: session}
	s.facts.name = nameOf(session, operands)
	if o.tree {
		return printTree(s)
	}
	return s.format().print(s)
}

func (o *showOptions) search() search {
	return search{sourceOptions: o.sourceOptions, defaults: live, stdin: true, byDefault: true}
}

// check refuses flags that exclude each other.
func (o *showOptions) check(c *command) error {
	for _, pair := range [][2]givenFlag{
		{{"last", o.last > 0}, {"from", o.from != ""}},
		{{"last", o.last > 0}, {"all", o.all}},
		{{"from", o.from != ""}, {"all", o.all}},
		{{"leaf", o.leaf != ""}, {"all", o.all}},
		{{"last", o.last > 0}, {"tree", o.tree}},
		{{"from", o.from != ""}, {"tree", o.tree}},
	} {
		if pair[0].given && pair[1].given {
			return c.conflict("--"+pair[0].name, "--"+pair[1].name)
		}
	}
	return nil
}

// checkFormat refuses flags that the format has no place for.
func (o *showOptions) checkFormat(a *app) error {
	if a.format != "html" {
		if o.plain {
			return failure.Usage(a.commandLine("--format", "html"), "--plain needs --format html")
		}
		return nil
	}
	given := firstGiven([]givenFlag{
		{"last", o.last > 0}, {"from", o.from != ""}, {"since", o.span.since.isSet()}, {"until", o.span.until.isSet()},
		{"tree", o.tree}, {"width", o.width > 0},
	})
	switch {
	case given != "":
		return failure.Usage("clawctl help show", "a page has the whole session, so --format html has no --%s", given)
	case a.output.term.Is:
		return failure.Usage(a.commandLine("-o", "page.html"), "a page is not for a terminal; write it to a file")
	}
	return nil
}

// format is the one that was asked for.
func (s *showing) format() showFormat {
	for _, f := range showFormats {
		if f.name == s.app.format {
			return f
		}
	}
	return showFormats[0]
}
