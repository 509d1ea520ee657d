package main

import (
	"fmt"
	"strings"
	"testing"

	"clawctl/internal/cli"
)

// Every page of help says what docs/commands.md and the man pages say. The golden screens show how a page looks.
func TestHelpPages(t *testing.T) {
	for _, c := range wholeCommands() {
		var flags, details []string
		for _, f := range append(c.CommonFlags(), c.OwnFlags()...) {
			if !f.Hidden {
				flags = append(flags, strings.TrimSpace(cli.FlagNames(f)), cli.FlagUsage(f))
			}
		}
		for _, e := range c.Examples {
			details = append(details, "# "+e.Comment(), e.Command())
		}
		for _, e := range c.Exits {
			details = append(details, fmt.Sprintf("%d %s", e.Status, e.Words))
		}
		details = append(details, strings.Split(c.Details(), "\n\n")...)
		flags = append(flags, c.Summary, c.UsageLine())
		checkPage(t, flags, c.Name, "-h")
		checkPage(t, append(flags, details...), c.Name, "--help")
	}
}

// checkPage checks that a page of help has some texts, however its lines are wrapped.
func checkPage(t *testing.T, texts []string, args ...string) {
	t.Helper()
	status, page, stderr := inProcess("", args...)
	if status != 0 || stderr != "" {
		t.Errorf("%q: exit %d, %s", args, status, stderr)
	}
	page = strings.Join(strings.Fields(page), " ")
	for _, text := range texts {
		if !strings.Contains(page, strings.Join(strings.Fields(text), " ")) {
			t.Errorf("%q lacks %q", args, text)
		}
	}
}

// help COMMAND and COMMAND --help print the long page, -h the short one. --help wins over -h.
func TestHelpForms(t *testing.T) {
	_, long, _ := inProcess("", "help", "cat")
	_, short, _ := inProcess("", "cat", "-h")
	if !strings.Contains(long, "Examples:") || !strings.Contains(long, "Exit status:") {
		t.Error(long)
	}
	if strings.Contains(short, "Examples:") || strings.Contains(short, "Exit status:") ||
		!strings.Contains(short, "\nFlags:") {
		t.Error(short)
	}
	for _, args := range [][]string{
		{"cat", "--help"}, {"--help", "cat"}, {"cat", "-h", "--help"}, {"cat", "--help", "-h"},
	} {
		if _, got, _ := inProcess("", args...); got != long {
			t.Errorf("%v does not print the long page", args)
		}
	}
	if _, got, _ := inProcess("", "-h", "cat", "file"); got != short {
		t.Error("-h before the command does not print the short page")
	}
}
