package main

import (
	"cmp"
	"strings"

	"clawctl/internal/failure"
)

// A command is one subcommand: what help, completion and the parser know about it, and what it does. Its flags are
// bound to the fields of its options, so run finds everything in place.
type command struct {
	name     string
	group    string
	operands string // in the usage line
	summary  string // one line that begins with a verb
	about    string // paragraphs
	examples []example
	exits    []int
	flags    []flag
	offers   []string // what completion offers as operands; nil: files
	formats  []string // what --format may be

	opensOutput bool // the command itself decides what -o means
	paged       bool // its output is there to be read: on a terminal a long one goes through a pager
	streams     bool // its output scrolls by while it works: on a terminal that is progress enough
	run         func(a *app, operands []string) error
}

// An example is a command to copy, with a comment that says what it is good for.
type example struct{ comment, command string }

// groups are the headings of help, in order.
var groups = []string{"look", "check", "move", "shrink", "tool"}

// commands returns every command, in the order of help.
func commands() []*command {
	return []*command{
		newSessionsCommand(), newCatCommand(), newRebuildCommand(), newTokensCommand(), newStatsCommand(),
		newContextCommand(), newValidateCommand(), newExplainCommand(),
		newImportCommand(), newExportCommand(), newVerifyCommand(),
		newCompactCommand(), newCheckpointCommand(), newFlushCommand(), newGuardCommand(),
		newOverviewCommand(), newEnvCommand(), newCompletionCommand(), newVersionCommand(), newHelpCommand(),
	}
}

func commandNames() (names []string) {
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

func findCommand(name string, all []*command) (*command, error) {
	names := make([]string, len(all))
	for i, c := range all {
		if names[i] = c.name; c.name == name {
			return c, nil
		}
	}
	hint := cmp.Or(nearest(name, names), "help")
	return nil, failure.Usage("clawctl "+hint, "unknown command %q", name)
}

// allFlags returns a command's own flags and those of every command.
func (c *command) allFlags() []flag { return append((&commonOptions{}).flags(c), c.flags...) }

// noOperands refuses arguments of a command that takes none.
func (c *command) noOperands(operands []string) error {
	if len(operands) > 0 {
		return failure.Usage("clawctl help "+c.name, "%s takes no argument, got %q", c.name, operands[0])
	}
	return nil
}

// usage is the failure of a command that was called in a wrong way.
func (c *command) usage(format string, args ...any) error {
	return failure.Usage("clawctl help "+c.name, format, args...)
}

// conflict is the failure of flags that exclude each other.
func (c *command) conflict(flags ...string) error {
	return c.usage("%s cannot be combined", strings.Join(flags, " and "))
}
