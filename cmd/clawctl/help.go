package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

func helpCommand() *command {
	return &command{
		name: "help", group: "tool", args: "[COMMAND]", summary: "what a command does, with examples",
		about:    "Shows the overview, or all about one command. `clawctl COMMAND --help` does the same.",
		examples: []string{"clawctl help", "clawctl help cat"},
		exits:    []int{exitOK, exitUsage},
		run:      runHelp,
	}
}

func runHelp(a *app, ctx *cli.Context) error {
	if ctx.NArg() > 1 {
		return usageError("clawctl help "+ctx.Args().First(), "help is about one command at a time")
	}
	if ctx.NArg() == 0 {
		return a.print(overallHelp(a.outTerm.width))
	}
	c, err := findCommand(ctx.Args().First(), commands())
	if err != nil {
		return err
	}
	return a.print(c.help(a.outTerm.width))
}

// print writes text to the output.
func (a *app) print(text string) error {
	if _, err := a.output.Write([]byte(text)); err != nil {
		return a.writeError(err)
	}
	return nil
}

// overallHelp is the help of clawctl itself.
func overallHelp(width int) string {
	var b strings.Builder
	b.WriteString(wrap("clawctl reads every transcript that OpenClaw and its relatives (pi, claw0, GoClaw) ever wrote, "+
		"says what is wrong with it, and loses nothing. It works offline and never changes what it reads.", width, "") + "\n\n")
	b.WriteString("  clawctl sessions\n  clawctl cat ~/.openclaw#agent:main:main | jq .type\n  clawctl help cat\n")
	for _, group := range groups {
		fmt.Fprintf(&b, "\n%s\n", strings.ToUpper(group))
		for _, c := range commands() {
			if c.group == group {
				fmt.Fprintf(&b, "  %-11s %s\n", c.name, c.summary)
			}
		}
	}
	b.WriteString("\nFLAGS OF EVERY COMMAND\n" + flagLines(commonFlags(), width))
	b.WriteString("\nEXIT STATUS\n")
	for _, e := range exitWords {
		fmt.Fprintf(&b, "  %-4d%s\n", e.code, e.words)
	}
	return b.String()
}

// help is the help of one command: examples first, exit codes last.
func (c *command) help(width int) string {
	var b strings.Builder
	for _, example := range c.examples {
		fmt.Fprintf(&b, "  %s\n", example)
	}
	fmt.Fprintf(&b, "\nUSAGE\n  clawctl %s [FLAGS] %s\n", c.name, c.args)
	fmt.Fprintf(&b, "\n%s\n", wrap(strings.ToUpper(c.summary[:1])+c.summary[1:]+".", width, ""))
	for _, paragraph := range strings.Split(c.about, "\n\n") {
		b.WriteString("\n" + wrap(paragraph, width, "") + "\n")
	}
	if len(c.flags) > 0 {
		b.WriteString("\nFLAGS\n" + flagLines(c.flags, width))
	}
	b.WriteString("\nFLAGS OF EVERY COMMAND\n" + flagLines(commonFlags(), width))
	b.WriteString("\nEXIT STATUS\n")
	for _, e := range exitWords {
		for _, code := range c.exits {
			if code == e.code {
				fmt.Fprintf(&b, "  %-4d%s\n", e.code, e.words)
			}
		}
	}
	return b.String()
}

const flagColumn = 24

// flagLines lists flags with their meaning.
func flagLines(flags []cli.Flag, width int) string {
	var b strings.Builder
	for _, f := range flags {
		names, usage := flagText(f)
		indent := strings.Repeat(" ", flagColumn)
		lines := strings.TrimPrefix(wrap(usage, width, indent), indent)
		fmt.Fprintf(&b, "  %-*s%s\n", flagColumn-2, names, lines)
	}
	return b.String()
}

// flagText returns a flag as help shows it: its names with the placeholder, and its meaning without back quotes.
func flagText(f cli.Flag) (names, usage string) {
	for _, name := range f.Names() {
		dashes := "--"
		if len(name) == 1 {
			dashes = "-"
		}
		if names != "" {
			names += ", "
		}
		names += dashes + name
	}
	doc, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return names, ""
	}
	usage = doc.GetUsage()
	if parts := strings.SplitN(usage, "`", 3); len(parts) == 3 {
		names += " " + parts[1]
		usage = strings.Join(parts, "")
	}
	return names, usage
}
