package cli

import (
	"fmt"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
)

// Help is the help of one command: purpose, usage, examples, flags, details, exit status.
func (c *Command) Help(width int) string {
	var b strings.Builder
	b.WriteString(c.purpose() + "\nExamples:\n")
	for _, e := range c.Examples {
		fmt.Fprintf(&b, "  # %s\n  %s\n", e.Comment(), e.Command())
	}
	b.WriteString(c.flagHelp(width))
	for paragraph := range strings.SplitSeq(c.Details(), "\n\n") {
		b.WriteString("\n" + ui.Wrap(paragraph, width, "") + "\n")
	}
	b.WriteString("\n" + ExitLine(c.Exits, width))
	return b.String()
}

// ShortHelp is the help that -h asks for: purpose, usage, flags.
func (c *Command) ShortHelp(width int) string {
	return c.purpose() + c.flagHelp(width) + "\nRun `clawctl help " + c.Name + "` for examples and details.\n"
}

func (c *Command) purpose() string { return c.Summary + "\n\nUsage:\n  " + c.UsageLine() + "\n" }

func (c *Command) flagHelp(width int) (text string) {
	if lines := FlagLines(c.OwnFlags(), width); lines != "" {
		text = "\nFlags:\n" + lines
	}
	return text + "\nFlags of every command:\n" + FlagLines(c.CommonFlags(), width)
}

// ExitLine lists exit statuses: "Exit status: 0 done, 1 problems found".
func ExitLine(statuses []failure.ExitStatus, width int) string {
	const glue = "~" // keeps a number and its first word on one line
	var list []string
	for _, e := range statuses {
		list = append(list, fmt.Sprintf("%d%s%s", e.Status, glue, e.Words))
	}
	text := ui.Wrap("Exit status: "+strings.Join(list, ", "), width, "")
	return strings.ReplaceAll(text, glue, " ") + "\n"
}

// FlagLines lists flags with their meaning.
func FlagLines(flags []Flag, width int) string {
	names := make([]string, len(flags))
	column := 0
	for i, f := range flags {
		names[i] = FlagNames(f)
		if n := len(names[i]) + 2; n <= widestFlag {
			column = max(column, n)
		}
	}
	var b strings.Builder
	b.Grow(2 * width * len(flags))
	indent := strings.Repeat(" ", column+4)
	for i, f := range flags {
		if f.Hidden {
			continue
		}
		text := strings.TrimPrefix(ui.Wrap(FlagUsage(f), width, indent), indent)
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

// FlagNames returns a flag as help shows it: "-o, --output FILE".
func FlagNames(f Flag) string {
	text := "    --" + f.Name
	if f.short != "" {
		text = "-" + f.short + ", --" + f.Name
	}
	if f.Value != "" {
		text += " " + f.Value
	}
	return text
}

// FlagUsage is what a flag does, with its allowed values and its default.
func FlagUsage(f Flag) string {
	text := f.Usage
	if len(f.Choices) > 0 {
		text += ": " + strings.Join(f.Choices, ", ")
	}
	if f.List {
		text += "; repeat the flag or separate values with commas"
	}
	if f.Fallback != "" {
		text += " (default " + f.Fallback + ")"
	}
	return text
}
