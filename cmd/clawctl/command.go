package main

import (
	"cmp"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
)

// A command is one subcommand: what help, completion and the parser know about it, and what it does. Its flags are
// bound to the fields of its options, so run finds everything in place.
type command struct {
	name     string
	aliases  []string // other names that are accepted
	group    string
	operands string // in the usage line
	summary  string // one line that begins with a verb
	about    string // paragraphs
	examples []example
	exits    []int
	outcomes map[int]string // what exit statuses mean here, if the general words are too vague
	flags    []flag
	offers   []string // what completion offers as operands; nil: files
	formats  []string // what --format may be; the first is the default
	plain    string   // what is printed without --format, if it is none of the formats

	opensOutput bool // the command itself decides what -o means
	paged       bool // its output is there to be read: on a terminal a long one goes through a pager
	streams     bool // its output scrolls by while it works: on a terminal that is progress enough
	run         func(a *app, operands []string) error
}

// An example is a command to copy, with a comment that says what it is good for.
type example struct{ comment, command string }

// groups are the headings of help, in order.
var groups = []string{"read", "measure", "check", "move", "mend", "store", "model", "tool"}

func findCommand(name string, all []*command) (*command, error) {
	names := make([]string, len(all))
	for i, c := range all {
		if names[i] = c.name; c.name == name || slices.Contains(c.aliases, name) {
			return c, nil
		}
	}
	hint, known := plausible[name]
	if !known {
		hint = "clawctl " + cmp.Or(nearest(name, names), "help")
	}
	return nil, failure.Usage(hint, "unknown command %q", name)
}

// plausible are commands that other programs have and clawctl has not, with the command that does what they do.
var plausible = map[string]string{
	"backup":    "clawctl import",
	"check":     "clawctl validate",
	"clean":     "clawctl prune",
	"compare":   "clawctl diff A B",
	"config":    "clawctl env",
	"convert":   "clawctl cat --as openclaw SOURCE",
	"count":     "clawctl tokens SOURCE",
	"fix":       "clawctl repair SESSION",
	"mend":      "clawctl repair SESSION",
	"recover":   "clawctl repair SESSION",
	"revert":    "clawctl undo",
	"dump":      "clawctl export",
	"forget":    "clawctl prune",
	"fsck":      "clawctl validate",
	"gc":        "clawctl prune",
	"find":      "clawctl search PATTERN",
	"history":   "clawctl show SESSION",
	"info":      "clawctl context SESSION",
	"lint":      "clawctl validate",
	"list":      "clawctl sessions",
	"log":       "clawctl show SESSION",
	"ls":        "clawctl sessions",
	"man":       "clawctl help",
	"migrate":   "clawctl import",
	"print":     "clawctl show SESSION",
	"size":      "clawctl du",
	"health":    "clawctl doctor",
	"status":    "clawctl doctor",
	"summarize": "clawctl compact SESSION",
	"usage":     "clawctl stats",
	"view":      "clawctl show SESSION",
	"wc":        "clawctl tokens SOURCE",
}

// exitStatuses returns the exit statuses of the command, in the words of the command.
func (c *command) exitStatuses() (list []failure.ExitStatus) {
	for _, e := range failure.ExitStatuses {
		if slices.Contains(c.exits, e.Status) {
			list = append(list, failure.ExitStatus{Status: e.Status, Words: cmp.Or(c.outcomes[e.Status], e.Words)})
		}
	}
	return list
}

// usageLine is the command as it is typed.
func (c *command) usageLine() string {
	return strings.TrimSpace("clawctl " + c.name + " [flags] " + c.operands)
}

// commonFlags returns the flags of every command, as they are for this one.
func (c *command) commonFlags() []flag { return (&commonOptions{color: ui.ColorModes[0]}).flags(c) }

// allFlags returns a command's own flags and those of every command.
func (c *command) allFlags() []flag { return append(c.commonFlags(), c.flags...) }

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
