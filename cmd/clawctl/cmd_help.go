package main

import (
	"fmt"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
)

func newHelpCommand() *command {
	return &command{
		name: "help", group: "tool", operands: "[COMMAND|sources]", summary: "Show help about a command",
		about: "Without an argument it lists all commands. `clawctl COMMAND --help` shows the same. " +
			"`clawctl help sources` explains what a SOURCE may be.",
		examples: []example{
			{"All commands", "clawctl help"},
			{"One command", "clawctl help cat"},
			{"What a SOURCE may be", "clawctl help sources"},
		},
		exits: []int{failure.ExitOK, failure.ExitUsage},
		paged: true,
		run:   runHelp,
	}
}

func runHelp(a *app, operands []string) error {
	width := a.output.term.ProseWidth()
	switch {
	case len(operands) > 1:
		return failure.Usage(failure.Command("clawctl", "help", operands[0]), "help takes one command, got %d", len(operands))
	case len(operands) == 0:
		return a.print(overallHelp(width))
	case operands[0] == "sources":
		return a.print(sourcesHelp(width))
	}
	c, err := findCommand(operands[0], commands())
	if err != nil {
		return err
	}
	return a.print(c.help(width))
}

// overallHelp is the help of clawctl itself.
func overallHelp(width int) string {
	var b strings.Builder
	b.WriteString(ui.Wrap("clawctl reads every transcript that OpenClaw and its relatives (pi, claw0, GoClaw) "+
		"have written. It works offline and never changes what it reads.", width, "") + "\n")
	b.WriteString("\nUsage:\n  clawctl COMMAND [flags] [SOURCE]...\n")
	b.WriteString("\nExamples:\n  clawctl sessions\n  clawctl cat agent:main:main | jq .type\n  clawctl help cat\n")
	for _, group := range groups {
		fmt.Fprintf(&b, "\n%s:\n", strings.ToUpper(group[:1])+group[1:])
		for _, c := range commands() {
			if c.group == group {
				fmt.Fprintf(&b, "  %-11s %s\n", c.name, c.summary)
			}
		}
	}
	b.WriteString("\nFlags of every command:\n" + flagLines((&commonOptions{color: "auto"}).flags(&command{}), width))
	b.WriteString("\nExit status:\n" + exitLines(func(int) bool { return true }))
	return b.String()
}

// help is the help of one command: purpose, usage, examples, flags, details, exit status.
func (c *command) help(width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage:\n  clawctl %s\n", c.summary, strings.TrimSpace(c.name+" [flags] "+c.operands))
	b.WriteString("\nExamples:\n")
	for _, e := range c.examples {
		fmt.Fprintf(&b, "  # %s\n  %s\n", e.comment, e.command)
	}
	if len(c.flags) > 0 {
		b.WriteString("\nFlags:\n" + flagLines(c.flags, width))
	}
	b.WriteString("\nFlags of every command:\n" + flagLines((&commonOptions{color: "auto"}).flags(c), width))
	for paragraph := range strings.SplitSeq(c.about, "\n\n") {
		b.WriteString("\n" + ui.Wrap(paragraph, width, "") + "\n")
	}
	b.WriteString("\nExit status:\n" + exitLines(func(status int) bool { return slices.Contains(c.exits, status) }))
	return b.String()
}

func exitLines(shows func(status int) bool) string {
	var b strings.Builder
	for _, e := range failure.ExitStatuses {
		if shows(e.Status) {
			fmt.Fprintf(&b, "  %-4d%s\n", e.Status, e.Words)
		}
	}
	return b.String()
}

// flagLines lists flags with their meaning.
func flagLines(flags []flag, width int) string {
	names := make([]string, len(flags))
	column := 0
	for i, f := range flags {
		names[i] = flagNames(f)
		if n := len(names[i]) + 2; n <= widestFlag {
			column = max(column, n)
		}
	}
	var b strings.Builder
	indent := strings.Repeat(" ", column+4)
	for i, f := range flags {
		if f.hidden {
			continue
		}
		text := strings.TrimPrefix(ui.Wrap(flagUsage(f), width, indent), indent)
		if len(names[i])+2 > widestFlag {
			fmt.Fprintf(&b, "  %s\n%s%s\n", names[i], indent, text)
			continue
		}
		fmt.Fprintf(&b, "  %-*s  %s\n", column, names[i], text)
	}
	return b.String()
}

// widestFlag is how wide the column of flags may become.
const widestFlag = 26

// flagNames returns a flag as help shows it: "-o, --output FILE".
func flagNames(f flag) string {
	text := "    --" + f.name
	if f.short != "" {
		text = "-" + f.short + ", --" + f.name
	}
	if f.value != "" {
		text += " " + f.value
	}
	return text
}

// flagUsage is what a flag does, with its allowed values and its default.
func flagUsage(f flag) string {
	text := f.usage
	if len(f.choices) > 0 {
		text += ": " + strings.Join(f.choices, ", ")
	}
	if f.fallback != "" {
		text += " (default " + f.fallback + ")"
	}
	return text
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
	item("PLACE#SESSION", "one session of a folder or database, by key, id, or a unique beginning of one")
	item("SESSION", "a key or id alone, such as agent:main:main")
	item("-", "standard input")
	b.WriteString("\n")
	paragraph("A path that exists always wins. A name without a path is looked up in the state folder and then in " +
		"clawctl's store (see clawctl env). If both have it, the state folder's is used, and a remark says so. " +
		"An exact key or id in either place wins over the beginning of one. " +
		"--session, --agent and --kind without a SOURCE are looked up the same way. " +
		"export, and compact, checkpoint and flush with --append, look in the store only.")
	paragraph("Without any of these, cat, rebuild and tokens read standard input. " +
		"Every other command uses the state folder and never reads standard input.")
	b.WriteString(ui.Wrap("--session, --agent and --kind narrow what is found in a folder or database. A FILE is never "+
		"filtered. sessions, stats, import and verify look at all kinds, other commands at live sessions only.", width, "") +
		"\n")
	return b.String()
}
