package main

import (
	"fmt"
	"strings"

	"clawctl/internal/ui"
)

// help is the help of one command: purpose, usage, examples, flags, details, exit status.
func (c *command) help(width int) string {
	var b strings.Builder
	b.WriteString(c.purpose() + "\nExamples:\n")
	for _, e := range c.examples {
		fmt.Fprintf(&b, "  # %s\n  %s\n", e.comment, e.command)
	}
	b.WriteString(c.flagHelp(width))
	for paragraph := range strings.SplitSeq(c.about, "\n\n") {
		b.WriteString("\n" + ui.Wrap(paragraph, width, "") + "\n")
	}
	b.WriteString("\n" + exitLine(c, width))
	return b.String()
}

// shortHelp is the help that -h asks for: purpose, usage, flags.
func (c *command) shortHelp(width int) string {
	return c.purpose() + c.flagHelp(width) + "\nRun `clawctl help " + c.name + "` for examples and details.\n"
}

func (c *command) purpose() string { return c.summary + "\n\nUsage:\n  " + c.usageLine() + "\n" }

func (c *command) flagHelp(width int) (text string) {
	if lines := flagLines(c.flags, width); lines != "" {
		text = "\nFlags:\n" + lines
	}
	return text + "\nFlags of every command:\n" + flagLines(c.commonFlags(), width)
}

// exitLine lists the exit statuses of a command: "Exit status: 0 done, 1 problems found".
func exitLine(c *command, width int) string {
	const glue = "~" // keeps a number and its first word on one line
	var list []string
	for _, e := range c.exitStatuses() {
		list = append(list, fmt.Sprintf("%d%s%s", e.Status, glue, e.Words))
	}
	text := ui.Wrap("Exit status: "+strings.Join(list, ", "), width, "")
	return strings.ReplaceAll(text, glue, " ") + "\n"
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
	if f.list {
		text += "; repeat the flag or separate values with commas"
	}
	if f.fallback != "" {
		text += " (default " + f.fallback + ")"
	}
	return text
}
