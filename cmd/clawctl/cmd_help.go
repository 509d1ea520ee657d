package main

import (
	"fmt"
	"strings"

	"clawctl/docs"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/read/render"
)

func newHelpCommand() *cli.Command {
	o := &helpOptions{}
	short := cli.SwitchFlag(&o.short, "short", "leave out examples, details and exit statuses")
	short.Hidden = true
	return &cli.Command{
		Missing: topicList,
		Paged:   true, Instant: true,
		Topics: helpTopics(),
		Flags:  func() []cli.Flag { return []cli.Flag{short} },
		Run:    o.run,
	}
}

type helpOptions struct {
	short bool // -h asked for it
}

func (o *helpOptions) run(a *cli.App, operands []string) error {
	width := a.Output.Term.ProseWidth()
	switch {
	case len(operands) > 1:
		return failure.Usage(failure.Command("clawctl", "help", operands[0]), "help takes one command, got %d", len(operands))
	case len(operands) == 0 && o.short:
		return a.Print(overallShortHelp(a.Commands, width))
	case len(operands) == 0:
		return a.Print(overallHelp(a.Commands, width))
	}
	for _, topic := range helpTopics() {
		if topic.Name == operands[0] {
			return topic.Page(a)
		}
	}
	c, err := cli.FindCommand(operands[0], a.Commands)
	switch {
	case err != nil:
		return unknownPage(a, operands[0])
	case o.short:
		return a.Print(c.ShortHelp(width))
	}
	return a.Print(c.Help(width))
}

// unknownPage is the failure of help about something that is no command and no topic.
func unknownPage(a *cli.App, name string) error {
	var names []string
	for _, c := range a.Commands {
		names = append(names, c.Name)
	}
	for _, topic := range helpTopics() {
		names = append(names, topic.Name)
	}
	hint := strings.TrimSpace("clawctl help " + failure.Nearest(name, names))
	return failure.Usage(hint, "no command or topic %q", name)
}

// helpTopics lists the pages that are not about one command.
func helpTopics() []cli.Topic {
	return []cli.Topic{
		{Name: "sources", Summary: "What a SOURCE may be", Page: func(a *cli.App) error {
			return a.Print(sourcesHelp(a.Output.Term.ProseWidth()))
		}},
		{Name: "config", Summary: "The configuration and its settings", Page: docPage(docs.Config)},
		{Name: "numbers", Summary: "What every number means", Page: docPage(docs.Numbers)},
		{Name: "models", Summary: "Windows and prices of models", Page: docPage(docs.Models)},
		{Name: "codes", Summary: "Every code and exit status", Page: docPage(docs.Findings)},
	}
}

