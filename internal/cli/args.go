package cli

// How arguments are read:
//
//   - Flags may stand anywhere: before the command, before and after operands. `--` ends them; a lone `-` is an operand
//     and means stdin.
//   - `--flag value`, `--flag=value`, `-f value`, `-fvalue` and `-qv` (several switches) are all understood.
//   - An unknown command or flag is an error with exit 2 and the nearest name as the hint; nothing is guessed.
//   - -h and --help anywhere ask for short and long help about the command; --version asks for the version. Without
//     any command clawctl prints what it found on this machine.

import (
	"cmp"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/source"
)

// ParsedArgs is what urfave/cli gets to see.
type ParsedArgs struct {
	Command string
	Args    []string // flags under their long names, "--", operands
	json    bool     // errors of parsing are to be printed as JSON too
}

// Normalize sorts arguments into a command, its flags and its operands.
func Normalize(args []string, all []*Command) (ParsedArgs, error) {
	p := ParsedArgs{json: slices.ContainsFunc(args, asksForJSON)}
	name, rest := SplitCommand(args, all)
	c, err := FindCommand(cmp.Or(name, "overview"), all)
	if err != nil {
		return p, err
	}
	sorted, err := sortFlags(rest, c)
	switch {
	case err != nil:
		return p, err
	case sorted.help && name == "":
		p.Command = "help"
	case sorted.help:
		p.Command, sorted.operands = "help", []string{c.Name}
		sorted.flags = slices.DeleteFunc(sorted.flags, func(flag string) bool { return flag != "--no-pager" })
	case sorted.version:
		p.Command = "version"
	default:
		p.Command = c.Name
	}
	if sorted.short && p.Command == "help" {
		sorted.flags = append(sorted.flags, "--short")
	}
	p.Args = append(append(sorted.flags, "--"), sorted.operands...)
	return p, nil
}

func asksForJSON(arg string) bool { return arg == "--json" || arg == "--json=true" }

// SplitCommand takes the first word that is not a flag or a flag's value out of the arguments.
func SplitCommand(args []string, all []*Command) (string, []string) {
	for i := 0; i < len(args); i++ {
		if args[i] == "--" && i+1 < len(args) {
			return args[i+1], slices.Delete(slices.Clone(args), i, i+2)
		}
		name, _, hasValue := CutFlag(args[i])
		if name == "" {
			return args[i], slices.Delete(slices.Clone(args), i, i+1)
		}
		isNext := i+1 < len(args) && slices.ContainsFunc(all, func(c *Command) bool { return c.Name == args[i+1] })
		if !hasValue && (takesValue(name, all) && !Varying[name] || Varying[name] && !isNext) {
			i++
		}
	}
	return "", slices.Clone(args)
}

// takesValue reports whether a flag has a value. The flags of a command are not known before the command is; those of
// all commands together are, and few differ in taking a value.
func takesValue(name string, all []*Command) bool {
	var takes bool
	if isHelp(name) || name == "version" {
		return false
	}
	look := func(flags []Flag) {
		isIt := func(f Flag) bool { return f.Name == name || f.short == name }
		if i := slices.IndexFunc(flags, isIt); i >= 0 {
			takes = flags[i].Value != ""
		}
	}
	look((&Command{}).CommonFlags())
	for _, c := range all {
		look(c.OwnFlags())
	}
	return takes
}

// isHelp reports whether a flag asks for help.
func isHelp(name string) bool { return name == "h" || name == "help" }

// Varying are the flags that take a value in some commands only: before the command the word after one is its value,
// unless that is a command.
var Varying = map[string]bool{"summary": true, "store": true}

// sortedArgs are the arguments of a command.
type sortedArgs struct {
	flags, operands []string
	help, version   bool // asked for instead
	short           bool // only -h asked for help
}

