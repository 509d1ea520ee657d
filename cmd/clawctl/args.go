package main

// How arguments are read:
//
//   - Flags may stand anywhere: before the command, before and behind operands. `--` ends them; a lone `-` is an
//     operand and means stdin.
//   - `--flag value`, `--flag=value`, `-f value` and `-qv` (several short flags without values) are all understood.
//   - An unknown command or flag is an error with exit 2 and the nearest name as the hint; nothing is guessed.
//   - -h and --help anywhere ask for help about the command; --version asks for the version. Without any command
//     clawctl says what it found on this machine.

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// parsedArgs is what urfave/cli gets to see.
type parsedArgs struct {
	command string
	args    []string // flags, "--", operands
	json    bool     // errors of parsing are to be printed as JSON too
}

// normalize sorts arguments into a command, its flags and its operands.
func normalize(args []string, all []*command) (parsedArgs, error) {
	p := parsedArgs{json: slices.ContainsFunc(args, func(arg string) bool { return arg == "--json" || arg == "--json=true" })}
	name, rest := splitCommand(args, all)
	c, err := findCommand(cmp.Or(name, "overview"), all)
	if err != nil {
		return p, err
	}
	flags, operands, asked, err := sortFlags(rest, c)
	switch {
	case err != nil:
		return p, err
	case asked == "help" && name == "":
		p.command = "help"
	case asked == "help":
		p.command, flags, operands = "help", nil, []string{c.name}
	case asked == "version":
		p.command = "version"
	default:
		p.command = c.name
	}
	p.args = append(append(flags, "--"), operands...)
	return p, nil
}

// splitCommand takes the first word that is not a flag or a flag's value out of the arguments.
func splitCommand(args []string, all []*command) (string, []string) {
	// Before the command its own flags are not known; those of every command are, and none but the varying ones differs
	// in taking a value.
	known := flagTable(commonFlags())
	names := map[string]bool{}
	for _, c := range all {
		maps.Copy(known, flagTable(c.flags))
		names[c.name] = true
	}
	for i := 0; i < len(args); i++ {
		if args[i] == "--" && i+1 < len(args) {
			return args[i+1], slices.Delete(slices.Clone(args), i, i+2)
		}
		name, _, hasValue := cutFlag(args[i])
		if name == "" {
			return args[i], slices.Delete(slices.Clone(args), i, i+1)
		}
		isNext := i+1 < len(args) && names[args[i+1]]
		if !hasValue && (known[name] && !varying[name] || varying[name] && !isNext) {
			i++
		}
	}
	return "", slices.Clone(args)
}

// varying are the flags that take a value with some commands alone: before the command the word behind one is its value,
// unless that is a command.
var varying = map[string]bool{"summary": true}

func findCommand(name string, all []*command) (*command, error) {
	names := make([]string, len(all))
	for i, c := range all {
		if names[i] = c.name; c.name == name {
			return c, nil
		}
	}
	hint := "clawctl help"
	if near := nearest(name, names); near != "" {
		hint = "clawctl " + near
	}
	return nil, usageError(hint, "there is no command %q", name)
}

// sortFlags separates a command's flags from its operands. asked is "help" or "version" where that is asked for instead.
func sortFlags(args []string, c *command) (flags, operands []string, asked string, err error) {
	known := flagTable(append(commonFlags(), c.flags...))
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return flags, append(operands, args[i+1:]...), asked, nil
		}
		name, dashes, hasValue := cutFlag(arg)
		takesValue, ok := known[name]
		switch {
		case name == "":
			operands = append(operands, arg)
		case name == "h" || name == "help":
			asked = "help"
		case name == "version":
			asked = "version"
		case !ok:
			bundle := bundledFlags(arg, known)
			if bundle == nil {
				return nil, nil, "", unknownFlag(c, dashes+name, args, i, known)
			}
			flags = append(flags, bundle...)
		case takesValue && !hasValue:
			if i++; i == len(args) {
				return nil, nil, "", usageError("clawctl help "+c.name, "%s needs a value", arg)
			}
			flags = append(flags, arg+"="+args[i]) // joined, so that a value which begins with a dash stays a value
		default:
			flags = append(flags, arg)
		}
	}
	return flags, operands, asked, nil
}

// cutFlag returns the name of a flag; "" for an operand.
func cutFlag(arg string) (name, dashes string, hasValue bool) {
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

// bundledFlags splits -qv into -q and -v; nil where that is not what the argument is.
func bundledFlags(arg string, known map[string]bool) (flags []string) {
	if strings.HasPrefix(arg, "--") {
		return nil
	}
	for _, r := range arg[1:] {
		takesValue, ok := known[string(r)]
		if !ok || takesValue {
			return nil
		}
		flags = append(flags, "-"+string(r))
	}
	return flags
}

// unknownFlag is the error for a flag that a command does not have; its hint is the command with the nearest one.
func unknownFlag(c *command, flag string, args []string, at int, known map[string]bool) error {
	var names []string
	for name := range known {
		if len(name) > 1 {
			names = append(names, "--"+name)
		}
	}
	slices.Sort(names)
	hint := "clawctl help " + c.name
	if near := nearest(flag, names); near != "" {
		mended := slices.Clone(args)
		mended[at] = near + strings.TrimPrefix(args[at], flag)
		hint = "clawctl " + c.name
		for _, arg := range mended {
			hint += " " + shellQuote(arg)
		}
	}
	return usageError(hint, "%s has no flag %s", c.name, flag)
}

// flagTable maps every name of the flags to whether it takes a value.
func flagTable(flags []cli.Flag) map[string]bool {
	table := map[string]bool{}
	for _, f := range flags {
		takesValue := false
		if doc, ok := f.(cli.DocGenerationFlag); ok {
			takesValue = doc.TakesValue()
		}
		for _, name := range f.Names() {
			table[name] = takesValue
		}
	}
	return table
}

// nearest returns the name that a typo most likely meant, or "": one or two letters off, of a word long enough.
func nearest(typed string, names []string) string {
	best, bestDistance := "", min(3, len(typed)/2+1)
	for _, name := range names {
		if d := editDistance(typed, name); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

// editDistance counts the letters to insert, delete, replace or swap with their neighbour.
func editDistance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