// topicList lists the topics in a sentence.
func topicList() string {
	var names []string
	for _, topic := range helpTopics() {
		names = append(names, fmt.Sprintf("%s (%s)", topic.Name, strings.ToLower(topic.Summary[:1])+topic.Summary[1:]))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// docPage prints a page of the documentation.
func docPage(text string) func(a *cli.App) error {
	return func(a *cli.App) error {
		width := a.Output.Term.ProseWidth()
		return a.PrintStyled(render.Page(text, render.Style{Width: width, Color: a.Output.Term.Color}))
	}
}

// overallHelp is the help of clawctl itself.
func overallHelp(list []*cli.Command, width int) string {
	return overallPurpose(width) +
		"\nExamples:\n  # List your sessions\n  clawctl sessions\n" +
		"  # Print one session\n  clawctl cat agent:main:main\n" +
		"  # Show help about a command\n  clawctl help cat\n" +
		commandList(list) +
		"\nFlags of every command:\n" + cli.FlagLines((&cli.Command{}).CommonFlags(), width) +
		"\n" + ui.Wrap("Topics of clawctl help: "+topicList()+".", width, "") + "\n" +
		"\n" + cli.ExitLine(failure.ExitStatuses, width)
}

// overallShortHelp is what clawctl -h prints.
func overallShortHelp(list []*cli.Command, width int) string {
	return overallPurpose(width) + commandList(list) +
		"\nFlags of every command:\n" + cli.FlagLines((&cli.Command{}).CommonFlags(), width) +
		"\nRun `clawctl help COMMAND` for more about a command.\n"
}

func overallPurpose(width int) string {
	return ui.Wrap("Read, check, convert and back up the transcripts of OpenClaw and its relatives (pi, claw0, GoClaw). "+
		"clawctl works offline. Only repair, prune and redact --in-place change files of other programs, only with "+
		"--write, and export puts the files of a bundle into a home. undo reverts what repair, prune and export did. "+
		"What redact --in-place removes is gone.", width, "") +
		"\n\nUsage:\n  clawctl COMMAND [flags] [SOURCE]...\n"
}

// commandList lists all commands by group. A group without commands is left out.
func commandList(list []*cli.Command) string {
	var b strings.Builder
	b.Grow(80 * len(list))
	for _, group := range cli.Groups {
		heading := "\n" + strings.ToUpper(group[:1]) + group[1:] + ":\n"
		for _, c := range list {
			if c.Group == group {
				fmt.Fprintf(&b, "%s  %-11s %s\n", heading, c.Name, c.Summary)
				heading = ""
			}
		}
	}
	return b.String()
}

// sourcesHelp explains SOURCE arguments.
func sourcesHelp(width int) string {
	var b strings.Builder
	paragraph := func(text string) { b.WriteString(ui.Wrap(text, width, "") + "\n\n") }
	item := func(name, text string) {
		indent := strings.Repeat(" ", 18)
		fmt.Fprintf(&b, "  %-16s%s\n", name, strings.TrimPrefix(ui.Wrap(text, width, indent), indent))
	}
	paragraph("What a SOURCE may be")
	item("FILE", "a transcript of any dialect, plain or compressed (.zst, .gz), whatever its name")
	item("FOLDER", "a state folder or any part of it, a claw0 workspace, any folder with transcripts")
	item("DATABASE", "an OpenClaw database or a clawctl store")
	item("BUNDLE", "a .tar.zst file that export --as bundle made; it is read without unpacking it")
	item("PLACE#SESSION", "one session of a folder, bundle or database")
	item("SESSION", "the name of a session alone")
	item("-", "standard input")
	item("NAME=SOURCE", "stats, sessions: any of these that is a path, as the host NAME")
	b.WriteString("\n")
	paragraph("How to name a SESSION")
	item("KEY", "its key, such as agent:main:main")
	item("ID", "its id, such as 1446f8af-0c6e-4b6f-9d9f-3f3b5a0c8d11")
	item("BEGINNING", "the beginning of a key or id, if only one session matches")
	item("NAME@live", "the live session alone, without the archives that share its key or id")
	item("FILE NAME", "the name of its file in the state folder, as verify and prune print it")
	item("trash:3", "an item of the trash of clawctl's store, as restore --list prints it")
	item("@last", "the live session with the last record, the first in clawctl sessions")
	item("@1 to @9", "live sessions by recency; @1 is the same as @last")
	b.WriteString("\n")
	paragraph("Commands that only read take all of these, after # and in --session too. Commands that write to " +
		"clawctl's store take no @last, and of beginnings only the names that clawctl sessions prints.")
	paragraph("A path that exists always wins. A name without a path is looked up in the state folder and then in " +
		"clawctl's store (see clawctl env). If both have it, the one in the state folder is used, and a note says so. " +
		"An exact key or id in either place wins over the beginning of one. " +
		"@last and @1 to @9 are sessions of the store only if the state folder has no live session. " +
		"--session, --agent and --kind without a SOURCE are looked up the same way. " +
		"export looks a name up in the store, and then in the state folder. " +
		"compact, checkpoint and flush with --append look in the store only.")
	paragraph("Without any of these, cat, rebuild and tokens read standard input. " +
		"guard reads a request from standard input, and export uses clawctl's store. " +
		"Every other command uses the state folder and never reads standard input.")
	b.WriteString(ui.Wrap("--session, --agent and --kind narrow what is found in a folder, bundle or database. A FILE "+
		"is never filtered. sessions, stats, import, export and verify look at all kinds, other commands at live "+
		"sessions only.", width, "") + "\n")
	return b.String()
}