// sortFlags separates a command's flags from its operands.
func sortFlags(args []string, c *Command) (s sortedArgs, err error) {
	known := NewFlagTable(c.AllFlags())
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			s.operands = append(s.operands, args[i+1:]...)
			return s, nil
		}
		name, dashes, hasValue := CutFlag(arg)
		f, ok := known[name]
		switch {
		case name == "":
			s.operands = append(s.operands, arg)
		case isHelp(name):
			s.short = name == "h" && (s.short || !s.help)
			s.help = true
		case name == "version":
			s.version = true
		case !ok:
			bundle := known.bundle(arg)
			if bundle == nil {
				return s, unknownFlag(c, dashes+name, args, i, known)
			}
			s.flags = append(s.flags, bundle...)
		case f.Value != "" && !hasValue:
			if i++; i == len(args) {
				return s, failure.Usage(c.helpCommand(), "%s needs a value", arg)
			}
			s.flags = append(s.flags, "--"+f.Name+"="+args[i]) // joined: a value may begin with a dash
		default:
			s.flags = append(s.flags, "--"+f.Name+strings.TrimPrefix(arg, dashes+name))
		}
	}
	return s, nil
}

// CutFlag returns the name of a flag; "" for an operand.
func CutFlag(arg string) (name, dashes string, hasValue bool) {
	switch {
	case arg == "-" || arg == "--" || !strings.HasPrefix(arg, "-"):
		return "", "", false
	case strings.HasPrefix(arg, "--"):
		dashes = "--"
	default:
		dashes = "-"
	}
	name, _, hasValue = strings.Cut(arg[len(dashes):], "=")
	return cmp.Or(name, "="), dashes, hasValue
}

// A FlagTable finds flags by every name that they have.
type FlagTable map[string]Flag

// NewFlagTable returns the table of flags.
func NewFlagTable(flags []Flag) FlagTable {
	table := FlagTable{}
	for _, f := range flags {
		table[f.Name] = f
		if f.short != "" {
			table[f.short] = f
		}
	}
	return table
}

// bundle splits -qv into --quiet and --verbose, and -C5 into --context and its value; nil if the argument is something
// else.
func (t FlagTable) bundle(arg string) []string {
	var flags []string
	if strings.HasPrefix(arg, "--") {
		return nil
	}
	for i, r := range arg[1:] {
		f, ok := t[string(r)]
		switch value := arg[min(len(arg), i+2):]; {
		case !ok:
			return nil
		case f.Value == "":
			flags = append(flags, "--"+f.Name)
		case value != "":
			return append(flags, "--"+f.Name+"="+strings.TrimPrefix(value, "="))
		default:
			return nil
		}
	}
	return flags
}

// unknownFlag is the error for a flag that a command does not have; its hint is the command with the nearest one.
func unknownFlag(c *Command, typed string, args []string, at int, known FlagTable) error {
	var names []string
	for name, f := range known {
		if len(name) > 1 && !f.Hidden {
			names = append(names, "--"+name)
		}
	}
	slices.Sort(names)
	hint := c.helpCommand()
	if near := failure.Nearest(typed, names); near != "" {
		mended := slices.Clone(args)
		mended[at] = near + strings.TrimPrefix(args[at], typed)
		hint = failure.Command(append([]string{"clawctl", c.Name}, mended...)...)
	}
	return failure.Usage(hint, "%s has no flag %s", c.Name, typed)
}

// shellExpands is false if the shells of the system give ~ and patterns such as *.jsonl to programs as they are.
const shellExpands = runtime.GOOS != "windows"

// expandWords does to arguments what a POSIX shell does before a program gets them. A ~ at the beginning of a word is
// the home folder, and a path with * or ? becomes the files that it matches. A pattern that matches nothing stays. Only
// what can be meant as a path is a pattern, because search takes words with such characters.
func expandWords(words []string) []string {
	var all []string
	for _, word := range words {
		word = ExpandHome(word)
		files := []string{word}
		if strings.ContainsAny(word, "*?") && !strings.HasPrefix(word, "-") && source.LooksLikePath(word) {
			if found, err := filepath.Glob(word); err == nil && len(found) > 0 {
				files = found
			}
		}
		all = append(all, files...)
	}
	return all
}
