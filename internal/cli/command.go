package cli

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
)

// A Command is one subcommand: what help, completion and the parser know about it, and what it does. Its flags are
// bound to the fields of its options, so run finds everything in place.
type Command struct {
	Name    string
	Aliases []string // other names that are accepted
	Group   string
	Summary string // one line that begins with a verb
	// New makes everything else when it is first needed, besides what Text says. nil means that it is here.
	New  func() *Command
	Text func(name string) string // see describe

	Operands string        // in the usage line
	About    string        // paragraphs; see Details
	Missing  func() string // the %s of About
	Examples []Example
	Exits    []failure.ExitStatus // in the words of the command
	Options  Options              // its own flags, and what it does
	Offers   func() []string      // what completion offers as operands; nil: files
	Topics   []Topic              // of help
	Formats  []string             // what --format may be; the first is the default
	Plain    string               // what is printed without --format, if it is none of the formats

	OpensOutput bool // the command itself decides what -o means
	Paged       bool // its output is there to be read: on a terminal a long one goes through a pager
	Instant     bool // without flags and operands, it prints what it knows and ends
	Streams     bool // its output scrolls by while it works: on a terminal that is progress enough

	Run func(a *App, operands []string) error // nil: Options runs it

	flags []Flag // its own
}

// Options are a struct with a field for each flag that only one command has, and what the command does with them. The
// flags are those that FlagsOf finds, unless it has a method OwnFlags.
type Options interface {
	Run(a *App, operands []string) error
}

// An Example is a command to copy, with a comment that says what it is good for.
type Example [2]string

// Comment says what the example is good for.
func (e Example) Comment() string { return e[0] }

// Command is the line to copy.
func (e Example) Command() string { return e[1] }

// A Topic is a page of help that is not about one command.
type Topic struct {
	Name    string
	Summary string // what the page says, as completion shows it
	Page    func(a *App) error
}

// Groups are the headings of help, in order.
var Groups = []string{"read", "measure", "check", "move", "mend", "store", "model", "tool"}

// Whole returns the command with everything that New makes.
func (c *Command) Whole() *Command {
	if c.New != nil {
		whole := c.New()
		whole.Name, whole.Aliases, whole.Group, whole.Summary = c.Name, c.Aliases, c.Group, c.Summary
		if c.Group != "" { // others are not listed by help
			whole.describe(c.Text(c.Name))
		}
		*c = *whole
	}
	return c
}

// describe reads the text about a command: a line with its operands, paragraphs, examples with a comment each, and exit
// statuses, with words if the general ones are too vague for the command.
func (c *Command) describe(text string) {
	operands, text, _ := strings.Cut(strings.TrimPrefix(text, "Operands: "), "\n\n")
	about, text, _ := strings.Cut(text, "\n\nExamples:\n")
	examples, exits, _ := strings.Cut(text, "\n\nExit status:\n")
	c.Operands = operands
	for i, paragraph := range strings.Split(about, "\n\n") {
		if i > 0 {
			c.About += "\n\n"
		}
		c.About += strings.ReplaceAll(paragraph, "\n", " ")
	}
	for comment := range strings.SplitSeq(strings.TrimPrefix(examples, "  # "), "\n  # ") {
		comment, command, _ := strings.Cut(comment, "\n  ")
		c.Examples = append(c.Examples, Example{comment, command})
	}
	for line := range strings.Lines(exits) {
		number, words, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, e := range failure.ExitStatuses {
			if strconv.Itoa(e.Status) == number {
				c.Exits = append(c.Exits, failure.ExitStatus{Status: e.Status, Words: cmp.Or(words, e.Words)})
			}
		}
	}
}

// FindCommand returns the command with a name, or the failure of a name that nothing has.
func FindCommand(name string, all []*Command) (*Command, error) {
	names := make([]string, len(all))
	for i, c := range all {
		if names[i] = c.Name; c.Name == name || slices.Contains(c.Aliases, name) {
			return c.Whole(), nil
		}
	}
	hint, known := Plausible[name]
	if !known {
		hint = "clawctl " + cmp.Or(failure.Nearest(name, names), "help")
	}
	return nil, failure.Usage(hint, "unknown command %q", name)
}

// Plausible are commands that other programs have and clawctl has not, with the command that does what they do.
var Plausible = map[string]string{
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

// UsageLine is the command as it is typed.
func (c *Command) UsageLine() string {
	return strings.TrimSpace("clawctl " + c.Name + " [flags] " + c.Operands)
}

// Details returns the paragraphs about the command.
func (c *Command) Details() string {
	if c.Missing == nil {
		return c.About
	}
	return strings.Replace(c.About, "%s", c.Missing(), 1)
}

// OwnFlags returns the flags that only this command has. They are made when they are first asked for: those of all
// commands would take a seventh of every start.
func (c *Command) OwnFlags() []Flag {
	if c.Whole(); c.flags == nil && c.Options != nil {
		if o, ok := c.Options.(interface{ OwnFlags() []Flag }); ok {
			c.flags = o.OwnFlags()
		} else {
			c.flags = FlagsOf(c.Options)
		}
	}
	return c.flags
}

// CommonFlags returns the flags of every command, as they are for this one.
func (c *Command) CommonFlags() []Flag { return (&commonOptions{color: ui.ColorModes[0]}).flags(c) }

// AllFlags returns a command's own flags and those of every command.
func (c *Command) AllFlags() []Flag { return append(c.CommonFlags(), c.OwnFlags()...) }

// helpCommand is the command that explains this one, or all of them for one that help does not list.
func (c *Command) helpCommand() string {
	if c.Group == "" {
		return "clawctl help"
	}
	return "clawctl help " + c.Name
}

// Usage is the failure of a command that was called in a wrong way. Its hint is the help about the command that runs.
func Usage(format string, args ...any) *failure.Error { return failure.Usage("", format, args...) }

// Conflict is the failure of flags that exclude each other.
func Conflict(flags ...string) *failure.Error {
	return Usage("%s cannot be combined", strings.Join(flags, " and "))
}
