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
	return &cli.Command{
		Missing: topicList,
		Paged:   true, Instant: true,
		Topics:  helpTopics(),
		Options: &helpOptions{},
	}
}

type helpOptions struct {
	Short bool `flag:"short"` // leave out examples, details and exit statuses: -h asked for it
}

// Run runs the command.
func (o *helpOptions) Run(a *cli.App, operands []string) error {
	width := a.Output.Term.ProseWidth()
	switch {
	case len(operands) > 1:
		return failure.Usage(failure.Command("clawctl", "help", operands[0]), "help takes one command, got %d", len(operands))
	case len(operands) == 0 && o.Short:
		return a.Print(overview(a.Commands, "", width) + "\nRun `clawctl help COMMAND` for more about a command.\n")
	case len(operands) == 0:
		return a.Print(overview(a.Commands, overallExamples, width) +
			"\n" + ui.Wrap("Topics of clawctl help: "+topicList()+".", width, "") + "\n" +
			"\n" + cli.ExitLine(failure.ExitStatuses, width))
	}
	for _, topic := range helpTopics() {
		if topic.Name == operands[0] {
			return topic.Page(a)
		}
	}
	c, err := cli.FindCommand(operands[0], a.Commands)
	switch {
	case err != nil:
		var names []string
		for _, c := range a.Commands {
			names = append(names, c.Name)
		}
		for _, topic := range helpTopics() {
			names = append(names, topic.Name)
		}
		hint := strings.TrimSpace("clawctl help " + failure.Nearest(operands[0], names))
		return failure.Usage(hint, "no command or topic %q", operands[0])
	case o.Short:
		return a.Print(c.ShortHelp(width))
	}
	return a.Print(c.Help(width))
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

// overallExamples are the examples of clawctl itself.
const overallExamples = "\nExamples:\n  # List your sessions\n  clawctl sessions\n" +
	"  # Print one session\n  clawctl cat agent:main:main\n" +
	"  # Show help about a command\n  clawctl help cat\n"

// overview is the help of clawctl itself: what it is for, examples, commands, and flags.
func overview(list []*cli.Command, examples string, width int) string {
	return ui.Wrap("Read, check, convert and back up the transcripts of OpenClaw and its relatives (pi, claw0, GoClaw). "+
		"clawctl works offline. Only repair, prune and redact --in-place change files of other programs, only with "+
		"--write, and export puts the files of a bundle into a home. undo reverts what repair, prune and export did. "+
		"What redact --in-place removes is gone.", width, "") +
		"\n\nUsage:\n  clawctl COMMAND [flags] [SOURCE]...\n" + examples + commandList(list) +
		"\nFlags of every command:\n" + cli.FlagLines((&cli.Command{}).CommonFlags(), width)
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

// sourcesHelp explains SOURCE arguments: paragraphs, and indented lists of names and what they mean.
func sourcesHelp(width int) string {
	const indent = "                  "
	var b strings.Builder
	for block := range strings.SplitSeq(helpText("topics/sources"), "\n\n") {
		if !strings.HasPrefix(block, " ") {
			b.WriteString(ui.Wrap(strings.ReplaceAll(block, "\n", " "), width, "") + "\n\n")
			continue
		}
		for line := range strings.SplitSeq(block, "\n") {
			name, text, _ := strings.Cut(line, ": ")
			fmt.Fprintf(&b, "%-18s%s\n", name, strings.TrimPrefix(ui.Wrap(text, width, indent), indent))
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
